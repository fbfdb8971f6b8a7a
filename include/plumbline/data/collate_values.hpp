#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <plumbline/data/collator.hpp>
#include <plumbline/data/tensor.hpp>
#include <plumbline/data/tensor_slots.hpp>

/// Batches of single values: numbers, arrays, text. See data/collate.hpp.
namespace plumbline {

template <detail::scalar T> struct collator<T> {
  using stored = typename detail::stored_scalar<T>::type;
  using batch_type = tensor<stored>;

  explicit collator(std::size_t n) : values_(batch_type::uninitialized({n})), data_(values_.data()) {}
  void put(std::size_t slot, T x) noexcept { data_[slot] = static_cast<stored>(x); }
  /// Fills consecutive slots at once. Optional for a collator.
  void put_all(std::size_t slot, std::span<const T> xs) noexcept {
    std::transform(xs.begin(), xs.end(), data_ + slot, [](T x) { return static_cast<stored>(x); });
  }
  batch_type finish(std::size_t filled) && noexcept { return std::move(values_.truncate_front(filled)); }

 private:
  batch_type values_;
  stored* data_;
};

template <class T, std::size_t... E> struct collator<fixed_tensor<T, E...>> {
  using batch_type = tensor<T>;

  explicit collator(std::size_t n) : values_(batch_type::uninitialized({n, E...})), data_(values_.data()) {}
  void put(std::size_t slot, const fixed_tensor<T, E...>& x) noexcept {
    std::copy_n(x.data(), x.size(), data_ + slot * x.size());
  }
  batch_type finish(std::size_t filled) && noexcept { return std::move(values_.truncate_front(filled)); }

 private:
  batch_type values_;
  T* data_;
};

template <class T> struct collator<tensor<T>> {
  using batch_type = tensor<T>;

  explicit collator(std::size_t n) : slots_(n) {}
  void put(std::size_t slot, const tensor<T>& x) { slots_.put(slot, x.data(), x.shape()); }
  std::size_t misfit(std::size_t filled) const { return slots_.misfit(filled); }
  /// Throws shape_mismatch if the elements have different shapes.
  batch_type finish(std::size_t filled) && { return std::move(slots_).finish(filled); }

 private:
  detail::tensor_slots<T> slots_;
};

namespace detail {
template <class T> struct is_text : std::is_same<T, std::string> {};
template <class T> struct is_text<std::vector<T>> : is_text<T> {};
}  // namespace detail

template <class T>
requires detail::is_text<T>::value struct collator<T> {
  using batch_type = std::vector<T>;

  explicit collator(std::size_t n) : values_(n) {}
  void put(std::size_t slot, T&& x) noexcept { values_[slot] = std::move(x); }
  batch_type finish(std::size_t filled) && {
    if (filled < values_.size()) values_.resize(filled);
    return std::move(values_);
  }

 private:
  batch_type values_;
};

template <detail::scalar T, std::size_t K> struct collator<std::array<T, K>> {
  using stored = typename detail::stored_scalar<T>::type;
  using batch_type = tensor<stored>;

  explicit collator(std::size_t n) : values_(batch_type::uninitialized({n, K})), data_(values_.data()) {}
  void put(std::size_t slot, const std::array<T, K>& x) noexcept {
    for (std::size_t i = 0; i < K; ++i) data_[slot * K + i] = static_cast<stored>(x[i]);
  }
  batch_type finish(std::size_t filled) && noexcept { return std::move(values_.truncate_front(filled)); }

 private:
  batch_type values_;
  stored* data_;
};

}  // namespace plumbline
