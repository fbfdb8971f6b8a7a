#pragma once
/// window(n, {.shift, .stride}): vectors of n elements that may overlap: window k holds elements k * shift,
/// k * shift + stride, and so on. The windows at the end of an epoch may be smaller; `.drop_remainder` drops those.
/// `| map(collate)` makes batches of them, flat_map streams.
///   range(6) | window(3, {.shift = 1, .drop_remainder = true})       // 0 1 2, 1 2 3, 2 3 4, 3 4 5
/// tf.data: window, PyTorch: Tensor.unfold within a tensor, grain: -, mlx-data: sliding_window within an array

#include <plumbline/core/chain.hpp>
#include <plumbline/core/remainder.hpp>
#include <plumbline/core/state.hpp>

#include <concepts>
#include <deque>
#include <stdexcept>
#include <vector>

namespace plumbline {

struct window_options {
  std::uint64_t shift = 0;   ///< from one window to the next; 0: the size, so that windows do not overlap
  std::uint64_t stride = 1;  ///< from one element of a window to the next
  bool drop_remainder = false;
};

namespace detail {
/// The compiler's message shows the template arguments of this function.
template <class Element, bool ok> consteval void window_copies() {
  static_assert(ok,
                "plumbline: window(n) copies elements, as windows may overlap, and this element cannot be copied, see "
                "Element in this message; use group(n), or hold it in shared_ptr");
}
}  // namespace detail

struct window_op : op_base {
  static constexpr std::string_view name = "window";
  static constexpr bool reads_lineage = false;
  size<dynamic> shift;
  size<dynamic> span;  ///< elements of the stream from the first of a window to its last
  detail::remainder_of<dynamic> rest;
  std::uint64_t stride;
  static constexpr auto sizes = std::tuple(&window_op::shift, &window_op::span, &window_op::rest);
  constexpr auto parameters() const { return std::tuple(stride); }

  template <class In> using output = std::vector<In>;
  constexpr std::uint64_t holds() const { return span.value(); }
  template <class Up> static constexpr bool accepts = detail::copies<typename Up::element>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    detail::window_copies<typename Up::element, ok>();
  }

  /// Without remainders, as many windows as begin before the last `span` - 1 elements.
  static constexpr stream_facts rule(stream_facts in, cardinality shift, cardinality span, cardinality not_full) {
    const auto all = grouped(in.count, shift),
               full = grouped(without_first(in.count, without_first(span, cardinality::exactly(1))), shift);
    in.count = in.count.endless ? in.count
                                : cardinality{not_full.least != 0 ? all.least : full.least,
                                              not_full.most != 0 ? all.most : full.most, false};
    return in;
  }

  template <class In> struct kernel {
    const window_op* op;
    std::deque<item<In>> held{};  ///< from the first element of the next window on
    std::uint64_t unwanted = 0;   ///< elements before that one, if windows leave some out
    kernel(const window_op& of, const stream_context&) : op(&of) {}
    void push(In&& x, const lineage& at, auto&& emit) {
      if (unwanted != 0) {
        --unwanted;
        return;
      }
      held.push_back({std::move(x), at});
      if (held.size() == op->span.value()) close(emit);
    }
    void finish(auto&& emit) {
      while (op->rest.value() == remainder::keep && !held.empty()) close(emit);
      held.clear();
    }
    template <class Io> void state(Io& io) { io(held, unwanted); }

   private:
    void close(auto&& emit) {
      const auto step = op->shift.value(), within = op->stride;
      std::vector<In> out;
      out.reserve(static_cast<std::size_t>((held.size() + within - 1) / within));
      const lineage first = held.front().at;
      for (std::size_t i = 0; i < held.size(); i += static_cast<std::size_t>(within)) {
        if (i < step)
          out.push_back(std::move(held[i].value));  // in no later window
        else
          out.push_back(held[i].value);
      }
      const auto gone = std::min<std::uint64_t>(step, held.size());
      unwanted = step - gone;
      held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(gone));
      emit(std::move(out), first);
    }
  };
};

constexpr auto window(std::uint64_t n, window_options how = {}) {
  if (n == 0) throw std::invalid_argument("plumbline: window(0) would hold nothing; give at least 1");
  if (how.stride == 0)
    throw std::invalid_argument("plumbline: window: a stride of 0 would repeat one element; give at least 1");
  return window_op{{},
                   {how.shift == 0 ? n : how.shift},
                   {detail::add_sat(detail::mul_sat(n - 1, how.stride), 1)},
                   {how.drop_remainder ? remainder::drop : remainder::keep},
                   how.stride};
}
constexpr auto window(std::signed_integral auto n, window_options how = {}) {
  return window(detail::count_from("window", n, "give at least 1"), how);
}

}  // namespace plumbline
