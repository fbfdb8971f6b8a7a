#pragma once
/// The solver's storage: a vector with int positions that never gives memory back, and a vector that knows where it is
/// not zero. Both live as long as their solver, so that solving again allocates nothing.

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace plumbline::lp::detail {

template <class T> class array {
 public:
  T& operator[](int i) { return v_[static_cast<std::size_t>(i)]; }
  const T& operator[](int i) const { return v_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(v_.size()); }
  bool empty() const { return v_.empty(); }
  void reserve(int n) { v_.reserve(static_cast<std::size_t>(n)); }
  void resize(int n) { v_.resize(static_cast<std::size_t>(n)); }
  void assign(int n, T x) { v_.assign(static_cast<std::size_t>(n), x); }
  void copy(const array& other) { v_.assign(other.v_.begin(), other.v_.end()); }
  void push(T x) { v_.push_back(x); }
  T pop() {
    T last = v_.back();
    v_.pop_back();
    return last;
  }
  void clear() { v_.clear(); }
  T* data() { return v_.data(); }
  const T* data() const { return v_.data(); }
  auto begin() { return v_.begin(); }
  auto end() { return v_.end(); }
  auto begin() const { return v_.begin(); }
  auto end() const { return v_.end(); }
  void swap(array& other) { v_.swap(other.v_); }

 private:
  std::vector<T> v_;
};

/// A dense vector with the list of its places that may not be zero. Whoever writes to `value` ends with pack().
struct work_vector {
  array<double> value;
  array<int> index;

  void resize(int n) {
    value.assign(n, 0.0);
    index.clear();
    index.reserve(n);
  }
  /// All zero again, in time proportional to what is not.
  void clear() {
    for (const int i : index) value[i] = 0;
    index.clear();
  }
  /// Lists what is larger than rounding noise and zeroes the rest.
  void pack(double noise = 1e-14) {
    index.clear();
    const int n = value.size();
    for (int i = 0; i < n; ++i) {
      if (value[i] == 0) continue;
      if (std::abs(value[i]) > noise) {
        index.push(i);
      } else if (std::isnan(value[i])) {
        index.push(i);  // is seen, and told, by who looks at the numbers
      } else {
        value[i] = 0;
      }
    }
  }
  double density() const { return value.empty() ? 0.0 : static_cast<double>(index.size()) / value.size(); }
};

}  // namespace plumbline::lp::detail
