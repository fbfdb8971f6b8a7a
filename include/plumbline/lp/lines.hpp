#pragma once
/// lines: sparse rows or columns whose entries can be added and removed, each a slice of one array. A line that
/// outgrows its slice moves to the end.

#include <plumbline/lp/array.hpp>

namespace plumbline::lp::detail {

struct lines {
  array<int> begin{}, count{}, room{}, index{};
  array<double> value{};
  bool valued = false;

  void reserve(int n, int entries) {
    for (auto* ints : {&begin, &count, &room}) ints->reserve(n);
    index.reserve(entries);
    if (valued) value.reserve(entries);
  }
  int end(int i) const { return begin[i] + count[i]; }
  /// Searches from the end, as the wanted entry is mostly among the last ones added.
  int find(int i, int what) const {
    int e = end(i) - 1;
    while (index[e] != what) --e;
    return e;
  }
  void remove(int i, int at) {
    const int last = begin[i] + --count[i];
    index[at] = index[last];
    if (valued) value[at] = value[last];
  }
  void push(int i, int what, double x) {
    if (count[i] == room[i]) {
      const int from = begin[i];
      begin[i] = index.size();
      room[i] = 2 * room[i] + 4;
      index.resize(begin[i] + room[i]);
      if (valued) value.resize(begin[i] + room[i]);
      for (int e = 0; e < count[i]; ++e) {
        index[begin[i] + e] = index[from + e];
        if (valued) value[begin[i] + e] = value[from + e];
      }
    }
    const int at = begin[i] + count[i]++;
    index[at] = what;
    if (valued) value[at] = x;
  }
  /// Builds the lines from triples: line name[e] gets index other[e] with value x[e].
  void build(int n, const array<int>& name, const array<int>& other, const array<double>& x) {
    count.assign(n, 0);
    begin.resize(n);
    room.resize(n);
    for (const int i : name) ++count[i];
    int at = 0;
    for (int i = 0; i < n; ++i) {
      begin[i] = at;
      room[i] = count[i];
      at += count[i];
      count[i] = 0;
    }
    index.resize(at);
    if (valued) value.resize(at);
    for (int e = 0; e < name.size(); ++e) push(name[e], other[e], x[e]);
  }
};

}  // namespace plumbline::lp::detail
