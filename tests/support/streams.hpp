#pragma once
// Sources and operators that many tests use.

#include <plumbline/core/chain.hpp>
#include <plumbline/sources.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace plumbline_test {

namespace pl = plumbline;

// 0, ..., n - 1, one after another: not indexed.
inline auto serial(std::int64_t n) {
  return pl::generate([n, i = std::int64_t{0}]() mutable -> std::optional<std::int64_t> {
    return i < n ? std::optional(i++) : std::nullopt;
  });
}
// 0, 1, ...
inline auto serial_endless() {
  return pl::generate([i = std::int64_t{0}]() mutable { return std::optional(i++); });
}

// 0, ..., n - 1 from a source that blocks for `pause` at each element: runs on I/O threads.
struct waiting_source : pl::source_base {
  using element = std::int64_t;
  static constexpr std::string_view name = "waiting";
  static constexpr bool blocking = true;
  static constexpr pl::stream_facts type_facts{.blocking = true};
  std::int64_t n;
  std::chrono::microseconds pause;

  pl::stream_facts facts() const {
    auto f = type_facts;
    f.count = pl::cardinality::exactly(static_cast<std::uint64_t>(n));
    return f;
  }
  struct reader {
    std::int64_t n;
    std::chrono::microseconds pause;
    std::int64_t i = 0;
    std::optional<std::int64_t> next() {
      if (i == n) return std::nullopt;
      if (pause.count() != 0) std::this_thread::sleep_for(pause);
      return i++;
    }
  };
  reader open(std::uint64_t) const { return {n, pause}; }
};
inline auto waiting(std::int64_t n, std::chrono::microseconds pause = {}) {
  return pl::from(waiting_source{{}, n, pause});
}

// f of every element, by an operator that blocks like a read: runs on I/O threads.
template <class F> struct reads_op : pl::op_base {
  static constexpr std::string_view name = "reads";
  static constexpr bool blocking = true;
  F f;
  template <class In> In transform(const pl::element_context&, In&& x) const { return f(std::move(x)); }
};
template <class F> auto reads(F f) { return reads_op<F>{{}, std::move(f)}; }

}  // namespace plumbline_test
