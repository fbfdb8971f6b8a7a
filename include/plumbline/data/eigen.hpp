#pragma once
#include <Eigen/Core>
#include <type_traits>

#include <plumbline/data/fixed_tensor.hpp>
#include <plumbline/data/tensor.hpp>

/// Eigen views of a tensor's memory, without copying. The tensor must outlive the view, so temporaries are rejected.
namespace plumbline {

namespace detail {
template <class T>
concept eigen_viewable = requires(T& t) {
  t.data();
  t.shape();
  t.size();
};
template <class T> using element_t = std::remove_pointer_t<decltype(std::declval<T&>().data())>;
template <class Element, class Matrix>
using map_of = Eigen::Map<std::conditional_t<std::is_const_v<Element>, const Matrix, Matrix>>;
}  // namespace detail

/// Row-major matrix: the first dimension gives the rows, all others together the columns. A vector is one column, a
/// scalar 1 x 1.
template <detail::eigen_viewable T> auto as_matrix(T& t) {
  using element = detail::element_t<T>;
  using matrix = Eigen::Matrix<std::remove_const_t<element>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto extents = t.shape();
  const std::size_t rows = extents.rank() == 0 ? 1 : extents[0];
  const std::size_t columns = extents.rank() == 0 ? 1 : extents.inner().count();
  return detail::map_of<element, matrix>(t.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
}

/// Column vector of all elements in row-major order.
template <detail::eigen_viewable T> auto as_vector(T& t) {
  using element = detail::element_t<T>;
  using vector = Eigen::Matrix<std::remove_const_t<element>, Eigen::Dynamic, 1>;
  return detail::map_of<element, vector>(t.data(), static_cast<Eigen::Index>(t.size()));
}

template <detail::eigen_viewable T>
  requires(!std::is_const_v<T>)
void as_matrix(T&&) = delete;
template <detail::eigen_viewable T>
  requires(!std::is_const_v<T>)
void as_vector(T&&) = delete;

}  // namespace plumbline
