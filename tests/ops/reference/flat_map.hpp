#pragma once
// The reference implementation of flat_map (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::flat_map(some_of); ends numbers, expands
// chain: | pl::flat_map(pl::blocking(some_of)); ends numbers, expands

#include <plumbline/ops/flat_map.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// flat_map into plain ranges: part j of element i.
template <class F, bool Blocking, class Up>
auto pulled(const pl::node<pl::flat_map_op<F, Blocking>, Up>& p, where w)
    -> pull<typename pl::node<pl::flat_map_op<F, Blocking>, Up>::element> {
  using T = typename pl::node<pl::flat_map_op<F, Blocking>, Up>::element;
  using range = std::remove_cvref_t<std::invoke_result_t<const F&, typename Up::element>>;
  struct walk {
    range made;
    lineage outer;
    decltype(std::begin(made)) at;
    decltype(std::end(made)) end;
    std::uint64_t part = 0;
    walk(range r, const lineage& o) : made(std::move(r)), outer(o), at(std::begin(made)), end(std::end(made)) {}
  };
  return [up = pulled(p.up(), w), f = &p.op.f, now = std::shared_ptr<walk>()]() mutable -> std::optional<item<T>> {
    if (now) {
      ++now->at;
      ++now->part;
    }
    while (!now || now->at == now->end) {
      auto x = up();
      if (!x) return std::nullopt;
      now = std::make_shared<walk>(std::invoke(*f, std::move(x->value)), x->at);
    }
    const lineage at = now->outer.part(now->part);
    if constexpr (std::copy_constructible<T>)
      return item<T>{T(*now->at), at};
    else
      return item<T>{T(std::move(*now->at)), at};
  };
}

namespace chains {
inline constexpr auto some_of = [](std::int64_t x) {
  return std::vector<std::int64_t>(static_cast<std::size_t>((x % 3 + 3) % 3), x);
};
}  // namespace chains

}  // namespace plumbline_test
