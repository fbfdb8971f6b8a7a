#pragma once
// What the generated chains (generate_chains.py) are made of, and how each is held to the laws.

#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <catch2/catch.hpp>

#include <concepts>
#include <string>
#include <vector>

namespace plumbline_test {

// A number that fits wherever an operator wants one.
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

inline std::uint64_t u(std::int64_t x) { return static_cast<std::uint64_t>(x); }
inline std::vector<std::int64_t> numbers(std::int64_t n) {
  std::vector<std::int64_t> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i != v.size(); ++i) v[i] = static_cast<std::int64_t>(i * i % 101);
  return v;
}
inline auto times(std::int64_t k) {
  return [k](std::int64_t x) { return x * k + 1; };
}
inline auto noise(std::int64_t k) {
  return
      [k](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(static_cast<std::uint64_t>(k))); };
}
inline auto not_multiple(std::int64_t k) {
  return [k](std::int64_t x) { return x % k != 0; };
}
inline constexpr auto by_number = [](std::uint64_t i) { return static_cast<std::int64_t>(i * 7 % 53); };
inline constexpr auto folded = [](std::pair<std::uint64_t, std::int64_t> x) {
  return static_cast<std::int64_t>(x.first) * 1000 + x.second % 1000;
};
inline constexpr auto both = [](std::tuple<std::int64_t, std::int64_t> x) {
  return std::get<0>(x) * 31 + std::get<1>(x);
};
inline constexpr auto total = [](const pl::tensor<std::int64_t>& b) {
  std::int64_t sum = 0;
  for (const auto x : b.span()) sum = sum * 3 + x;
  return sum;
};
inline constexpr auto as_text = [](std::int64_t x) {
  return std::string(static_cast<std::size_t>((x % 7 + 7) % 7), 'x');
};
inline constexpr auto lengths = [](const std::vector<std::string>& b) {
  std::vector<std::int64_t> out;
  for (const auto& s : b) out.push_back(static_cast<std::int64_t>(s.size()));
  return out;
};
inline constexpr auto some_of = [](std::int64_t x) {
  return std::vector<std::int64_t>(static_cast<std::size_t>((x % 3 + 3) % 3), x);
};
inline constexpr auto few_of = [](std::int64_t x) { return pl::range((x % 4 + 4) % 4) | pl::map(times(x)); };

template <class Make> void chain_laws(int number, int sets, const char* text, Make make) {
  for (int set = 0; set != sets; ++set) {
    INFO("chain " << number << ", parameters " << set << ": " << text);
    op_laws(make(parameters(pl::mix(static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(set)))),
            {.limit = 300, .seed = 7, .differs_by_seed = false});
  }
}

}  // namespace plumbline_test
