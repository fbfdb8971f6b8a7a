#pragma once
/// Metered cursors: what a traced run uses in place of those of an untraced one. Each counts its elements and measures
/// the time of those in the sample.

#include <plumbline/exec/counting.hpp>
#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/unfused.hpp>

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// Adds `pump` to a cursor that has `pump_fused` and `pump_unfused`, for callers that do not choose between them.
template <class Cursor> struct with_pump : Cursor {
  using Cursor::Cursor;
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    return part_timer::here()->timing() ? this->pump_unfused(sink, budget) : this->pump_fused(sink, budget);
  }
};

/// The traced cursor of operator `id`. `Counts`: it counts its elements; otherwise they are counted elsewhere.
template <class Cursor, bool Counts> class metered {
 public:
  using element = typename Cursor::element;
  static constexpr cursor_traits traits = Cursor::traits;

  metered(Cursor c, std::uint32_t id) : cursor_(std::move(c)), id_(id) {}
  void begin(std::uint64_t epoch) {
    const lap mine(*part_timer::here(), id_);
    cursor_.begin(epoch);
  }
  template <class Sink> pump_result pump_fused(Sink&& sink, std::size_t budget) {
    part_timer& m = *part_timer::here();
    constexpr bool by_cursor = requires { cursor_.given(); };
    constexpr bool by_sink = requires { sink.counted(); };
    if constexpr (!Counts) {
      return pump_as<false>(cursor_, sink, budget);
    } else if constexpr (op_counter<element>::plain && (by_cursor || by_sink)) {
      // counted already: the compiler would split a loop that has two counts
      const auto so_far = [&] {
        if constexpr (by_cursor)
          return cursor_.given();
        else
          return sink.counted();
      };
      struct at_end {
        part_timer& m;
        metered& of;
        const decltype(so_far)& now;
        std::uint64_t before = now();
        [[gnu::always_inline]] ~at_end() { m.add(of.id_, of.given_ = now() - before, sizeof(element)); }
      } all{m, *this, so_far};
      return pump_as<false>(cursor_, sink, budget);
    } else {
      op_counter<element> made(m, id_);
      struct at_end {
        std::uint64_t& given;
        const op_counter<element>& made;
        [[gnu::always_inline]] ~at_end() { given = made.count; }
      } kept{given_, made};
      return pump_as<false>(
          cursor_,
          [&](element&& x, const lineage& at) {
            made.add(x);
            sink(std::move(x), at);
          },
          budget);
    }
  }
  template <class Sink> pump_result pump_unfused(Sink&& sink, std::size_t budget) {
    part_timer& m = *part_timer::here();
    const lap mine(m, id_);
    const auto* const outer = m.filled();
    const auto next = [&](chunk<element>& made) {
      if constexpr (requires { Cursor::names_elements; }) m.element(*made.at.begin());
      m.to(mine.caller());
      const filling_meanwhile place(m, outer);
      for (std::size_t i = 0; i != made.size(); ++i) {
        m.moves(made.values.begin(), i);
        sink(std::move(made.values[i]), made.at[i]);
      }
      return true;
    };
    output_block<element, Counts> out(m, id_, next);
    return flushed_after(out, [&] {
      const auto pumped = [&](auto&& to) {
        const filled_by<true, std::remove_reference_t<decltype(to)>> place(out.made(), to);
        return pump_as<true>(cursor_, to, budget);
      };
      if constexpr (traits.within_budget)
        return pumped(out.template at_most<true>(budget));
      else
        return pumped(out);
    });
  }
  void leave() { cursor_.leave(); }
  template <class Io> void state(Io& io) { io(cursor_); }
  /// Elements that the last call of `pump_fused` gave.
  std::uint64_t given() const { return given_; }

 private:
  Cursor cursor_;
  std::uint32_t id_;
  std::uint64_t given_ = 0;
};
template <class Cursor> using metered_cursor = with_pump<metered<Cursor, true>>;
template <class Cursor> using timed_cursor = with_pump<metered<Cursor, false>>;

/// A traced element_cursor (cursor.hpp).
template <class Up, class... K> class metered_elements : public element_cursor<Up, K...> {
  using base = element_cursor<Up, K...>;
  using base::kernels_, base::up_, base::where_;
  using typename base::chain;
  using In = typename Up::element;
  using counting = count_record<In, K...>;
  using numbers = std::array<std::uint32_t, sizeof...(K) + 1>;

 public:
  using base::base;
  template <class Sink> pump_result pump_fused(Sink&& sink, std::size_t budget) {
    constexpr bool counted = requires { sink.counted(); };  // the sink counts what leaves
    if constexpr (counted && as_untraced)
      return pump_untraced(sink, budget);
    else
      return pump_counting<counted>(sink, budget);
  }
  template <class Sink> pump_result pump_unfused(Sink&& sink, std::size_t budget) {
    part_timer& m = *part_timer::here();
    const auto caller = m.current();
    const auto next = [&](chunk<In>& xs) {
      return pass_unfused<false>(kernels_, xs.values.begin(), xs.at.begin(), xs.size(), where_, m, caller, sink);
    };
    output_block<In, false> in(m, caller, next);
    return flushed_after(in, [&] { return pump_as<true>(up_, in, budget); });
  }

 private:
  static constexpr bool as_untraced =
      counting::counts_nothing && !chain::uses_position && counting::places <= part_timer::chain_counts::most;
  numbers ids() const {
    return kernels_.kernels.apply([](const auto&... k) { return numbers{0, k.id...}; });
  }
  /// The loop of an untraced run, as nothing has to be counted between the kernels. Its pumps are counted together.
  template <class Sink> [[gnu::always_inline]] pump_result pump_untraced(Sink& sink, std::size_t budget) {
    struct at_end {
      part_timer& m;
      const metered_elements& of;
      const Sink& sink;
      std::uint64_t before = sink.counted();
      [[gnu::always_inline]] ~at_end() {
        auto* counts = m.chain(&counting::write, at<0>(of.kernels_.kernels).id);
        if (counts == nullptr) counts = of.begin_counts(m);
        counts->came += of.up_.given();
        counts->left += sink.counted() - before;
        if (counts->came >= (1U << 16)) [[unlikely]]
          m.write_chain();  // a filter that keeps few is long in one turn
      }
    } all{*part_timer::here(), *this, sink};
    no_record nothing;
    return pump_as<false>(
        up_, [&](auto&& x, const lineage& at) { kernels_.pass(std::move(x), at, where_, nothing, sink); }, budget);
  }
  /// The same for a part's own sink, as a separate function with its own copy: inlined beside the code that times
  /// elements, the loop would keep the sink's count in memory.
  template <class Sink> [[gnu::noinline]] pump_result pump_untraced(local_copy<Sink>& sink, std::size_t budget) {
    local_copy<Sink> own(static_cast<Sink&>(sink));
    return pump_untraced<local_copy<Sink>>(own, budget);
  }
  [[gnu::noinline]] part_timer::chain_counts* begin_counts(part_timer& m) const {
    return &m.begin_chain(&counting::write, ids().data(), counting::places);
  }
  template <bool Counted, class Sink> pump_result pump_counting(Sink& sink, std::size_t budget) {
    const auto ids = this->ids();
    counting counts;
    std::uint64_t left = 0;
    if constexpr (Counted) left = sink.counted();
    struct at_end {
      part_timer& m;
      const numbers& ids;
      const counting& counts;
      const Up& up;
      const std::uint64_t& left;
      const Sink& sink;
      [[gnu::always_inline]] ~at_end() {
        if constexpr (Counted)
          counts.flush(m, ids, up.given(), sink.counted() - left);
        else
          counts.flush(m, ids, up.given(), left);
      }
    } all{*part_timer::here(), ids, counts, up_, left, sink};
    leaving<Sink, Counted> out{sink, left};
    return pump_as<false>(
        up_, [&](auto&& x, const lineage& at) { kernels_.pass(std::move(x), at, where_, counts, out); }, budget);
  }
  /// Counts the elements that leave, if the sink does not.
  template <class Sink, bool Counted> struct leaving {
    Sink& sink;
    std::uint64_t& left;
    template <class Y> void operator()(Y&& y, const lineage& at) const {
      if constexpr (!Counted) ++left;
      sink(std::forward<Y>(y), at);
    }
    template <class Y>
    void maybe(bool is_there, Y&& y, const lineage& at) const requires(Counted&& chooses<Sink, Y, const lineage&>) {
      sink.maybe(is_there, std::forward<Y>(y), at);
    }
  };
};
template <class Up, class... K> using metered_element_cursor = with_pump<metered_elements<Up, K...>>;

/// Returns x or, in a traced run, its metered counterpart.
template <class Trace, template <class> class Metered, class T, class... Id> auto metered_if(T x, Id... id) {
  if constexpr (Trace::on)
    return Metered<T>(std::move(x), id...);
  else
    return x;
}

}  // namespace plumbline::detail
