#pragma once
/// Metered views and kernels: what a traced run uses in place of those of an untraced one where elements are made one
/// by one, by index: joined views, and the kernels folded into them. See exec/metered.hpp.

#include <plumbline/exec/kernel_chain.hpp>
#include <plumbline/exec/unfused.hpp>
#include <plumbline/exec/view.hpp>

#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// Counts x, which operator `id` has made.
template <class X> void count_one(part_timer& m, std::uint32_t id, const X& x) {
  const auto* own = made_here(x);
  if (own == nullptr) return;
  op_counter<std::remove_cvref_t<decltype(*own)>>(m, id).add(*own);
  if (m.timing()) m.was_timed(id);
}
template <class View> struct metered_view : View {
  explicit metered_view(View v) : View(std::move(v)) {}
  template <class Sink> void get(element_index p, Sink&& sink) const {
    part_timer& m = *part_timer::here();
    const lap mine(m, this->id());
    View::get(p, [&](auto&& x, const lineage& at) {
      count_one(m, this->id(), x);
      const lap theirs(m, mine.caller());
      sink(std::forward<decltype(x)>(x), at);
    });
  }
};
/// Only one-to-one kernels are folded.
template <class Kernel> struct metered_kernel : Kernel {
  explicit metered_kernel(Kernel k) : Kernel(std::move(k)) {}
  template <class In>
  typename Kernel::template output<In> transform(In&& x, const lineage& at, const position_context& where) const {
    part_timer& m = *part_timer::here();
    const lap mine(m, this->id);
    auto y = Kernel::transform(std::move(x), at, where);
    if constexpr (Kernel::yields) count_one(m, this->id, y);
    return y;
  }
};

}  // namespace plumbline::detail
