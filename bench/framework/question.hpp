#pragma once
/// The overhead of the library per element. Contenders do the same arithmetic on the same integers and pass the same
/// batches to the same consumer; only what moves the elements differs. Each contender is one file here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace framework {

using element = std::int64_t;
inline constexpr std::size_t batch_size = 256;

/// Settings that main fixes before anything runs.
struct settings {
  element elements = 0;       ///< per round of a cheap task
  element slow_elements = 0;  ///< per round of the task whose elements take a microsecond
  std::uint64_t spins = 0;    ///< iterations in `work` that take a microsecond
};
inline settings& now() {
  static settings s;
  return s;
}

/// Returns x, hidden from the compiler so that it cannot simplify the functions below.
[[gnu::noinline]] inline element unknown(element x) {
  volatile element hidden = x;
  return hidden;
}
struct add {
  element by = unknown(3);
  element operator()(element x) const { return x + by; }
};
struct multiply {
  element by = unknown(5);
  element operator()(element x) const { return x * by; }
};
struct flip {
  element by = unknown(0x55);
  element operator()(element x) const { return x ^ by; }
};
struct subtract {
  element by = unknown(7);
  element operator()(element x) const { return x - by; }
};
/// Keeps seven of eight.
struct keep {
  element mask = unknown(7);
  bool operator()(element x) const { return (x & mask) != 0; }
};
/// Keeps about half of the elements, in a pattern that a branch predictor cannot learn.
struct keep_half {
  bool operator()(element x) const {
    auto v = static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15U;
    v = (v ^ (v >> 32)) * 0xd6e8feb86659fd93U;
    return v >> 63 != 0;
  }
};
struct keep_all {
  element least = unknown(-1);
  bool operator()(element x) const { return x > least; }
};

/// About a microsecond of arithmetic in which each step depends on the previous one.
[[gnu::noinline]] inline element work(element x) {
  auto v = static_cast<std::uint64_t>(x);
  for (std::uint64_t i = now().spins; i != 0; --i) v = v * 6364136223846793005U + 1442695040888963407U;
  return static_cast<element>(v);
}

/// The consumer of a batch.
[[gnu::noinline]] inline std::uint64_t sum(std::span<const element> batch) {
  std::uint64_t s = 0;
  for (const element x : batch) s += static_cast<std::uint64_t>(x);
  return s;
}

/// One contender at one task. `run` processes all elements and returns the sum of what the consumer received, which
/// must be the same for all contenders at the task.
struct entry {
  std::string task, who;
  std::function<std::uint64_t()> run;
};
inline std::vector<entry>& entries() {
  static std::vector<entry> all;
  return all;
}
/// `const bool entered = enter({...})` at file scope registers a contender's entries.
inline bool enter(std::vector<entry> some) {
  for (auto& e : some) entries().push_back(std::move(e));
  return true;
}

namespace task {
inline constexpr const char* chain = "range | map x 4 | filter | batch(256)";
inline constexpr const char* slow = "range | map(1 us of work) | batch(256)";
inline constexpr const char* batch = "range | batch(256)";
inline constexpr const char* half = "range | filter(one of two, no pattern) | batch(256)";
inline constexpr const char* one_by_one = "range | map, one element at a time";
inline constexpr const char* serial = "range | filter | take (serial) | filter | batch(256)";
inline constexpr const char* shuffle_buffer = "range | shuffle(10000, seed) | batch(256)";
inline constexpr const char* shuffle = "range | shuffle(seed) | batch(256)";
inline constexpr const char* repeat = "range | repeat(64) | batch(256)";
inline constexpr const char* repeat_serial = "range | filter | repeat(64) | batch(256)";
inline constexpr const char* zip = "zip(range, range) | map | batch(256)";
inline constexpr const char* zip_serial = "zip(range | filter, range | filter) | map | batch(256)";
inline constexpr const char* interleave = "range | interleave(range(1000), 4 open) | batch(256)";
/// The tasks without a target, measured after the two that have one.
inline constexpr std::array others{batch,  half,          one_by_one, serial,     shuffle_buffer, shuffle,
                                   repeat, repeat_serial, zip,        zip_serial, interleave};
}  // namespace task

}  // namespace framework
