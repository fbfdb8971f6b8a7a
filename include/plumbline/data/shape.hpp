#pragma once
#include <plumbline/core/compiled.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>

namespace plumbline {

/// The extents of an array, outermost first; at most eight, stored inline. Also used for strides.
///   shape{32, 224, 224, 3}
/// shape{} has rank 0 and one element (a scalar).
class shape {
 public:
  static constexpr std::size_t max_rank = 8;

  constexpr shape() noexcept = default;

  /// Throws std::length_error for more than max_rank extents.
  constexpr shape(std::initializer_list<std::size_t> extents) {
    for (const std::size_t e : extents) push_back(e);
  }

  constexpr std::size_t rank() const noexcept { return rank_; }
  constexpr std::size_t operator[](std::size_t i) const noexcept { return extents_[i]; }
  constexpr std::size_t& operator[](std::size_t i) noexcept { return extents_[i]; }
  constexpr const std::size_t* begin() const noexcept { return extents_.data(); }
  constexpr const std::size_t* end() const noexcept { return extents_.data() + rank_; }

  /// The number of elements: the product of the extents. Throws std::length_error if it does not fit.
  constexpr std::size_t count() const {
    std::size_t n = 1;
    bool zero = false;
    for (const std::size_t e : *this) zero = zero || e == 0;
    if (zero) return 0;
    for (const std::size_t e : *this) {
      if (n > std::numeric_limits<std::size_t>::max() / e)
        throw std::length_error("plumbline: shape has too many elements");
      n *= e;
    }
    return n;
  }

  /// Appends an inner extent.
  constexpr void push_back(std::size_t extent) {
    if (rank_ == max_rank) throw std::length_error("plumbline: shape has more than 8 dimensions");
    extents_[rank_++] = extent;
  }

  /// The shape of one sub-array: without the first extent. Needs rank() >= 1.
  constexpr shape inner() const {
    shape s;
    for (std::size_t i = 1; i < rank_; ++i) s.push_back(extents_[i]);
    return s;
  }

  /// The shape of n such arrays stacked: [n, ...].
  constexpr shape stacked(std::size_t n) const {
    shape s{n};
    for (const std::size_t e : *this) s.push_back(e);
    return s;
  }

  /// Row-major strides in elements, for example [12, 4, 1] for the shape [2, 3, 4].
  constexpr shape row_major_strides() const noexcept {
    shape s = *this;
    std::size_t step = 1;
    for (std::size_t i = rank_; i-- > 0;) {
      s.extents_[i] = step;
      step *= extents_[i];
    }
    return s;
  }

  friend constexpr bool operator==(const shape& a, const shape& b) noexcept {
    if (a.rank_ != b.rank_) return false;
    for (std::size_t i = 0; i < a.rank_; ++i) {
      if (a.extents_[i] != b.extents_[i]) return false;
    }
    return true;
  }

 private:
  std::array<std::size_t, max_rank> extents_{};
  std::size_t rank_ = 0;
};

/// "[32, 224, 224, 3]"
std::string to_string(const shape& s);

/// Thrown when an array does not have the required shape. what() names the shapes and what to do.
class shape_mismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {
/// Throws shape_mismatch unless an array of this shape has one dimension: it is iterated over.
void check_iterable(const shape& s);
}  // namespace detail

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/data/shape_inl.hpp>
#endif
