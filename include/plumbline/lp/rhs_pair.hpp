#pragma once
/// rhs_pair: two values that go through the same operations. Solving for two right-hand sides at once costs little more
/// than for one: the indices are read once, and the arithmetic is one instruction for both.

namespace plumbline::lp::detail {

struct rhs_pair {
  double a = 0, b = 0;
  rhs_pair& operator+=(rhs_pair x) {
    a += x.a;
    b += x.b;
    return *this;
  }
  rhs_pair& operator-=(rhs_pair x) {
    a -= x.a;
    b -= x.b;
    return *this;
  }
  friend rhs_pair operator+(rhs_pair x, rhs_pair y) { return x += y; }
  friend rhs_pair operator-(rhs_pair x, rhs_pair y) { return x -= y; }
  friend rhs_pair operator*(double k, rhs_pair x) { return {k * x.a, k * x.b}; }
  friend rhs_pair operator/(rhs_pair x, double k) { return {x.a / k, x.b / k}; }
  friend bool operator==(rhs_pair, rhs_pair) = default;
};

}  // namespace plumbline::lp::detail
