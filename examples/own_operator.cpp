// User-defined operators, one struct each. The struct defines what the operator does to the elements and, where that
// cannot be deduced, to their count and order. explain, the compile-time checks, the executor, traces and optimize
// treat it like the library's own operators. core/kernel.hpp lists the kinds of kernel; ops/ has more examples.
#include <plumbline/plumbline.hpp>

#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace pl = plumbline;

/// every(k): the first of every k elements. A serial kernel: one object per epoch, whose members are all of its state.
/// `state` lists the members that change, for stream::save() and load(); else load() replays the epoch from its start.
struct every_op : pl::op_base {
  static constexpr std::string_view name = "every";
  pl::size<pl::dynamic> n;
  static constexpr auto sizes = std::tuple(&every_op::n);  // the rule takes a cardinality for each
  template <class In> using output = In;
  static constexpr pl::stream_facts rule(pl::stream_facts in, pl::cardinality n) {
    in.count = grouped(in.count, n);
    return in;
  }
  template <class In> struct kernel {
    std::uint64_t n, since = 0;
    kernel(const every_op& op, const pl::stream_context&) : n(op.n.value()) {}
    void push(In&& x, const pl::lineage& at, auto&& emit) {
      if (since == 0) emit(std::move(x), at);
      since = (since + 1) % n;
    }
    template <class Io> void state(Io& io) { io(since); }
  };
};
constexpr auto every(std::uint64_t k) { return every_op{{}, {k}}; }

/// sum_by(n): the sum of every n consecutive elements; the last sum of an epoch may have fewer.
struct sum_by_op : every_op {
  static constexpr std::string_view name = "sum_by";
  template <class In> struct kernel {
    std::uint64_t n, held = 0;
    In sum{};
    pl::lineage first{};
    kernel(const sum_by_op& op, const pl::stream_context&) : n(op.n.value()) {}
    template <class Io> void state(Io& io) { io(held, sum, first); }
    void push(In&& x, const pl::lineage& at, auto&& emit) {
      if (held++ == 0) first = at;
      sum += x;
      if (held == n) finish(emit);
    }
    void finish(auto&& emit) {
      if (std::exchange(held, 0) != 0) emit(std::exchange(sum, In{}), first);
    }
  };
};
constexpr auto sum_by(std::uint64_t n) { return sum_by_op{{{}, {n}}}; }

/// tokens(): the words of each line. An element kernel is const and runs in parallel; this one emits several words.
struct tokens_op : pl::op_base {
  static constexpr std::string_view name = "tokens";
  template <class In> using output = std::string;
  template <class In> void expand(const pl::no_context&, In&& line, auto&& emit) const {
    std::istringstream words(std::move(line));
    for (std::string word; words >> word;)
      if (!emit(std::move(word))) return;  // the run was stopped
  }
};
constexpr auto tokens() { return tokens_op{}; }

/// checked(f): f of every element; drops only the elements for which f itself throws.
template <class F> struct checked_op : pl::op_base {
  static constexpr std::string_view name = "checked";
  F f;
  template <class In> using output = std::invoke_result_t<const F&, In>;
  template <class In> void expand(const pl::no_context&, In&& x, auto&& emit) const {
    std::optional<output<In>> made;
    try {
      made.emplace(f(std::move(x)));
    } catch (const std::exception&) {
      return;
    }
    emit(*std::move(made));
  }
};
template <class F> constexpr auto checked(F f) { return checked_op<F>{{}, std::move(f)}; }

int main() {
  const std::vector<std::string> lines{"1 2 three 4", "", "5 x 7 8 9"};
  const auto p = pl::elements(lines) | tokens() | checked([](const std::string& s) { return std::stol(s); }) |
                 sum_by(2) | every(2) | pl::batch<2>();
  std::cout << pl::explain(p) << '\n';
  for (const auto& batch : pl::run(p))
    for (const auto x : batch.span()) std::cout << x << ' ';
  std::cout << '\n';

  // saves the state after the first element; a second stream loads it and continues from there
  auto some = pl::run(pl::range(12) | sum_by(2) | every(2));
  std::cout << *some.next() << ", then ";
  auto rest = pl::run(pl::range(12) | sum_by(2) | every(2), {.threads = 1});
  rest.load(some.save());
  for (const auto x : rest) std::cout << x << ' ';
  std::cout << '\n';

  // an exception from another operator is that operator's failure: checked() does not catch it
  const auto strict = pl::range(5) | checked([](std::int64_t x) { return x; }) |
                      pl::map([](std::int64_t x) { return x == 3 ? throw std::runtime_error("no threes") : x; });
  try {
    for (const auto x : pl::run(strict)) std::cout << x << ' ';
  } catch (const pl::failure& f) {
    std::cout << "\n" << f.what() << '\n';
  }
}
