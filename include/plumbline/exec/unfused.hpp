#pragma once
/// Unfused: in a traced run the elements of the sample pass operator by operator. Each operator's output is collected
/// before the next one begins, so that the clock is read once for many elements (sampler.hpp). All other elements pass
/// fused, as in an untraced run, and are counted.

#include <plumbline/core/compiled.hpp>
#include <plumbline/data/nbytes.hpp>
#include <plumbline/exec/chunk.hpp>
#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/filled_by.hpp>
#include <plumbline/exec/part_timer.hpp>
#include <plumbline/exec/perhaps.hpp>

#include <span>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// Counts an operator's elements in registers, and adds them to the part_timer when it is destroyed.
template <class X> struct op_counter {
  static constexpr bool plain = std::is_trivially_copyable_v<X>;
  part_timer& m;
  std::uint32_t id;
  std::uint64_t count = 0, bytes = 0;
  double squares = 0;

  op_counter(part_timer& to, std::uint32_t op) : m(to), id(op) {}
  op_counter(const op_counter&) = delete;
  [[gnu::always_inline]] ~op_counter() {  // otherwise the counts would be in memory, for a call that may never come
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

/// While it lives, time is charged to operator `id`, if elements are being timed.
class lap {
 public:
  lap(part_timer& m, std::uint32_t id) : m_(m.timing() ? &m : nullptr), caller_(m.current()) {
    if (m_ != nullptr) m_->to(id);
  }
  ~lap() {
    if (m_ != nullptr) m_->to(caller_);
  }
  lap(const lap&) = delete;
  std::uint32_t caller() const { return caller_; }

 private:
  part_timer* m_;
  std::uint32_t caller_;
};

/// A function of one argument by reference, without its type.
template <class R, class... Args> class borrowed {
 public:
  template <class F>
  explicit borrowed(const F& f)
      : f_(&f), call_([](const void* g, Args... x) -> R { return (*static_cast<const F*>(g))(x...); }) {}
  R operator()(Args... x) const { return call_(f_, x...); }

 private:
  const void* f_;
  R (*call_)(const void*, Args...);
};

/// What is done after a block was passed on, also by an exception: its elements are destroyed, and time is charged to
/// the operator again.
struct block_end {
  part_timer& m;
  std::uint32_t id;
  payload& block;
  ~block_end() {
    m.to(id);
    block.clear();
  }
};

/// A sink that collects what operator `id` makes; `flush` passes it on to `next(chunk)`, which returns false if it
/// refused an element. `Yields`: true if these are the operator's elements (not the filled slots of a group).
template <class X, bool Yields> class output_block {
 public:
  template <class Next> output_block(part_timer& m, std::uint32_t id, Next& next) : m_(m), id_(id), next_(next) {}
  void operator()(X&& x, const lineage& at) {
    made_.template add<true>(std::move(x), at);
    if (made_.size() == part_timer::most_block) flush();  // one element may expand to very many
  }
  /// A sink for at most n more elements. `Lineage`: true if their lineage is kept, too.
  template <bool Lineage> auto at_most(std::size_t n) {
    return chunk_writer<X, Lineage, write_mode::bounded>(made_, n);
  }
  const payload* made() const { return &made_; }
  std::size_t size() const { return made_.size(); }
  bool flush() {
    if (made_.size() == 0) return true;
    using own = std::remove_cvref_t<decltype(*made_here(std::declval<const X&>()))>;
    op_counter<own> n(m_, id_);
    if constexpr (Yields)
      for (const auto& x : std::span(made_.values.begin(), made_.size()))
        if (const auto* mine = made_here(x)) n.add(*mine);
    m_.moves_all(&made_, made_.values.begin());
    const block_end end{m_, id_, made_};
    const bool all = next_(made_);
    if (all)
      m_.was_timed(id_, n.count);
    else
      n.forget();  // they will be made again
    return all;
  }

 private:
  part_timer& m_;
  std::uint32_t id_;
  borrowed<bool, chunk<X>&> next_;
  chunk<X> made_;
};

/// Calls `make`, then `flush`, and returns what that returns. An exception from `make` is rethrown after it.
bool in_turn(borrowed<void> make, borrowed<bool> flush);

/// Runs `make`, which writes to `out`, and flushes `out`. An exception from `make` is rethrown after its elements were
/// passed on.
template <class Block, class Make> auto flushed_after(Block& out, Make&& make) {
  std::invoke_result_t<Make> made{};
  auto first = [&] { made = make(); };
  auto then = [&] { return out.flush(); };
  const bool all = in_turn(borrowed<void>(first), borrowed<bool>(then));
  if constexpr (std::is_same_v<decltype(made), bool>)
    return made && all;
  else
    return made;
}

/// Passes n elements through a chain's kernels, kernel by kernel, into a sink, whose time is charged to operator
/// `caller`. `at` may be null. False if an element was refused (n is then 1).
template <bool Try, std::size_t I = 0, class Chain, class X, class Spot, class Sink>
bool pass_unfused(const Chain& chain, X* xs, const lineage* at, std::size_t n, Spot& where, part_timer& m,
                  std::uint32_t caller, Sink& sink) {
  constexpr lineage none{};
  const auto of = [&](std::size_t k) -> const lineage& { return at == nullptr ? none : at[k]; };
  if constexpr (I == Chain::size) {
    m.to(caller);
    for (std::size_t k = 0; k != n; ++k) {
      m.moves(xs, k);
      sink(std::move(xs[k]), of(k));
    }
    return true;
  } else {
    const auto& kernel = detail::at<I>(chain.kernels);
    using K = std::remove_cvref_t<decltype(kernel)>;
    using Y = typename K::template output<X>;
    constexpr bool one = K::makes == arity::one;  // then the lineages stay the same
    const auto next = [&](chunk<Y>& ys) {
      return pass_unfused<Try, I + 1>(chain, ys.values.begin(), one ? at : ys.at.begin(), ys.size(), where, m, caller,
                                      sink);
    };
    output_block<Y, K::yields> out(m, kernel.id, next);
    const auto into = [&](auto&& to) {
      no_record nothing;
      const bool each = m.keeps_events();
      if (each) m.begin_ones();
      for (std::size_t k = 0; k != n && !where.stopped(); ++k) {
        auto&& here = where.of(k);
        const auto place = to.size();
        if (each) m.moves(xs, k, out.made(), place);
        if (!chain.template pass<Try, I, I + 1>(std::move(xs[k]), of(k), here, nothing, to)) return false;
        if (m.seeks_slowest()) m.passed_one(kernel.id, at == nullptr ? nullptr : at + k, out.made(), place);
      }
      return true;
    };
    m.to(kernel.id);
    return flushed_after(out, [&] {
      if constexpr (K::makes == arity::many)
        return into(out);
      else
        return into(out.template at_most<!one>(n));
    });
  }
}

/// A local copy of a sink, so that its count is kept in a register; written back when it is destroyed.
template <class Sink> struct local_copy : Sink {
  Sink& home;
  explicit local_copy(Sink& of) : Sink(of), home(of) {}
  local_copy(const local_copy&) = delete;
  [[gnu::always_inline]] ~local_copy() {
    if constexpr (requires { home.counted(); }) home = static_cast<const Sink&>(*this);
  }
};

/// Pumps a part's cursor: the elements of the sample operator by operator, all others as in an untraced run.
template <class Trace, class Cursor, class Sink>
pump_result pump_timed(Cursor& cursor, Sink& sink, std::size_t budget) {
  if constexpr (Trace::on) {
    auto& watch = *part_timer::here();
    for (;;) {
      auto p = pump_result::more;
      if (auto next = static_cast<std::size_t>(watch.untimed(budget)); next != 0) {
        budget -= next;
        if constexpr (Trace::events) {
          const auto singly = static_cast<std::size_t>(watch.watches(next));
          for (std::size_t i = 0; i != singly && p == pump_result::more; ++i) {
            sampler::watched_one one(watch);
            if ((p = pump_as<true>(cursor, sink, 1)) != pump_result::more) one.not_made();
          }
          next -= singly;
        }
        if (next != 0 && p == pump_result::more) {
          p = pump_as<false>(cursor, local_copy<Sink>(sink), next);
          if (p != pump_result::pending) watch.passed(next);
        }
        if (p != pump_result::more || budget == 0) return p;
      }
      budget -= static_cast<std::size_t>(watch.time(budget, [&](std::uint64_t k) {
        p = pump_as<true>(cursor, sink, static_cast<std::size_t>(k));
        return p == pump_result::more;
      }));
      if (p != pump_result::more || budget == 0) return p;
    }
  } else {
    return cursor.pump(sink, budget);
  }
}

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/unfused_inl.hpp>
#endif
