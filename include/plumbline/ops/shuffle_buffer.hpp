#pragma once
/// shuffle(buffer, seed): any stream, shuffled within a buffer, as tf.data's shuffle: the buffer is filled, then each
/// element out is a uniform draw from it, replaced by the next one in. New draws every epoch. Memory: `buffer`
/// elements. shuffle(buffer, seed, each_epoch::same): the same draws every epoch.
///   lines("corpus/*.txt") | shuffle(10000, 42) | map(tokenize)
/// tf.data: shuffle(buffer_size, seed), PyTorch: -, grain: WindowShuffleIterDataset, mlx-data: Stream.shuffle

#include <plumbline/core/chain.hpp>
#include <plumbline/core/reshuffle.hpp>
#include <plumbline/core/state.hpp>

#include <optional>
#include <stdexcept>
#include <vector>

namespace plumbline {

namespace detail {
/// A slot whose element can be replaced, even if it cannot be assigned (a const or reference member).
template <class T> struct replaceable {
  T value;
  T&& take() { return std::move(value); }
  void put(T&& x) { value = std::move(x); }
};
template <class T>
  requires(!std::is_move_assignable_v<T>)
struct replaceable<T> {
  std::optional<T> value;
  T&& take() { return std::move(*value); }
  void put(T&& x) { value.emplace(std::move(x)); }
};
template <class T> inline constexpr bool copies<replaceable<T>> = copies<T>;
}  // namespace detail

template <reshuffle How> struct shuffle_buffer_op : op_base {
  static constexpr std::string_view name = "shuffle";
  static constexpr bool reads_lineage = false;
  size<dynamic> n;
  std::uint64_t seed;
  constexpr auto parameters() const { return std::tuple(n.value(), seed); }

  constexpr shuffle_buffer_op(std::uint64_t buffer, std::uint64_t s) : n{buffer}, seed(s) {
    if (buffer == 0)
      throw std::invalid_argument("plumbline: shuffle(0, seed) has a buffer that holds nothing; give at least 1");
  }

  template <class In> using output = In;
  constexpr std::uint64_t holds() const { return n.value(); }

  static constexpr stream_facts rule(stream_facts in) {
    if (How == reshuffle::each_epoch) in.order = ordering::permuted;
    return in;
  }

  template <class In> struct kernel {
    std::vector<item<detail::replaceable<In>>> held;
    std::uint64_t room;
    rng draw;
    kernel(const shuffle_buffer_op& op, const stream_context& cx)
        : room(op.n.value()), draw(hash_combine(op.seed, detail::permuted_as_in<How>(cx.epoch))) {
      held.reserve(detail::room_for<item<detail::replaceable<In>>>(room));
    }
    void push(In&& x, const lineage& at, auto&& emit) {
      if (held.size() < room) {
        held.push_back({{std::move(x)}, at});
        return;
      }
      auto& slot = held[static_cast<std::size_t>(draw.below(room))];
      emit(slot.value.take(), slot.at);
      slot.value.put(std::move(x));
      slot.at = at;
    }
    template <class Io> void state(Io& io) { io(held, draw); }
    void finish(auto&& emit) {
      while (!held.empty()) {
        auto& slot = held[static_cast<std::size_t>(draw.below(held.size()))];
        emit(slot.value.take(), slot.at);
        if (&slot != &held.back()) {
          slot.value.put(held.back().value.take());
          slot.at = held.back().at;
        }
        held.pop_back();
      }
    }
  };
};

template <reshuffle How = reshuffle::each_epoch>
constexpr auto shuffle(std::uint64_t buffer, std::uint64_t seed, std::integral_constant<reshuffle, How> = {}) {
  return shuffle_buffer_op<How>(buffer, seed);
}
template <reshuffle How = reshuffle::each_epoch>
constexpr auto shuffle(std::signed_integral auto buffer, std::uint64_t seed,
                       std::integral_constant<reshuffle, How> how = {}) {
  return shuffle(detail::count_from("shuffle", buffer, "give at least 1"), seed, how);
}

}  // namespace plumbline
