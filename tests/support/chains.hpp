#pragma once
// What the generated chains (generate_chains.py) share, and how each is checked against the laws. The reference of each
// operator says how it occurs in them.

#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <catch2/catch.hpp>

#include <concepts>
#include <string>
#include <vector>

namespace plumbline_test::chains {

// A number that converts to any integer type.
struct any_number {
  std::int64_t value;
  template <std::integral T> operator T() const { return static_cast<T>(value); }
};

// q(lo, hi): the next parameter of a chain, the same on every machine.
class parameters {
 public:
  explicit parameters(std::uint64_t key) : random_(key) {}
  any_number operator()(std::int64_t lo, std::int64_t hi) {
    const auto x = lo + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(hi - lo + 1)));
    shown += (shown.empty() ? "" : ", ") + std::to_string(x);
    return {x};
  }
  std::string shown;

 private:
  pl::rng random_;
};

inline std::vector<std::int64_t> numbers(std::int64_t n) {
  std::vector<std::int64_t> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i != v.size(); ++i) v[i] = static_cast<std::int64_t>(i * i % 101);
  return v;
}
inline constexpr auto by_number = [](std::uint64_t i) { return static_cast<std::int64_t>(i * 7 % 53); };

template <class Make> void chain_laws(int number, int sets, const char* text, Make make) {
  for (int set = 0; set != sets; ++set) {
    INFO("chain " << number << ", parameters " << set << ": " << text);
    op_laws(make(parameters(pl::hash_combine(static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(set)))),
            {.limit = 300, .seed = 7, .differs_by_seed = false});
  }
}

}  // namespace plumbline_test::chains
