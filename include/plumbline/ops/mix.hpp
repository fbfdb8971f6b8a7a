#pragma once
/// mix({.weights, .seed}, a, b, ...): elements of several streams at random, in proportion to the weights. Each draw
/// depends only on seed, epoch and position, so the proportions hold in every shard and after a resume. Ends where a
/// stream that has ended is due, so give smaller ones a repeat(); with `ending::last` it goes on with the others.
///   mix({.weights = {0.7, 0.3}, .seed = 1}, range(9) | repeat(), range(100, 109) | repeat())
/// tf.data: sample_from_datasets, PyTorch: torchdata.nodes.MultiNodeWeightedSampler, grain: mix, mlx-data: -

#include <plumbline/core/exact_number.hpp>
#include <plumbline/ops/choose_from.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace plumbline {

struct mix_options {
  std::vector<double> weights{};  ///< one for each stream, in any unit; default: all alike
  std::uint64_t seed = 0;
  ending stop = ending::first;
};

namespace detail {
class random_choice {
 public:
  random_choice(const std::vector<double>& weights, std::uint64_t seed) : weights_(&weights), seed_(seed) {}
  void begin(std::uint64_t epoch) {
    key_ = hash_combine(seed_, epoch);
    position_ = 0;
  }
  void leave() {}
  void taken() { ++position_; }
  template <std::size_t N> pump_result choose(std::size_t& chosen, const std::array<bool, N>& open, std::size_t) {
    double all = 0;
    for (std::size_t i = 0; i != N; ++i)
      if (open[i]) all += weight(i);
    if (!(all > 0)) return pump_result::ended;  // those that are left have weight 0
    const double drawn = rng(key_, position_).uniform() * all;
    double sum = 0;
    for (std::size_t i = 0; i != N; ++i) {
      if (!open[i] || weight(i) == 0) continue;
      chosen = i;  // the last one if rounding leaves a gap
      if (drawn < (sum += weight(i))) break;
    }
    return pump_result::more;
  }
  template <class Io> void state(Io& io) { io(key_, position_); }

 private:
  double weight(std::size_t i) const { return weights_->empty() ? 1 : (*weights_)[i]; }
  const std::vector<double>* weights_;
  std::uint64_t seed_, key_ = 0, position_ = 0;
};
}  // namespace detail

struct mix_op : op_base {
  static constexpr std::string_view name = "mix";
  static constexpr bool reads_lineage = false;
  mix_options how;
  /// The weights as one number.
  auto parameters() const {
    std::uint64_t weights = 0;
    for (const double w : how.weights) weights = hash_combine(weights, std::bit_cast<std::uint64_t>(w));
    return std::tuple(weights, how.seed, how.stop);
  }

  template <class First, class...> using output = First;

  static constexpr stream_facts rule(stream_facts first, std::same_as<stream_facts> auto... rest) {
    // the ending is not part of the type: nothing is certain but that endless streams make an endless one
    auto out = detail::picked(cardinality::forever(), ending::first, first, rest...);
    if (!out.count.endless) out.count = cardinality::unknown();
    out.order = ordering::permuted;
    return out;
  }

  template <class... Ups> struct cursor : detail::picking_cursor<detail::random_choice, Ups...> {
    cursor(const mix_op& op, const stream_context&, Ups... ups)
        : detail::picking_cursor<detail::random_choice, Ups...>(detail::random_choice(op.how.weights, op.how.seed),
                                                                op.how.stop, std::move(ups)...) {}
  };
};

namespace detail {
template <class... Streams> consteval bool mix_streams() {
  constexpr bool several = sizeof...(Streams) >= 2, ok = (pipeline<Streams> && ...);
  static_assert(several, "plumbline: mix joins several streams, and got one or none; give at least two");
  static_assert(ok || !several,
                "plumbline: mix got an argument that is not a stream; begin it with a source, for example elements(v)");
  return several && ok;
}
}  // namespace detail

template <class... P> auto mix(mix_options how, P... streams) {
  if constexpr ((rejected<P> || ...)) {
    return ill_formed{};
  } else if constexpr (!detail::mix_streams<P...>()) {
    return ill_formed{};
  } else if constexpr (!detail::one_element_type<typename P::element...>()) {
    return ill_formed{};
  } else {
    if (!how.weights.empty() && how.weights.size() != sizeof...(P))
      throw std::invalid_argument("plumbline: mix: " + std::to_string(how.weights.size()) + " weights for " +
                                  std::to_string(sizeof...(P)) + " streams; give one for each");
    double all = how.weights.empty() ? 1 : 0;
    for (const double w : how.weights) {
      if (!(w >= 0 && w <= std::numeric_limits<double>::max()))
        throw std::invalid_argument("plumbline: mix: a weight is " + detail::exact_number(w) +
                                    "; give finite numbers of at least 0");
      all += w;
    }
    if (!std::isfinite(all))
      for (double& w : how.weights) w /= 2.0 * sizeof...(P);
    if (!(all > 0)) throw std::invalid_argument("plumbline: mix: all weights are 0; give at least one above 0");
    return node<mix_op, P...>(mix_op{{}, std::move(how)}, std::move(streams)...);
  }
}

}  // namespace plumbline
