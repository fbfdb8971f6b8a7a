#pragma once
/// byte_writer, byte_reader: how a codec (data/codec.hpp) writes an element as bytes, and reads it.

#include <plumbline/data/pool.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

namespace plumbline {

/// Where the elements of tensors are put, if not among the other bytes (shared/arena.hpp).
struct array_places {
  virtual ~array_places() = default;
  /// Puts an array elsewhere; returns a number that finds it again.
  virtual std::uint64_t put(const void* array, std::size_t bytes) = 0;
  /// The array of this number; `bytes` is its size, and other sizes are errors.
  virtual detail::pool_block get(std::uint64_t number, std::size_t bytes) = 0;
};

/// Appends to a vector of bytes, or only counts them.
class byte_writer {
 public:
  byte_writer() = default;
  /// `arrays`: where tensors' elements are put; null: among the others.
  explicit byte_writer(std::vector<std::uint8_t>& to, array_places* arrays = nullptr) : to_(&to), arrays_(arrays) {}
  /// The elements of a tensor.
  void array(const void* from, std::size_t n) {
    if (arrays_ == nullptr || n == 0) return raw(from, n);
    const auto number = arrays_->put(from, n);
    raw(&number, sizeof number);
  }
  void raw(const void* from, std::size_t n) {
    count_ += n;
    if (n == 0 || to_ == nullptr) return;
    const auto at = to_->size();
    to_->resize(at + n);
    std::memcpy(to_->data() + at, from, n);
  }

  std::size_t count() const { return count_; }

 private:
  std::vector<std::uint8_t>* to_ = nullptr;
  array_places* arrays_ = nullptr;
  std::size_t count_ = 0;
};

namespace detail {
/// At its end, a buffer that is used again gives back the memory of a large element.
struct release_large {
  std::vector<std::uint8_t>& bytes;
  ~release_large() {
    if (bytes.capacity() > (std::size_t{16} << 20)) std::vector<std::uint8_t>().swap(bytes);
  }
};
}  // namespace detail

/// Reads bytes in order. Throws std::runtime_error where they end before the element does.
class byte_reader {
 public:
  byte_reader(const std::uint8_t* from, std::size_t n, array_places* arrays = nullptr)
      : from_(from), left_(n), arrays_(arrays) {}
  /// What byte_writer::array wrote.
  detail::pool_block array(std::size_t n) {
    if (arrays_ != nullptr && n != 0) {
      std::uint64_t number = 0;
      raw(&number, sizeof number);
      return arrays_->get(number, n);
    }
    need(n);
    detail::pool_block to(n);
    raw(to.get(), n);
    return to;
  }
  void raw(void* to, std::size_t n) {
    need(n);
    if (n != 0) std::memcpy(to, from_, n);
    from_ += n, left_ -= n;
  }
  /// The next n bytes, where they are.
  const std::uint8_t* bytes(std::size_t n) {
    need(n);
    left_ -= n;
    return std::exchange(from_, from_ + n);
  }
  /// A count of things that have at least `each` bytes.
  std::size_t count(std::size_t each) {
    std::uint64_t n = 0;
    raw(&n, sizeof n);
    if (each != 0 && n > left_ / each) need(left_ + 1);
    return static_cast<std::size_t>(n);
  }
  std::size_t left() const { return left_; }

 private:
  void need(std::size_t n) const {
    if (n > left_) throw std::runtime_error("a stored element is shorter than its type");
  }
  const std::uint8_t* from_;
  std::size_t left_;
  array_places* arrays_;
};

}  // namespace plumbline
