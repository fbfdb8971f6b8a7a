#pragma once
/// Operators apart: in a traced run elements of the sample pass operator by operator. What one makes is held until it
/// has made all of it, so that the clock is read once for many elements (meter.hpp). All other elements pass as in an
/// untraced run, and are counted.

#include <plumbline/exec/chunk.hpp>
#include <plumbline/exec/counting.hpp>
#include <plumbline/exec/cursor.hpp>

#include <array>
#include <exception>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// Counts an operator's elements, in registers; the meter gets them when it goes.
template <class X> struct tally {
  static constexpr bool plain = std::is_trivially_copyable_v<X>;
  meter& m;
  std::uint32_t id;
  std::uint64_t count = 0, bytes = 0;
  double squares = 0;

  tally(meter& to, std::uint32_t op) : m(to), id(op) {}
  tally(const tally&) = delete;
  [[gnu::always_inline]] ~tally() {  // else the figures would be in memory, for a call that may never come
    if constexpr (plain)
      m.add(id, count, sizeof(X));
    else
      m.add(id, count, bytes, squares);
  }
  void add(const X& x) {
    ++count;
    if constexpr (!plain) {
      const auto b = nbytes(x);
      bytes += b;
      squares += static_cast<double>(b) * static_cast<double>(b);
    }
  }
  void forget() { count = bytes = 0, squares = 0; }
};

/// While it lives, time is operator `id`'s, if there is anything to time.
class lap {
 public:
  lap(meter& m, std::uint32_t id) : m_(m.timing() ? &m : nullptr), caller_(m.current()) {
    if (m_ != nullptr) m_->to(id);
  }
  ~lap() {
    if (m_ != nullptr) m_->to(caller_);
  }
  lap(const lap&) = delete;
  std::uint32_t caller() const { return caller_; }

 private:
  meter* m_;
  std::uint32_t caller_;
};

/// A sink that holds what operator `id` makes. `next(chunk)` takes it: false when it refused an element.
/// `Yields`: are these the operator's elements?
template <class X, bool Yields, class Next> class held {
 public:
  held(meter& m, std::uint32_t id, Next& next) : m_(m), id_(id), next_(next) {}
  void operator()(X&& x, const lineage& at) {
    made_.template add<true>(std::move(x), at);
    if (made_.size() == meter::most_block) hand_on();  // of one element very many may be made
  }
  /// A sink for at most n more. `Lineage`: is it held too?
  template <bool Lineage> auto at_most(std::size_t n) { return chunk_writer<X, Lineage, true>(made_, n); }
  bool hand_on() {
    if (made_.size() == 0) return true;
    using own = std::remove_cvref_t<decltype(*made_here(std::declval<const X&>()))>;
    tally<own> n(m_, id_);
    if constexpr (Yields)
      for (const auto& x : std::span(made_.values.begin(), made_.size()))
        if (const auto* mine = made_here(x)) n.add(*mine);
    struct handed_on {  // also when one of them fails
      held& h;
      ~handed_on() {
        h.m_.to(h.id_);
        h.made_.clear();
      }
    } end{*this};
    const bool all = next_(made_);
    if (all)
      m_.was_timed(id_, n.count);
    else
      n.forget();  // they will be made again
    return all;
  }

 private:
  meter& m_;
  std::uint32_t id_;
  Next& next_;
  chunk<X> made_;
};

/// Runs `make`, whose elements go where `out` holds them; its exception comes after them.
template <class Held, class Make> auto all_of(Held& out, Make&& make) {
  std::exception_ptr failed;
  std::invoke_result_t<Make> made{};
  try {
    made = make();
  } catch (...) {
    failed = std::current_exception();
  }
  const bool all = out.hand_on();
  if (failed) std::rethrow_exception(failed);
  if constexpr (std::is_same_v<decltype(made), bool>)
    return made && all;
  else
    return made;
}

/// n elements through a chain's kernels, kernel by kernel, into a sink, whose time is operator `caller`'s. `at` may be
/// null. False: one was refused (`Try`, of one element).
template <bool Try, std::size_t I = 0, class Chain, class X, class Spot, class Sink>
bool pass_apart(const Chain& chain, X* xs, const lineage* at, std::size_t n, Spot& where, meter& m,
                std::uint32_t caller, Sink& sink) {
  constexpr lineage nobody{};
  const auto of = [&](std::size_t k) -> const lineage& { return at == nullptr ? nobody : at[k]; };
  if constexpr (I == Chain::size) {
    m.to(caller);
    for (std::size_t k = 0; k != n; ++k) sink(std::move(xs[k]), of(k));
    return true;
  } else {
    const auto& kernel = std::get<I>(chain.kernels);
    using K = std::remove_cvref_t<decltype(kernel)>;
    using Y = typename K::template output<X>;
    constexpr bool one = K::makes == arity::one;  // then also of the lineages
    const auto next = [&](chunk<Y>& ys) {
      return pass_apart<Try, I + 1>(chain, ys.values.begin(), one ? at : ys.at.begin(), ys.size(), where, m, caller,
                                    sink);
    };
    const auto into = [&](auto&& to) {
      no_record nothing;
      for (std::size_t k = 0; k != n && !where.stopped(); ++k) {
        auto&& here = where.of(k);
        if (!chain.template pass<Try, I, I + 1>(std::move(xs[k]), of(k), here, nothing, to)) return false;
      }
      return true;
    };
    held<Y, K::yields, decltype(next)> out(m, kernel.id, next);
    m.to(kernel.id);
    return all_of(out, [&] {
      if constexpr (K::makes == arity::many)
        return into(out);
      else
        return into(out.template at_most<!one>(n));
    });
  }
}

/// A sink near at hand, so that its count is kept in a register; it is written back.
template <class Sink> struct near_copy : Sink {
  Sink& home;
  explicit near_copy(Sink& of) : Sink(of), home(of) {}
  near_copy(const near_copy&) = delete;
  [[gnu::always_inline]] ~near_copy() {
    if constexpr (requires { home.counted(); }) home = static_cast<const Sink&>(*this);
  }
};

/// Pumps a part's cursor; of its elements those of the sample operator by operator.
template <class Trace, class Cursor, class Sink> pulse pump_timed(Cursor& cursor, Sink& sink, std::size_t budget) {
  if constexpr (Trace::on) {
    auto& watch = *meter::here();
    for (;;) {
      auto p = pulse::more;
      if (const auto next = static_cast<std::size_t>(watch.untimed(budget)); next != 0) {
        p = draw<false>(cursor, near_copy<Sink>(sink), next);
        if (p != pulse::pending) watch.passed(next);
        if (p != pulse::more || (budget -= next) == 0) return p;
      }
      budget -= static_cast<std::size_t>(watch.time(budget, [&](std::uint64_t k) {
        p = draw<true>(cursor, sink, static_cast<std::size_t>(k));
        return p == pulse::more;
      }));
      if (p != pulse::more || budget == 0) return p;
    }
  } else {
    return cursor.pump(sink, budget);
  }
}

/// A traced cursor, for whoever does not know whether it is being timed.
template <class Cursor> struct traced : Cursor {
  using Cursor::Cursor;
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    return meter::here()->timing() ? this->apart(sink, budget) : this->fused(sink, budget);
  }
};

/// A cursor that is operator `id`. `Counts`: nobody else counts its elements.
template <class Cursor, bool Counts> class probed {
 public:
  using element = typename Cursor::element;
  static constexpr cursor_traits traits = Cursor::traits;

  probed(Cursor c, std::uint32_t id) : cursor_(std::move(c)), id_(id) {}
  void begin(std::uint64_t epoch) {
    const lap mine(*meter::here(), id_);
    cursor_.begin(epoch);
  }
  template <class Sink> pulse fused(Sink&& sink, std::size_t budget) {
    meter& m = *meter::here();
    constexpr bool by_cursor = requires { cursor_.given(); };
    constexpr bool by_sink = requires { sink.counted(); };
    if constexpr (!Counts) {
      return draw<false>(cursor_, sink, budget);
    } else if constexpr (tally<element>::plain && (by_cursor || by_sink)) {
      // counted already: of two counts in one loop the compiler makes two loops
      const auto so_far = [&] {
        if constexpr (by_cursor)
          return cursor_.given();
        else
          return sink.counted();
      };
      struct at_end {
        meter& m;
        probed& of;
        const decltype(so_far)& now;
        std::uint64_t before = now();
        [[gnu::always_inline]] ~at_end() { m.add(of.id_, of.given_ = now() - before, sizeof(element)); }
      } all{m, *this, so_far};
      return draw<false>(cursor_, sink, budget);
    } else {
      tally<element> made(m, id_);
      struct at_end {
        std::uint64_t& given;
        const tally<element>& made;
        [[gnu::always_inline]] ~at_end() { given = made.count; }
      } kept{given_, made};
      return draw<false>(
          cursor_,
          [&](element&& x, const lineage& at) {
            made.add(x);
            sink(std::move(x), at);
          },
          budget);
    }
  }
  template <class Sink> pulse apart(Sink&& sink, std::size_t budget) {
    meter& m = *meter::here();
    const lap mine(m, id_);
    const auto next = [&](chunk<element>& made) {
      m.to(mine.caller());
      for (std::size_t i = 0; i != made.size(); ++i) sink(std::move(made.values[i]), made.at[i]);
      return true;
    };
    held<element, Counts, decltype(next)> out(m, id_, next);
    return all_of(out, [&] {
      if constexpr (traits.within_budget)
        return draw<true>(cursor_, out.template at_most<true>(budget), budget);
      else
        return draw<true>(cursor_, out, budget);
    });
  }
  void leave() { cursor_.leave(); }
  template <class Io> void state(Io& io) { io(cursor_); }
  /// Elements that the last call of `fused` gave.
  std::uint64_t given() const { return given_; }

 private:
  Cursor cursor_;
  std::uint32_t id_;
  std::uint64_t given_ = 0;
};
template <class Cursor> using probed_cursor = traced<probed<Cursor, true>>;
template <class Cursor> using timed_cursor = traced<probed<Cursor, false>>;

/// element_cursor (cursor.hpp), traced.
template <class Up, class... K> class probed_kernels {
  using chain = kernel_chain<K...>;
  using In = typename Up::element;
  using counting = count_record<In, K...>;
  using numbers = std::array<std::uint32_t, sizeof...(K) + 1>;

 public:
  using element = typename chain::template output<In>;
  static constexpr cursor_traits traits{.within_budget = !chain::expands && Up::traits.within_budget};

  probed_kernels(chain kernels, Up up, const std::atomic<bool>* stop)
      : chain_(std::move(kernels)), up_(std::move(up)), where_{stop} {}
  void begin(std::uint64_t epoch) {
    where_.next = {};
    up_.begin(epoch);
  }
  template <class Sink> pulse fused(Sink&& sink, std::size_t budget) {
    const auto ids = std::apply([](const auto&... k) { return numbers{0, k.id...}; }, chain_.kernels);
    counting counts;
    constexpr bool counted = requires { sink.counted(); };  // what leaves, by the sink
    std::uint64_t left = 0;
    if constexpr (counted) left = sink.counted();
    struct at_end {
      meter& m;
      const numbers& ids;
      const counting& counts;
      const Up& up;
      const std::uint64_t& left;
      const std::remove_reference_t<Sink>& sink;
      [[gnu::always_inline]] ~at_end() {
        if constexpr (counted)
          counts.flush(m, ids, up.given(), sink.counted() - left);
        else
          counts.flush(m, ids, up.given(), left);
      }
    } all{*meter::here(), ids, counts, up_, left, sink};
    if constexpr (counted && as_untraced) {
      // an expansion's loop is that of an untraced run, where nothing is counted on the way from kernel to kernel
      no_record nothing;
      return draw<false>(
          up_, [&](auto&& x, const lineage& at) { chain_.pass(std::move(x), at, where_, nothing, sink); }, budget);
    } else {
      leaving<std::remove_reference_t<Sink>, counted> out{sink, left};
      return draw<false>(
          up_, [&](auto&& x, const lineage& at) { chain_.pass(std::move(x), at, where_, counts, out); }, budget);
    }
  }
  template <class Sink> pulse apart(Sink&& sink, std::size_t budget) {
    meter& m = *meter::here();
    const auto caller = m.current();
    const auto next = [&](chunk<In>& xs) {
      return pass_apart<false>(chain_, xs.values.begin(), xs.at.begin(), xs.size(), where_, m, caller, sink);
    };
    held<In, false, decltype(next)> in(m, caller, next);
    return all_of(in, [&] { return draw<true>(up_, in, budget); });
  }
  void leave() { up_.leave(); }
  template <class Io> void state(Io& io) { io(where_.next, up_); }

 private:
  static constexpr bool as_untraced = chain::expands && counting::counts_nothing && !chain::uses_position;
  /// Counts what leaves, where the sink does not.
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

  chain chain_;
  Up up_;
  counting_spot<sizeof...(K)> where_;
};
template <class Up, class... K> using traced_kernels = traced<probed_kernels<Up, K...>>;

// --- where elements are made one by one, by number: views that are joined, and the kernels folded into them

/// Operator `id` has made x.
template <class X> void count_one(meter& m, std::uint32_t id, const X& x) {
  const auto* own = made_here(x);
  if (own == nullptr) return;
  tally<std::remove_cvref_t<decltype(*own)>>(m, id).add(*own);
  if (m.timing()) m.was_timed(id);
}
template <class View> struct probed_view : View {
  explicit probed_view(View v) : View(std::move(v)) {}
  template <class Sink> void get(place p, Sink&& sink) const {
    meter& m = *meter::here();
    const lap mine(m, this->id());
    View::get(p, [&](auto&& x, const lineage& at) {
      count_one(m, this->id(), x);
      const lap theirs(m, mine.caller());
      sink(std::forward<decltype(x)>(x), at);
    });
  }
};
/// Only kernels that make one of one are folded.
template <class Kernel> struct probed_kernel : Kernel {
  explicit probed_kernel(Kernel k) : Kernel(std::move(k)) {}
  template <class In>
  typename Kernel::template output<In> transform(In&& x, const lineage& at, const position_context& where) const {
    meter& m = *meter::here();
    const lap mine(m, this->id);
    auto y = Kernel::transform(std::move(x), at, where);
    if constexpr (Kernel::yields) count_one(m, this->id, y);
    return y;
  }
};

/// What a traced run puts there instead.
template <class Trace, template <class> class Probed, class T, class... Id> auto probed_if(T x, Id... id) {
  if constexpr (Trace::on)
    return Probed<T>(std::move(x), id...);
  else
    return x;
}

}  // namespace plumbline::detail
