#pragma once
/// peeking: an upstream whose elements can be inspected before they are taken. Its end and its error keep their places
/// behind the elements that wait. For a cursor that reads several streams, or takes less than one gives at once.

#include <plumbline/core/kernel.hpp>
#include <plumbline/core/state.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <tuple>
#include <utility>

namespace plumbline::detail {

template <class Up> class peeking {
 public:
  using element = typename Up::element;

  explicit peeking(Up up) : up_(std::move(up)) {}
  peeking(peeking&&) = default;  // not copied: waiting elements may be move-only
  void begin(std::uint64_t epoch) {
    waiting_.clear();
    error_ = nullptr;
    ended_ = false;
    try {
      up_.begin(epoch);
    } catch (...) {  // an error like any other: it is thrown when the first element is needed
      error_ = std::current_exception();
    }
  }
  void leave() {
    waiting_.clear();
    if (!std::exchange(ended_, true)) up_.leave();
  }

  bool has() const { return !waiting_.empty(); }
  /// Requires has().
  item<element>& front() { return waiting_.front(); }
  void pop() { waiting_.pop_front(); }
  /// True if nothing waits and nothing more will come.
  bool over() const { return ended_ && !has(); }
  /// True if there is an error, perhaps behind elements that wait.
  bool fails() const { return error_ != nullptr; }
  /// The error if nothing waits before it, else null.
  std::exception_ptr error() const { return has() ? nullptr : error_; }

  /// Asks the upstream for more.
  pump_result look(std::size_t budget) {
    if (error_) return pump_result::more;
    if (ended_) return pump_result::ended;
    try {
      const auto p = up_.pump([&](element&& x, const lineage& at) { waiting_.push_back({std::move(x), at}); }, budget);
      ended_ = p == pump_result::ended;
      return p;
    } catch (...) {
      error_ = std::current_exception();
      return pump_result::more;
    }
  }
  /// Passes on at most `budget` elements, however many the upstream gives at once. The upstream's error is thrown by
  /// the call that finds nothing waiting before it.
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    if (const auto e = error()) std::rethrow_exception(e);
    bool in_sink = false;
    const auto give = [&](element&& x, const lineage& at) {
      --budget;
      in_sink = true;
      sink(std::move(x), at);
      in_sink = false;
    };
    for (; budget != 0 && has(); pop()) give(std::move(front().value), front().at);
    if (has() || error_) return pump_result::more;
    if (ended_) return pump_result::ended;
    if (budget == 0) return pump_result::more;
    try {
      const auto p = up_.pump(
          [&](element&& x, const lineage& at) {
            if (budget != 0)
              give(std::move(x), at);
            else
              waiting_.push_back({std::move(x), at});
          },
          budget);
      ended_ = p == pump_result::ended;
      return ended_ && has() ? pump_result::more : p;
    } catch (...) {
      if (in_sink) throw;
      error_ = std::current_exception();
      return pump_result::more;
    }
  }
  template <class Io> void state(Io& io) {
    if constexpr (Io::loads)
      error_ = nullptr;
    else if (error_)
      return io.not_now();
    io(ended_, waiting_);
    if (!ended_) io(up_);
  }

 private:
  Up up_;
  std::deque<item<element>> waiting_{};
  std::exception_ptr error_{};
  bool ended_ = true;
};

/// For an operator that is about to leave its streams: asks those that want it (`wants_end`) and have nothing waiting
/// whether they are at their end. Returns `ended` when that is known of all; until then it is to be called again.
template <class... Ups> pump_result see_ends(std::tuple<peeking<Ups>...>& streams) {
  auto all = pump_result::ended;
  const auto see = [&]<class Up>(peeking<Up>& s) {
    if constexpr (Up::traits.wants_end) {
      if (s.has() || s.over() || s.fails() || all != pump_result::ended) return;
      const auto p = s.look(1);
      if (!s.has() && !s.fails()) all = p;
    }
  };
  std::apply([&](auto&... s) { (see(s), ...); }, streams);
  return all;
}

}  // namespace plumbline::detail
