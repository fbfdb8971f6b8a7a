#pragma once
/// Linear programs from Eigen matrices, and solutions as Eigen vectors. Not part of plumbline.hpp: Eigen costs compile
/// time, and neither the solver nor its users inside plumbline need it.

#include <plumbline/lp/solve.hpp>

#include <Eigen/SparseCore>

namespace plumbline::lp {

/// Returns the problem: minimise cost' x subject to row_lower <= A x <= row_upper and lower <= x <= upper. Throws
/// lp::error if the sizes do not match.
template <class Matrix>
problem problem_of(const Eigen::SparseMatrixBase<Matrix>& a, const Eigen::VectorXd& row_lower,
                   const Eigen::VectorXd& row_upper, const Eigen::VectorXd& cost, const Eigen::VectorXd& lower,
                   const Eigen::VectorXd& upper) {
  const auto size = [](const char* what, Eigen::Index has, Eigen::Index wanted) {
    if (has != wanted)
      detail::complain(std::string(what) + " has " + std::to_string(has) + " values, the matrix requires " +
                       std::to_string(wanted));
  };
  size("row_lower", row_lower.size(), a.rows());
  size("row_upper", row_upper.size(), a.rows());
  size("cost", cost.size(), a.cols());
  size("lower", lower.size(), a.cols());
  size("upper", upper.size(), a.cols());
  problem p;
  for (Eigen::Index i = 0; i < a.rows(); ++i) p.add_row({.lower = row_lower[i], .upper = row_upper[i]}, {});
  for (Eigen::Index j = 0; j < a.cols(); ++j) p.add_variable({.lower = lower[j], .upper = upper[j], .cost = cost[j]});
  const Eigen::SparseMatrix<double> columns = a;
  for (int j = 0; j < columns.outerSize(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator e(columns, j); e; ++e)
      p.entries.push_back({static_cast<int>(e.row()), j, e.value()});
  return p;
}

/// Returns the coefficients of a problem that passes check().
inline Eigen::SparseMatrix<double> matrix_of(const problem& p) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(p.entries.size());
  for (const entry& e : p.entries) entries.emplace_back(e.row, e.variable, e.value);
  Eigen::SparseMatrix<double> a(static_cast<Eigen::Index>(p.rows.size()),
                                static_cast<Eigen::Index>(p.variables.size()));
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

/// Returns a view of solution::x, duals and the like as a vector; valid as long as the solution.
inline Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

}  // namespace plumbline::lp
