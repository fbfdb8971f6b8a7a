#pragma once
/// dual ratio test: which column enters when row r's column leaves. Along the dual ray, reduced costs reach zero one
/// after the other; a column with two bounds need not block, it can move to its opposite bound ("bound flipping", the
/// long step) as long as the dual objective still rises. Within the tolerance, the largest pivot is taken (Harris
/// 1973). Koberstein, "The dual simplex method, techniques for a fast and stable implementation", 2005, chapters 3.3
/// and 6.2.

#include <plumbline/lp/tableau.hpp>

#include <algorithm>

namespace plumbline::lp::detail {

class dual_ratio {
 public:
  array<int> flips{};  ///< columns to move to their opposite bounds

  void reserve(int all) {
    flips.reserve(all);
    candidates_.reserve(all);
  }

  /// Returns the entering column, or -1 if there is none: then the row proves infeasibility. `sign` is 1 if the leaving
  /// column is above its bound, by `infeasibility`, and -1 if it is below. Pivots below `least` are not taken.
  int choose(const tableau& t, const work_vector& row, double sign, double infeasibility, double least, bool bland) {
    flips.clear();
    candidates_.resize(row.index.size());
    constexpr auto bit = [](basis_status at) { return 1 << static_cast<int>(at); };
    constexpr int free = bit(basis_status::between),
                  stops[] = {bit(basis_status::at_upper) | free, bit(basis_status::at_lower) | free};
    int count = 0;
    for (const int j : row.index) {  // without branches, as which columns qualify is unpredictable
      const double alpha = sign * row.value[j], size = std::abs(alpha);
      const int at = 1 << static_cast<int>(t.at[j]), up = static_cast<int>(alpha > 0);
      candidates_[count] = {j, size, (at & free) != 0 ? 0.0 : std::copysign(1.0, alpha) * t.d[j]};
      count += static_cast<int>((at & stops[up]) != 0) & static_cast<int>(size > least) & static_cast<int>(!t.fixed(j));
    }
    candidates_.resize(count);
    if (candidates_.empty()) return -1;
    return bland ? first_of_least() : long_step(t, infeasibility);
  }

 private:
  struct candidate {
    int column;
    double alpha, d;  ///< both with the sign of a column at its lower bound
  };

  /// Of the columns that block first, the one with the lowest index.
  int first_of_least() const {
    double least = infinity;
    int q = -1;
    for (const candidate& c : candidates_) {
      const double ratio = std::max(c.d, 0.0) / c.alpha;
      if (ratio < least || (ratio == least && c.column < q)) {
        least = ratio;
        q = c.column;
      }
    }
    return q;
  }

  int long_step(const tableau& t, double slope) {
    double largest = 0;
    for (const candidate& c : candidates_) largest = std::max(largest, c.alpha);
    const double good = std::min(0.1 * largest, 1.0);
    int best = -1, flips_before_best = 0;
    int from = 0;  // candidates before this index were passed
    const int n = candidates_.size();
    while (from < n) {
      double bound = infinity;
      for (int k = from; k < n; ++k)
        bound = std::min(bound, (std::max(candidates_[k].d, 0.0) + t.tolerance) / candidates_[k].alpha);
      int end = from, group_best = -1;
      for (int k = from; k < n; ++k) {
        if (candidates_[k].d > bound * candidates_[k].alpha) continue;
        std::swap(candidates_[k], candidates_[end]);
        if (group_best < 0 || candidates_[end].alpha > candidates_[group_best].alpha) group_best = end;
        ++end;
      }
      if (group_best < 0) break;  // NaN
      if (best < 0 || candidates_[group_best].alpha >= std::min(good, candidates_[best].alpha)) {
        best = group_best;
        flips_before_best = from;
      }
      for (int k = from; k < end; ++k)
        slope -= candidates_[k].alpha * (t.upper[candidates_[k].column] - t.lower[candidates_[k].column]);
      from = end;
      if (!(slope > 0)) break;
    }
    if (best < 0) return -1;
    for (int k = 0; k < flips_before_best; ++k) flips.push(candidates_[k].column);
    return candidates_[best].column;
  }

  array<candidate> candidates_{};
};

}  // namespace plumbline::lp::detail
