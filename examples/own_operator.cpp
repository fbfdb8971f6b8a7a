// An operator of one's own: every(k) keeps the first of every k elements. One struct says what it does to the type, to
// the facts (counts, order) and to the elements; explain, the checks at compile time, the executor, traces and optimize
// then treat it as they treat the library's. core/kernel.hpp lists the forms that a kernel may take; ops/ has examples.
#include <plumbline/plumbline.hpp>

#include <iostream>

namespace pl = plumbline;

struct every_op : pl::op_base {
  static constexpr std::string_view name = "every";
  pl::size<pl::dynamic> n;  // the operator's one size is called n

  template <class In> using output = In;  // elements stay what they are
  /// Facts: so many of a stream's elements are left.
  static constexpr pl::stream_facts rule(pl::stream_facts in, pl::cardinality n) {
    in.count = grouped(in.count, n, true);
    return in;
  }
  /// A serial kernel: one object an epoch, whose members are all the state there is.
  template <class In> struct kernel {
    using element = In;
    std::uint64_t n, since = 0;
    kernel(const every_op& op, const pl::stream_context&) : n(op.n.value()) {}
    void push(In&& x, const pl::lineage& at, auto&& emit) {
      if (since == 0) emit(std::move(x), at);
      if (++since == n) since = 0;
    }
  };
};
constexpr auto every(std::uint64_t n) { return every_op{{}, {n}}; }

/// One element of each: an element kernel is const and runs in parallel. It changes no fact, so it needs no rule.
struct squared_op : pl::op_base {
  static constexpr std::string_view name = "squared";
  static constexpr bool one_to_one = true;
  template <class In> using output = In;
  template <class In> void apply(const pl::element_context&, In&& x, auto&& emit) const { emit(x * x); }
};

int main() {
  const auto p = pl::range(10) | squared_op() | every(4) | pl::batch<2>();
  std::cout << pl::explain(p) << '\n';
  for (const auto& batch : pl::run(p))
    for (const auto x : batch.span()) std::cout << x << ' ';
  std::cout << '\n';
}
