#pragma once
/// interleave(f, {.cycle_length, .block_length}): f makes a stream of each element; `cycle_length` of them are open at
/// once and give `block_length` elements in turn. tf.data's order exactly, whatever runs in parallel: the open streams
/// run ahead of their turn; with threads, as many more (4 at most) are opened before theirs if it is known of what.
///   files("train-*.tfrecord") | interleave([](const file& f) { return tfrecords(f.path); }, {.cycle_length = 8})

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/core/peeking.hpp>
#include <plumbline/core/wanted.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace plumbline {

struct interleave_options {
  std::uint64_t cycle_length = 4;
  std::uint64_t block_length = 1;
};

namespace detail {
template <class F, class In> using made_by = std::remove_cvref_t<std::invoke_result_t<const F&, In>>;
template <class F, class In>
concept makes_stream = std::invocable<const F&, In> && pipeline<made_by<F, In>>;

/// Their template arguments are read in the compiler's message.
template <class Wanted, class Given, bool ok> consteval void interleave_function_wants() {
  static_assert(
      ok,
      "plumbline: interleave(f) cannot call f with this stream's element, see Wanted and Given in this message; "
      "change f's parameter, or convert with a map before it");
}
template <class Returned, bool ok> consteval void interleave_function_returns() {
  static_assert(
      ok,
      "plumbline: interleave(f): f must make a stream of each element, see Returned in this message; return a "
      "source, for example range(n) or elements(v)");
}
/// The facts of what many streams together give.
constexpr stream_facts nested_facts(stream_facts in, stream_facts inner) {
  stream_facts out = in;
  out.indexed = false;
  out.count = in.count.endless && inner.count.least > 0 ? cardinality::forever() : times(in.count, inner.count);
  if (in.count.endless && !out.count.endless) out.count = cardinality::unknown();
  if (inner.order == ordering::permuted) out.order = inner.order;
  if (inner.draws == randomness::seeded) out.draws = inner.draws;
  out.blocking = in.blocking || inner.blocking;
  return out;
}
}  // namespace detail

/// flat_map into streams is an interleave with a cycle of one.
template <class F, class In, bool Flat = false> struct interleave_op : op_base {
  static constexpr std::string_view name = Flat ? "flat_map" : "interleave";
  template <class> using nested = detail::made_by<F, In>;
  using inner = nested<In>;
  template <class> using output = typename inner::element;

  [[no_unique_address]] F f;
  interleave_options how;

  static constexpr stream_facts rule(stream_facts in) { return detail::nested_facts(in, inner::type_facts); }
  /// The inner streams' run-time sizes are not known before they are made.
  std::uint64_t streams_open() const { return how.cycle_length; }
  std::uint64_t streams_ahead() const { return std::min<std::uint64_t>(how.cycle_length, 4); }

  template <class Slot, class Up> class nested_cursor {
   public:
    using element = typename inner::element;
    static constexpr cursor_traits traits{};
    nested_cursor(const interleave_op& op, std::uint32_t id, std::vector<Slot> slots, Up up)
        : op_(&op),
          id_(id),
          slots_(std::move(slots)),
          at_(static_cast<std::size_t>(op.how.cycle_length)),
          up_(std::move(up)) {
      for (std::size_t i = slots_.size(); i != 0; --i) spare_.push_back(i - 1);
    }

    void begin(std::uint64_t epoch) {
      close();
      current_ = used_ = 0;
      up_.begin(epoch);
    }
    template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
      while (budget != 0) {
        auto& place = at_[current_];
        if (place.over) {
          give_up(place);
          advance();
        } else if (place.slot != nowhere) {
          const auto block = op_->how.block_length;
          const auto want = std::min<std::uint64_t>(budget, block - used_);
          const auto p = slots_[place.slot].pump(
              [&](element&& x, const lineage& at) {
                ++used_;
                sink(std::move(x), at);
              },
              static_cast<std::size_t>(want));
          budget -= std::min<std::size_t>(budget, static_cast<std::size_t>(want));
          if (p == pulse::pending) return p;
          if (used_ < block && p != pulse::ended) continue;
          if (used_ < block)
            give_up(place);
          else
            place.over = p == pulse::ended;  // to be found out at its next turn
          advance();
          const auto before = ahead_.size();
          if constexpr (Up::traits.prompt)
            if (may_open_ahead()) open_next();
          if (ahead_.size() != before) return pulse::more;  // f may take its time: the caller looks out for a stop
        } else if (!ahead_.empty()) {
          const auto next = std::move(ahead_.front());
          ahead_.pop_front();
          if (next.error) std::rethrow_exception(next.error);
          place.slot = next.slot;
        } else if (!up_.over()) {
          if (const auto e = up_.error()) std::rethrow_exception(e);
          const auto p = open_next();
          if (!ahead_.empty()) continue;
          if (p == pulse::pending) return p;
          if (!up_.over() && !up_.fails())
            --budget;  // work that came to nothing is work: the caller looks out for a stop
        } else {
          if (spare_.size() == slots_.size()) return pulse::ended;
          advance();
        }
      }
      return pulse::more;
    }
    void leave() {
      close();
      up_.leave();
    }
    template <class Io> void state(Io& io) {
      if constexpr (Io::loads) close();
      std::vector<std::size_t> ahead;
      for (const auto& [slot, error] : ahead_) {
        if (error) io.not_now();
        ahead.push_back(slot);
      }
      io(current_, used_, at_, spare_, ahead, up_);
      if constexpr (Io::loads)
        for (const auto slot : ahead) ahead_.push_back({.slot = slot});
      for (const auto& place : at_)
        if (place.slot != nowhere) io(slots_[place.slot]);
      for (const auto slot : ahead) io(slots_[slot]);
    }

   private:
    static constexpr std::size_t nowhere = ~std::size_t{0};
    /// A place in the cycle.
    struct turn {
      std::size_t slot = nowhere;
      bool over = false;  ///< the stream ended together with its block
    };
    /// A stream that is open and not yet in the cycle, or why there is none: told when its turn comes.
    struct opened {
      std::size_t slot = nowhere;
      std::exception_ptr error{};
    };

    /// The cycle is full, and there is room behind it.
    bool may_open_ahead() const {
      const auto in_cycle = slots_.size() - spare_.size() - ahead_.size();
      return in_cycle == at_.size() && !spare_.empty() && !up_.over() && !up_.fails() &&
             (ahead_.empty() || !ahead_.back().error);
    }
    /// Opens the stream whose turn comes next, if the upstream has an element ready.
    pulse open_next() {
      auto p = pulse::more;
      if (!up_.has()) {
        p = up_.look(1);
        if (!up_.has()) return p;
      }
      auto x = std::move(up_.front());
      up_.pop();
      try {
        slots_[spare_.back()].open(
            detail::guarded(name, id_, x.at, [&] { return std::invoke(op_->f, std::move(x.value)); }), x.at);
        ahead_.push_back({.slot = spare_.back()});
        spare_.pop_back();
      } catch (...) {
        ahead_.push_back({.error = std::current_exception()});
      }
      return p;
    }
    void advance() {
      used_ = 0;
      current_ = (current_ + 1) % at_.size();
    }
    /// The place is free for the next stream.
    void give_up(turn& place) { spare_.push_back(std::exchange(place, {}).slot); }
    void close() {
      for (auto& place : at_) ahead_.push_back({.slot = std::exchange(place, {}).slot});
      for (const auto& [slot, error] : std::exchange(ahead_, {}))
        if (slot != nowhere) slots_[slot].leave(), spare_.push_back(slot);
    }
    const interleave_op* op_;
    std::uint32_t id_;
    std::vector<Slot> slots_;
    std::vector<std::size_t> spare_{};  // slots without a stream
    std::vector<turn> at_;              // the cycle
    std::deque<opened> ahead_{};
    detail::peeking<Up> up_;
    std::size_t current_ = 0;
    std::uint64_t used_ = 0;
  };
};

/// interleave before it knows its upstream.
template <class F> struct interleave_of : op_base {
  static constexpr std::string_view name = "interleave";
  [[no_unique_address]] F f;
  interleave_options how;

  template <class Up> static constexpr bool accepts = detail::makes_stream<F, typename Up::element>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (std::invocable<const F&, In>) {
      using made = detail::made_by<F, In>;
      if constexpr (!rejected<made>)  // else the mistake is within f, and has been told there
        detail::interleave_function_returns<made, ok>();
    } else if constexpr (std::invocable<F&, In>) {
      static_assert(
          ok,
          "plumbline: interleave(f) calls f again in every epoch, and f changes itself when called (a mutable "
          "lambda?); keep no state in f");
    } else {
      detail::interleave_function_wants<detail::wanted_by<F>, In, ok>();
    }
  }
  template <class Up> constexpr auto resolve() && {
    return interleave_op<F, typename Up::element>{{}, std::move(f), how};
  }
};

template <class F> constexpr auto interleave(F f, interleave_options how = {}) {
  if (how.cycle_length > 4096)
    throw std::invalid_argument("plumbline: interleave would hold " + std::to_string(how.cycle_length) +
                                " streams open at once, and 4 more; give a cycle_length of at most 4096");
  if (how.cycle_length == 0 || how.block_length == 0)
    throw std::invalid_argument(
        "plumbline: interleave has a cycle_length or block_length of 0 and would never go on; give at least 1");
  return interleave_of<F>{{}, std::move(f), how};
}

}  // namespace plumbline
