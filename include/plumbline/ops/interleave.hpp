#pragma once
/// interleave(f, {.cycle_length, .block_length}): f makes a stream of each element; `cycle_length` of them are open at
/// once and give `block_length` elements in turn. tf.data's order exactly, whatever runs in parallel: the open streams
/// run ahead of their turn, each on its own.
///   files("train-*.tfrecord") | interleave([](const file& f) { return tfrecords(f.path); }, {.cycle_length = 8})

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>
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

/// flat_map into streams is an interleave of one stream at a time.
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

  template <class Slot, class Up> struct nested_cursor {
    using element = typename inner::element;
    static constexpr bool blocks = Up::blocks || Slot::blocks;
    nested_cursor(const interleave_op& op, std::uint32_t id, std::vector<Slot> slots, Up up)
        : op_(&op),
          id_(id),
          slots_(std::move(slots)),
          open_(slots_.size(), false),
          over_(slots_.size(), false),
          up_(std::move(up)) {}

    void begin(std::uint64_t epoch) {
      close();
      waiting_.clear();
      error_ = nullptr;
      current_ = used_ = 0;
      up_.begin(epoch);
      ended_ = false;
    }
    template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
      while (budget != 0) {
        if (open_[current_] && over_[current_]) {
          open_[current_] = over_[current_] = false;
          advance();
        } else if (open_[current_]) {
          const auto block = op_->how.block_length;
          const auto want = std::min<std::uint64_t>(budget, block - used_);
          const auto p = slots_[current_].pump(
              [&](element&& x, const lineage& at) {
                ++used_;
                sink(std::move(x), at);
              },
              static_cast<std::size_t>(want));
          budget -= std::min<std::size_t>(budget, static_cast<std::size_t>(want));
          if (p == pulse::pending) return p;
          if (p == pulse::ended && used_ < block) {
            open_[current_] = false;
            advance();
          } else if (used_ >= block) {
            over_[current_] = p == pulse::ended;  // to be found out at its next turn
            advance();
          }
        } else if (waiting_.empty() && !ended_) {
          if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
          auto p = pulse::more;
          try {
            p = up_.pump([&](In&& x, const lineage& at) { waiting_.push_back({std::move(x), at}); }, 1);
          } catch (...) {
            if (waiting_.empty()) throw;
            error_ = std::current_exception();  // told after the elements before it
          }
          if (p == pulse::ended)
            ended_ = true;
          else if (p == pulse::pending && waiting_.empty())
            return p;
          else if (waiting_.empty())
            --budget;  // work that came to nothing is work: the caller looks out for a stop
        } else if (!waiting_.empty()) {
          auto x = std::move(waiting_.front());
          waiting_.pop_front();
          const element_context cx{x.at, 0, 0, 0, id_, 0};
          slots_[current_].open(detail::guarded(name, cx, [&] { return std::invoke(op_->f, std::move(x.value)); }),
                                x.at);
          open_[current_] = true;
        } else {
          if (std::find(open_.begin(), open_.end(), true) == open_.end()) return pulse::ended;
          advance();
        }
      }
      return pulse::more;
    }
    void leave() {
      close();
      up_.leave();
    }

   private:
    void advance() {
      used_ = 0;
      current_ = (current_ + 1) % slots_.size();
    }
    void close() {
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (open_[i]) slots_[i].leave();
        open_[i] = over_[i] = false;
      }
    }
    const interleave_op* op_;
    std::uint32_t id_;
    std::vector<Slot> slots_;
    std::vector<bool> open_;  // has a stream
    std::vector<bool> over_;  // which ended together with its block
    Up up_;
    std::deque<item<In>> waiting_;
    std::size_t current_ = 0;
    std::uint64_t used_ = 0;
    std::exception_ptr error_;
    bool ended_ = true;
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
                                " streams open at once; give a cycle_length of at most 4096");
  if (how.cycle_length == 0 || how.block_length == 0)
    throw std::invalid_argument(
        "plumbline: interleave has a cycle_length or block_length of 0 and would never go on; give at least 1");
  return interleave_of<F>{{}, std::move(f), how};
}

}  // namespace plumbline
