#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <plumbline/data/tensor.hpp>

namespace plumbline::detail {

/// n slots for arrays of one shape, which is not known until the first array arrives: the thread that puts it allocates
/// all slots. put() may be called from many threads at once for different slots and takes no lock after the first.
template <class T> class tensor_slots {
 public:
  explicit tensor_slots(std::size_t n) noexcept : capacity_(n) {}

  void put(std::size_t slot, const T* data, const shape& element) {
    if (!ready_.load(std::memory_order_acquire)) allocate(element);
    if (element == element_) {
      const std::size_t count = element_count_;
      std::copy_n(data, count, values_.data() + slot * count);
    } else {
      const std::lock_guard lock(guard_);
      others_.emplace_back(slot, element);
    }
  }
  /// The first slot whose array has another shape than that of slot 0, whichever came first; `filled` if there is none.
  std::size_t misfit(std::size_t filled) const {
    std::size_t slot = filled;
    if (!others_.empty())
      for (slot = 1; slot < filled && shape_of(slot) == shape_of(0);) ++slot;
    return std::min(slot, filled);
  }
  /// Throws shape_mismatch if the arrays have different shapes.
  tensor<T> finish(std::size_t filled) && {
    if (const auto slot = misfit(filled); slot < filled)
      throw shape_mismatch("plumbline: the elements of a batch have different shapes: the first has " +
                           to_string(shape_of(0)) + ", the one at position " + std::to_string(slot) + " has " +
                           to_string(shape_of(slot)) + "; make them equal first, for example with map(resize<H, W>())");
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

  const shape& shape_of(std::size_t slot) const {
    const auto other = std::find_if(others_.begin(), others_.end(), [&](const auto& o) { return o.first == slot; });
    return other == others_.end() ? element_ : other->second;
  }

  std::atomic<bool> ready_ = false;
  std::size_t element_count_ = 0;
  shape element_;
  tensor<T> values_;
  std::size_t capacity_;
  std::mutex guard_;
  std::vector<std::pair<std::size_t, shape>> others_;  ///< slots whose array has another shape than element_
};

}  // namespace plumbline::detail
