#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include <plumbline/data/tensor.hpp>

namespace plumbline::detail {

/// n slots for arrays of one shape, which is not known before the first array arrives: whoever brings it allocates
/// for all. put() may be called from many threads at once for different slots and takes no lock after the first.
template <class T> class tensor_slots {
 public:
  explicit tensor_slots(std::size_t n) noexcept : capacity_(n) {}

  void put(std::size_t slot, const T* data, const shape& element) {
    if (!ready_.load(std::memory_order_acquire)) allocate(element);
    if (element != element_) {
      throw shape_mismatch("plumbline: batch got an element of shape " + to_string(element) + " after one of shape " +
                           to_string(element_) + "; make them equal before it, for example with map(resize<H, W>())");
    }
    const std::size_t count = element_count_;
    std::copy_n(data, count, values_.data() + slot * count);
  }

  tensor<T> finish(std::size_t filled) && {
    if (ready_.load(std::memory_order_acquire)) values_.truncate_front(filled);
    return std::move(values_);
  }

 private:
  void allocate(const shape& element) {
    const std::lock_guard lock(guard_);
    if (ready_.load(std::memory_order_relaxed)) return;
    values_ = tensor<T>::uninitialized(element.stacked(capacity_));
    element_ = element;
    element_count_ = element.count();
    ready_.store(true, std::memory_order_release);
  }

  std::atomic<bool> ready_ = false;
  std::size_t element_count_ = 0;
  shape element_;
  tensor<T> values_;
  std::size_t capacity_;
  std::mutex guard_;
};

}  // namespace plumbline::detail
