#pragma once
/// nucleus: the part of a basis matrix without singleton rows and columns, and its elimination (see factor.hpp). Rows
/// hold values; columns only list the rows of their entries.

#include <plumbline/lp/buckets.hpp>
#include <plumbline/lp/lines.hpp>
#include <plumbline/lp/sparse.hpp>

#include <algorithm>
#include <cmath>

namespace plumbline::lp::detail {

inline constexpr double least_pivot = 1e-11;  ///< smaller ones count as zero: scaled entries are near 1

class nucleus {
 public:
  void reserve(int m, int entries) {
    // a line that grows to m entries moves to 4, 12, 28 ... places: less than 4 m + 8 in total
    rows_.valued = true;
    const int places = entries == 0 ? 0 : 5 * entries + 8 * m;
    rows_.reserve(m, places);
    columns_.reserve(m, places);
    largest_.reserve(m);
    spread_.reserve(m);
    by_row_count_.reserve(m);
    by_column_count_.reserve(m);
    entries_.reserve(entries);
  }
  void clear(int rows, int columns) {
    n_rows_ = rows;
    n_columns_ = columns;
    entries_.clear();
  }
  void add(int i, int k, double value) { entries_.push(i, k, value); }

  /// For each pivot, calls pivot(row, column, value), upper(row, column, value) for the other entries of its row,
  /// lower(row, multiplier) for the multipliers that remove its column from the other rows, and done(row).
  template <class Pivot, class Upper, class Lower, class Done>
  void eliminate(double threshold, Pivot pivot, Upper upper, Lower lower, Done done) {
    if (entries_.empty()) return;
    build();
    for (int i = -1, k = -1; find(threshold, i, k);) {
      const double value = rows_.value[place_in_row(i, k)];
      remove_from_search(i, k);
      pivot(i, k, value);
      for (int e = rows_.begin[i]; e < rows_.end(i); ++e) {
        const int other = rows_.index[e];
        if (other == k) continue;
        upper(i, other, rows_.value[e]);
        spread_[other] = rows_.value[e];
        columns_.remove(other, columns_.find(other, i));
      }
      for (int e = columns_.begin[k]; e < columns_.end(k); ++e) {
        const int target = columns_.index[e];
        if (target == i) continue;
        const int at = place_in_row(target, k);
        const double multiplier = rows_.value[at] / value;
        rows_.remove(target, at);
        lower(target, multiplier);
        subtract(i, k, target, multiplier);
        by_row_count_.move(target, rows_.count[target]);
        largest_[target] = -1;
      }
      for (int e = rows_.begin[i]; e < rows_.end(i); ++e) {
        const int other = rows_.index[e];
        if (other == k) continue;
        spread_[other] = 0;
        by_column_count_.move(other, columns_.count[other]);
      }
      done(i);
    }
  }

 private:
  void build() {
    rows_.build(n_rows_, entries_.row, entries_.column, entries_.value);
    columns_.build(n_columns_, entries_.column, entries_.row, entries_.value);
    largest_.assign(n_rows_, -1.0);
    spread_.assign(n_columns_, 0.0);
    by_row_count_.clear(n_rows_, n_columns_);
    by_column_count_.clear(n_columns_, n_rows_);
    for (int i = 0; i < n_rows_; ++i)
      if (rows_.count[i] > 0) by_row_count_.put(i, rows_.count[i]);
    for (int k = 0; k < n_columns_; ++k)
      if (columns_.count[k] > 0) by_column_count_.put(k, columns_.count[k]);
  }

  int place_in_row(int i, int k) const { return rows_.find(i, k); }
  double largest(int i) {
    if (largest_[i] < 0) {
      largest_[i] = 0;
      for (int e = rows_.begin[i]; e < rows_.end(i); ++e) largest_[i] = std::max(largest_[i], std::abs(rows_.value[e]));
    }
    return largest_[i];
  }

  /// Finds the acceptable pivot of least Markowitz cost among the first few lines in the order of their counts.
  bool find(double threshold, int& row, int& column) {
    double best = infinite_cost, best_size = 0;
    row = -1;
    int looked_at = 0;
    const auto cost_of = [&](int i, int k) {
      return static_cast<double>(rows_.count[i] - 1) * (columns_.count[k] - 1);
    };
    const auto consider = [&](int i, int k, double cost, double x) {
      const double size = std::abs(x);
      if (cost > best || (cost == best && size <= best_size)) return;
      if (!(size > least_pivot) || size < threshold * largest(i)) return;
      best = cost;
      best_size = size;
      row = i;
      column = k;
    };
    const int last_row = by_row_count_.first.size() - 1, last_column = by_column_count_.first.size() - 1;
    for (int count = 1; count <= std::max(last_row, last_column); ++count) {
      // no column with this count has a pivot cheaper than `least`, and no row one cheaper than `least_of_rows`
      const double least = static_cast<double>(count - 1) * (count - 1),
                   least_of_rows = static_cast<double>(count) * (count - 1);
      const auto enough = [&](double cheapest) { return row >= 0 && (best <= cheapest || looked_at >= 4); };
      if (count <= last_column)
        for (int k = by_column_count_.first[count]; k >= 0; k = by_column_count_.next[k]) {
          if (enough(least)) return true;
          ++looked_at;
          for (int e = columns_.begin[k]; e < columns_.end(k); ++e) {
            const int i = columns_.index[e];
            if (const double cost = cost_of(i, k); cost < best) consider(i, k, cost, rows_.value[place_in_row(i, k)]);
          }
        }
      if (count <= last_row)
        for (int i = by_row_count_.first[count]; i >= 0; i = by_row_count_.next[i]) {
          if (enough(least_of_rows)) return true;
          ++looked_at;
          for (int e = rows_.begin[i]; e < rows_.end(i); ++e)
            consider(i, rows_.index[e], cost_of(i, rows_.index[e]), rows_.value[e]);
        }
      if (enough(least_of_rows)) return true;
    }
    return row >= 0;
  }

  void remove_from_search(int i, int k) {
    by_row_count_.take(i);
    by_column_count_.take(k);
  }

  /// row `target` -= multiplier * row i, except in column k, which was removed from the target already.
  void subtract(int i, int k, int target, double multiplier) {
    int left = rows_.count[i] - 1;  // entries of row i without a match in the target so far
    for (int e = rows_.end(target) - 1; e >= rows_.begin[target] && left > 0; --e) {
      const int other = rows_.index[e];
      const double x = spread_[other];
      if (x == 0) continue;
      spread_[other] = 0;  // matched: those left below are fill-in
      --left;
      rows_.value[e] -= multiplier * x;
      if (std::abs(rows_.value[e]) >= 1e-14) continue;
      rows_.remove(target, e);
      columns_.remove(other, columns_.find(other, target));
    }
    if (left > 0)
      for (int e = rows_.begin[i]; e < rows_.end(i); ++e) {
        const int other = rows_.index[e];
        if (other == k || spread_[other] == 0) continue;
        const double x = -multiplier * spread_[other];
        if (std::abs(x) < 1e-14) continue;
        rows_.push(target, other, x);
        columns_.push(other, target, 0);
      }
    for (int e = rows_.begin[i]; e < rows_.end(i); ++e)
      if (rows_.index[e] != k) spread_[rows_.index[e]] = rows_.value[e];
  }

  static constexpr double infinite_cost = 1e300;
  int n_rows_ = 0, n_columns_ = 0;
  lines rows_{}, columns_{};
  buckets by_row_count_{}, by_column_count_{};
  array<double> largest_{}, spread_{};
  triples entries_{};
};

}  // namespace plumbline::lp::detail
