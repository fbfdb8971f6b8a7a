#pragma once
/// repeat<K>(), repeat(k), repeat(): K epochs one after another, or epochs without end. Each is an epoch of its own:
/// shuffles permute anew and random functions draw anew. Batches after it may straddle two epochs, as in tf.data. An
/// endless repeat of an epoch without a single element is an error, not a hang.
///   range(3) | shuffle(1) | repeat(2)                   // two permutations of 0, 1, 2
/// tf.data: repeat, PyTorch: -, grain: repeat, mlx-data: repeat

#include <plumbline/core/chain.hpp>

#include <stdexcept>

namespace plumbline {

namespace detail {
struct endless_size {
  static constexpr std::uint64_t value() { return unbounded; }
  static constexpr cardinality known() { return cardinality::forever(); }
  static constexpr cardinality now() { return known(); }
};
}  // namespace detail

template <class Size> struct repeat_op : op_base {
  static constexpr std::string_view name = "repeat";
  static constexpr bool reads_lineage = false;
  static constexpr bool endless = std::same_as<Size, detail::endless_size>;
  [[no_unique_address]] Size n;
  static constexpr auto sizes = std::tuple(&repeat_op::n);

  template <class In> using output = In;
  template <class Up> static constexpr bool accepts = !Up::type_facts.one_pass;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    static_assert(ok,
                  "plumbline: repeat cannot restart this stream, its source can be walked only once; put cache() "
                  "before repeat, or use a source that can be restarted");
  }

  static constexpr stream_facts rule(stream_facts in, cardinality n) {
    in.count = times(in.count, n);
    return in;
  }
  /// How many of the upstream's epochs make one of this stream.
  constexpr std::uint64_t rounds() const { return endless ? std::uint64_t{1} << 32 : n.value(); }

  constexpr element_index map_index(element_index p, std::uint64_t up) const {
    if (up == unbounded) return p;
    if (up == 0) throw_nothing();
    return {p.index % up, p.epoch * rounds() + p.index / up};
  }
  constexpr std::uint64_t mapped_size(std::uint64_t up) const {
    return endless ? unbounded : detail::mul_sat(up, n.value());
  }

  [[noreturn]] static void throw_nothing() {
    throw std::runtime_error(
        "nothing to repeat: an epoch had no elements; check the files and filters before repeat()");
  }

  template <class Up> struct cursor {
    using element = typename Up::element;
    static constexpr cursor_traits traits{.wants_end = Up::traits.wants_end};
    constexpr cursor(const repeat_op& op, const stream_context&, Up up) : op_(&op), up_(std::move(up)) {}

    constexpr void begin(std::uint64_t epoch) {
      epoch_ = epoch;
      round_ = 0;
      if (op_->n.value() != 0) again();
    }
    template <class Sink> constexpr pump_result pump(Sink&& sink, std::size_t budget) {
      if (round_ == op_->n.value()) return pump_result::ended;
      const auto p = up_.pump(
          [&](element&& x, const lineage& at) {
            any_ = true;
            sink(std::move(x), at);
          },
          budget);
      if (p != pump_result::ended) return p;
      if (endless && !any_) throw_nothing();
      if (++round_ == op_->n.value()) return pump_result::ended;
      again();
      return pump_result::more;
    }
    constexpr void leave() { up_.leave(); }
    template <class Io> void state(Io& io) {
      io(epoch_, round_, any_);
      if (round_ != op_->n.value()) io(up_);
    }

   private:
    constexpr void again() {
      any_ = false;
      up_.begin(epoch_ * op_->rounds() + round_);
    }
    const repeat_op* op_;
    Up up_;
    std::uint64_t epoch_ = 0, round_ = 0;
    bool any_ = false;
  };
};

template <std::uint64_t K> constexpr auto repeat() { return repeat_op<size<K>>{}; }
constexpr auto repeat(std::uint64_t k) { return repeat_op<size<dynamic>>{{}, {k}}; }
constexpr auto repeat(std::signed_integral auto k) {
  return repeat(detail::count_from("repeat", k, "repeat() without a number goes on for ever"));
}
constexpr auto repeat() { return repeat_op<detail::endless_size>{}; }
detail::uncalled repeat(detail::uncalled);  // `| repeat`, without parentheses, is one error

}  // namespace plumbline
