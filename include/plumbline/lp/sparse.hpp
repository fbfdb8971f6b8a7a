#pragma once
/// Sparse entries: as triples in any order, and as contiguous lines (rows or columns).

#include <plumbline/lp/array.hpp>

namespace plumbline::lp::detail {

/// The sum of value[e] w[index[e]] over the entries from `e` to before `end`, as four independent sums.
template <class T>
inline T product(const array<int>& index, const array<double>& value, int e, int end, const array<T>& w) {
  T a{}, b{}, c{}, d{};
  for (; e + 3 < end; e += 4) {
    a += value[e] * w[index[e]];
    b += value[e + 1] * w[index[e + 1]];
    c += value[e + 2] * w[index[e + 2]];
    d += value[e + 3] * w[index[e + 3]];
  }
  for (; e < end; ++e) a += value[e] * w[index[e]];
  return (a + b) + (c + d);
}

/// Entries in any order.
struct triples {
  array<int> row{}, column{};
  array<double> value{};

  void reserve(int n) {
    for (auto* ints : {&row, &column}) ints->reserve(n);
    value.reserve(n);
  }
  void clear() {
    for (auto* ints : {&row, &column}) ints->clear();
    value.clear();
  }
  bool empty() const { return row.empty(); }
  void push(int i, int k, double x) {
    row.push(i);
    column.push(k);
    value.push(x);
  }
  /// Renumbers the columns; entries of columns with a negative number are dropped.
  void rename_columns(const array<int>& number) {
    int kept = 0;
    for (int e = 0; e < row.size(); ++e) {
      const int k = number[column[e]];
      if (k < 0) continue;
      row[kept] = row[e];
      column[kept] = k;
      value[kept++] = value[e];
    }
    for (auto* ints : {&row, &column}) ints->resize(kept);
    value.resize(kept);
  }
};

/// Lines with contiguous entries. They are either pushed, each ended by end_line, or sorted from entries.
struct packed {
  array<int> begin{}, index{};
  array<double> value{};

  void reserve(int lines, int entries) {
    begin.reserve(lines + 2);
    index.reserve(entries);
    value.reserve(entries);
  }
  void clear() {
    begin.assign(1, 0);
    index.clear();
    value.clear();
  }
  int entries() const { return index.size(); }
  bool line_is_empty() const { return index.size() == begin[begin.size() - 1]; }  ///< the line being pushed
  void push(int what, double x) {
    index.push(what);
    value.push(x);
  }
  void end_line() { begin.push(index.size()); }

  /// Builds the lines from triples: line name[e] gets index other[e] with value x[e].
  void sort(int lines, const array<int>& name, const array<int>& other, const array<double>& x) {
    begin.assign(lines + 2, 0);
    for (const int i : name) ++begin[i + 2];
    for (int i = 2; i <= lines; ++i) begin[i + 1] += begin[i];
    index.resize(name.size());
    value.resize(name.size());
    for (int e = 0; e < name.size(); ++e) {  // begin[i + 1] is the position of line i's next entry, finally its end
      const int at = begin[name[e] + 1]++;
      index[at] = other[e];
      value[at] = x[e];
    }
  }

  /// w -= x * line k.
  template <class T> void subtract(int k, T x, array<T>& w) const {
    for (int e = begin[k]; e < begin[k + 1]; ++e) w[index[e]] -= value[e] * x;
  }
  /// x - (line k)' w.
  template <class T> T rest_of(T x, int k, const array<T>& w) const {
    return x - product(index, value, begin[k], begin[k + 1], w);
  }
};

}  // namespace plumbline::lp::detail
