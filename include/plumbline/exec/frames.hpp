#pragma once
/// frames: a run with tracing::symbols calls each operator through a function of its own that is never inlined,
/// `plumbline::pl_operator<3u, plumbline::map_op<decode, ...> >::run`. So stacks, which profilers record, name the
/// operator that every instruction works for: it is the innermost of these frames. What an operator calls upstream or
/// downstream is put in the frame of the engine again.

#include <plumbline/core/operator_traits.hpp>
#include <plumbline/exec/framing.hpp>
#include <plumbline/exec/operator_list.hpp>
#include <plumbline/exec/producer.hpp>
#include <plumbline/exec/stage.hpp>
#include <plumbline/exec/tracer.hpp>
#include <plumbline/exec/view.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#ifdef __clang__
#define PLUMBLINE_FRAME [[gnu::noinline]]
#else
#define PLUMBLINE_FRAME [[gnu::noipa]]  // also no clones, and equal functions are not merged
#endif

namespace plumbline {

namespace detail {
/// Stays after the call in a frame: so that the call is no jump, which would leave no frame, and frames of different
/// numbers are different code for linkers that merge equal functions.
template <std::uint32_t Number> struct frame_end {
  frame_end() = default;
  frame_end(const frame_end&) = delete;
  ~frame_end() { asm volatile("" : : "r"(Number) : "memory"); }
};
/// Calls `f` within `Frame`, and returns its result in place.
template <class Frame, class F> auto run_in(F&& f) -> decltype(f()) {
  using result = decltype(f());
  return Frame::template run<result>(
      [](void* it) -> result { return (*static_cast<std::remove_reference_t<F>*>(it))(); },
      const_cast<void*>(static_cast<const void*>(&f)));
}
}  // namespace detail

/// The frame of operator `Number`, whose type is `Operator`.
template <std::uint32_t Number, class Operator> struct pl_operator {
  template <class Result> PLUMBLINE_FRAME static Result run(Result (*work)(void*), void* of) {
    const detail::frame_end<Number> last;
    return work(of);
  }
};
/// The engine's frames: a producer, a stage, and what an operator's loop calls between two elements.
struct pl_producer {
  template <class Result> PLUMBLINE_FRAME static Result run(Result (*work)(void*), void* of) {
    const detail::frame_end<0x10001> last;
    return work(of);
  }
};
struct pl_stage {
  template <class Result> PLUMBLINE_FRAME static Result run(Result (*work)(void*), void* of) {
    const detail::frame_end<0x10002> last;
    return work(of);
  }
};
struct pl_passing {
  template <class Result> PLUMBLINE_FRAME static Result run(Result (*work)(void*), void* of) {
    const detail::frame_end<0x10003> last;
    return work(of);
  }
};

namespace detail {

template <class Frame, class Kernel> struct framed_kernel : Kernel {
  explicit framed_kernel(Kernel k) : Kernel(std::move(k)) {}
  template <class In>
  typename Kernel::template output<In> transform(In&& x, const lineage& at, const position_context& where) const {
    return run_in<Frame>([&]() ->
                         typename Kernel::template output<In> { return Kernel::transform(std::move(x), at, where); });
  }
  template <class In>
  std::optional<typename Kernel::template output<In>> try_transform(In& x, const lineage& at,
                                                                    const position_context& where) const {
    return run_in<Frame>([&] { return Kernel::try_transform(x, at, where); });
  }
  template <class In> bool keep(const In& x, const lineage& at, const position_context& where) const {
    return run_in<Frame>([&] { return Kernel::keep(x, at, where); });
  }
  template <class In, class Emit>
  void expand(In&& x, const lineage& at, const position_context& where, Emit&& emit) const {
    run_in<Frame>([&] {
      Kernel::expand(std::move(x), at, where, [&](auto&& y) -> bool {
        return run_in<pl_passing>([&] { return emit(std::forward<decltype(y)>(y)); });
      });
    });
  }
};

/// A serial operator's cursor.
template <class Frame, class Cursor> struct framed_cursor : Cursor {
  using typename Cursor::element;
  explicit framed_cursor(Cursor c) : Cursor(std::move(c)) {}
  void begin(std::uint64_t epoch) {
    run_in<Frame>([&] { Cursor::begin(epoch); });
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    const auto out = [&](element&& x, const lineage& at) { run_in<pl_passing>([&] { sink(std::move(x), at); }); };
    return run_in<Frame>([&] { return Cursor::pump(out, budget); });
  }
};
/// What such an operator takes from: its upstream is not in its frame, but what it does with an element is.
template <class Frame, class Up> struct framed_input : Up {
  using typename Up::element;
  explicit framed_input(Up up) : Up(std::move(up)) {}
  void begin(std::uint64_t epoch) {
    run_in<pl_passing>([&] { Up::begin(epoch); });
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    const auto in = [&](element&& x, const lineage& at) { run_in<Frame>([&] { sink(std::move(x), at); }); };
    return run_in<pl_passing>([&] { return Up::pump(in, budget); });
  }
};

/// A view's elements by index.
template <class Frame, class View> struct framed_view : View {
  using typename View::element;
  explicit framed_view(View v) : View(std::move(v)) {}
  template <class Sink> void get(element_index p, Sink&& sink) const {
    run_in<Frame>([&] {
      View::get(
          p, [&](auto&& x, const lineage& at) { run_in<pl_passing>([&] { sink(std::forward<decltype(x)>(x), at); }); });
    });
  }
};
template <class Frame, class S, class... I>
inline constexpr bool there_again<from_index<indexed_head<framed_view<Frame, source_view<S>>, I...>>> = asked_again<S>;

/// An index operator, in the place of `Op`.
template <class Frame, class Op> struct framed_index {};
template <class Frame, class Op> struct index_step<framed_index<Frame, Op>> : index_step<Op> {
  std::uint64_t mapped_size(std::uint64_t below) const {
    return run_in<Frame>([&] { return index_step<Op>::mapped_size(below); });
  }
  element_index map_index(element_index p, std::uint64_t below) const {
    return run_in<Frame>([&] { return index_step<Op>::map_index(p, below); });
  }
};

class framed_stage final : public stage_base {
 public:
  explicit framed_stage(std::unique_ptr<stage_base> work) : work_(std::move(work)) {}
  bool tries(bool reads_wait) const override { return work_->tries(reads_wait); }
  bool process(message& m, bool may_wait) override {
    return run_in<pl_stage>([&] { return work_->process(m, may_wait); });
  }

 private:
  std::unique_ptr<stage_base> work_;
};
class framed_producer final : public producer_base {
 public:
  explicit framed_producer(std::unique_ptr<producer_base> work) : work_(std::move(work)) {}
  message* acquire() override { return work_->acquire(); }
  bool fill(message& m) override {
    return run_in<pl_producer>([&] { return work_->fill(m); });
  }

 private:
  std::unique_ptr<producer_base> work_;
};

template <> struct framing<tracing::symbols> {
  static constexpr bool frames = true, marks = false;
  template <std::uint32_t Id, class Op> struct of {
    using frame = pl_operator<Id, Op>;
    template <class Kernel> using kernel = framed_kernel<frame, Kernel>;
    template <class Cursor> using cursor = framed_cursor<frame, Cursor>;
    template <class Up> using input = framed_input<frame, Up>;
    template <class View> using view = framed_view<frame, View>;
    template <class Indexed> using index = framed_index<frame, Indexed>;
  };
  template <class P> static std::unique_ptr<run_watch> records(const P& p) {
    list_operators_for_profilers(layout(p));
    return nullptr;
  }
  static std::unique_ptr<stage_base> around(std::unique_ptr<stage_base> work, const built_part&, run_watch*) {
    return std::make_unique<framed_stage>(std::move(work));
  }
  static std::unique_ptr<producer_base> around(std::unique_ptr<producer_base> work, const built_part&, run_watch*) {
    return std::make_unique<framed_producer>(std::move(work));
  }
};

}  // namespace detail
}  // namespace plumbline
