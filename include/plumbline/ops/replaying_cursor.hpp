#pragma once
/// replaying_cursor: how a cache works over a stream that is not indexed. The first epoch that is read to its end is
/// kept in its order, and later ones are read from there. A run that is stopped cuts streams anywhere, which looks like
/// their end: it keeps nothing from then on.

#include <plumbline/core/failure.hpp>
#include <plumbline/core/kernel.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// An element with the epoch of the stream in which it was kept.
template <class T> struct kept_element {
  T value;
  lineage at{};
  std::uint64_t epoch = 0;
};

/// `Sequence` keeps the elements of an epoch: whole() -> how many it has, once all are kept; begin(), which forgets
/// those of an unfinished epoch, if it must; keep(position, x, lineage, epoch); finish(n); read(position) ->
/// kept_element; place(position), its lineage for errors.
template <class Up, class Sequence> class replaying_cursor {
 public:
  using element = typename Up::element;
  static constexpr cursor_traits traits{.wants_end = true};

  replaying_cursor(std::string_view name, const replay_context& cx, Sequence kept, Up up)
      : name_(name), cx_(cx), kept_(std::move(kept)), up_(std::move(up)) {}

  void begin(std::uint64_t epoch) {
    next_ = unwanted_ = 0;
    epoch_ = epoch;
    if ((whole_ = kept_.whole())) return;
    kept_.begin();
    up_.begin(epoch);
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    if (whole_) {
      for (const auto stop = next_ + std::min<std::uint64_t>(budget, *whole_ - next_); next_ != stop; ++next_) {
        auto x = own(kept_.place(next_), [&] { return kept_.read(next_); });
        x.at.epoch += (epoch_ - x.epoch) * (*cx_.rounds)[x.at.source_index];
        sink(std::move(x.value), x.at);
      }
      return next_ == *whole_ ? end() : pump_result::more;
    }
    const auto p = up_.pump(
        [&](element&& x, const lineage& at) {
          if (!stopped()) own(at, [&] { kept_.keep(next_, x, at, epoch_); });
          ++next_;
          if (unwanted_ == 0)
            sink(std::move(x), at);
          else
            --unwanted_;
        },
        budget);
    if (p != pump_result::ended || stopped()) return p;
    own({}, [&] { kept_.finish(next_); });
    whole_ = next_;
    return end();
  }
  void leave() {
    if (!whole_) up_.leave();
  }
  /// The kept elements are not saved: they are made again.
  template <class Io> void state(Io& io) {
    std::uint64_t given = next_ + unwanted_;
    io(epoch_, given);
    if constexpr (Io::loads) {
      begin(epoch_);
      if (whole_) next_ = std::min(given, *whole_);
      unwanted_ = given - next_;
    }
  }

 private:
  pump_result end() const {
    if (unwanted_ != 0) throw fewer_than_saved(cx_.op, name_);
    return pump_result::ended;
  }
  bool stopped() const { return cx_.stop->load(std::memory_order_relaxed); }
  template <class F> auto own(const lineage& at, F&& f) const { return guarded(name_, cx_.op, at, f); }
  std::string_view name_;
  replay_context cx_;
  Sequence kept_;
  Up up_;
  std::optional<std::uint64_t> whole_{};
  std::uint64_t next_ = 0;      ///< the position of the next element, made or read
  std::uint64_t unwanted_ = 0;  ///< elements to come that were passed on before the state was saved
  std::uint64_t epoch_ = 0;
};

template <class T> class sequence_in_memory {
 public:
  std::optional<std::uint64_t> whole() const {
    return whole_ ? std::optional<std::uint64_t>(all_.size()) : std::nullopt;
  }
  void begin() { all_.clear(); }
  void keep(std::uint64_t, const T& x, const lineage& at, std::uint64_t epoch) { all_.push_back({x, at, epoch}); }
  void finish(std::uint64_t) { whole_ = true; }
  lineage place(std::uint64_t i) const { return all_[static_cast<std::size_t>(i)].at; }
  kept_element<T> read(std::uint64_t i) const { return all_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<kept_element<T>> all_;
  bool whole_ = false;
};

}  // namespace plumbline::detail
