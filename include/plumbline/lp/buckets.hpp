#pragma once
/// buckets: lines grouped by their number of entries, in doubly linked lists, so that the shortest are found at once.

#include <plumbline/lp/array.hpp>

namespace plumbline::lp::detail {

struct buckets {
  array<int> first{}, next{}, previous{}, at{};
  void reserve(int n) {
    for (auto* ints : {&first, &next, &previous, &at}) ints->reserve(n + 1);
  }
  void clear(int lines, int most) {
    first.assign(most + 1, -1);
    next.assign(lines, -1);
    previous.assign(lines, -1);
    at.assign(lines, -1);
  }
  void put(int i, int count) {
    at[i] = count;
    previous[i] = -1;
    next[i] = first[count];
    if (next[i] >= 0) previous[next[i]] = i;
    first[count] = i;
  }
  void take(int i) {
    if (at[i] < 0) return;
    if (previous[i] >= 0)
      next[previous[i]] = next[i];
    else
      first[at[i]] = next[i];
    if (next[i] >= 0) previous[next[i]] = previous[i];
    at[i] = -1;
  }
  void move(int i, int count) {
    if (at[i] < 0 || at[i] == count) return;
    take(i);
    put(i, count);
  }
};

}  // namespace plumbline::lp::detail
