#pragma once
/// polled_stream<T>: takes from a stream without waiting, and is notified when elements come.

#include <plumbline/exec/stream.hpp>

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace plumbline::detail {

template <class T> struct polled_stream {
  stream<T>& s;
  /// True if elements are made on threads of the run; else next() makes them.
  bool has_threads() const { return s.self().run->has_threads(); }
  /// Calls f, which must not wait, on a thread of the run, each time that elements have come. Before the first epoch.
  void on_arrival(std::function<void()> f) const { s.self().run->on_arrival(std::move(f)); }
  /// As stream::next(), in an epoch that has begun; `pending`: set, with nothing, if the element has not come yet.
  std::optional<T> next(bool& pending) const {
    auto& own = s.self();
    const std::scoped_lock lock(own.mutex);
    auto* x = own.advance(&pending);
    return x == nullptr ? std::nullopt : std::optional<T>(std::move(*x));
  }
};

}  // namespace plumbline::detail
