#pragma once
/// two: two numbers that go through the same steps. Solving for two right sides at once costs little more than for one:
/// the positions are read once, and the arithmetic is one instruction for both.

namespace plumbline::lp::detail {

struct two {
  double a = 0, b = 0;
  two& operator+=(two x) {
    a += x.a;
    b += x.b;
    return *this;
  }
  two& operator-=(two x) {
    a -= x.a;
    b -= x.b;
    return *this;
  }
  friend two operator+(two x, two y) { return x += y; }
  friend two operator-(two x, two y) { return x -= y; }
  friend two operator*(double k, two x) { return {k * x.a, k * x.b}; }
  friend two operator/(two x, double k) { return {x.a / k, x.b / k}; }
  friend bool operator==(two, two) = default;
};

}  // namespace plumbline::lp::detail
