#pragma once
/// choose_from(choices, a, b, ...): for each number of the stream `choices`, the next element of that stream: 0 for a,
/// 1 for b. Ends with the choices, or where a stream that has ended is chosen; with `ending::last` such choices are
/// skipped, and it ends when all streams have; endless choices must then name each of them again and again.
///   choose_from(elements(std::vector{0, 0, 1}) | repeat(), range(9), range(100, 109))
/// tf.data: choose_from_datasets, PyTorch: -, grain: MapDataset.select_from_datasets, mlx-data: -

#include <plumbline/ops/picking.hpp>

#include <concepts>
#include <limits>
#include <stdexcept>
#include <utility>

namespace plumbline {

namespace detail {
template <class Choices> class stated_choice {
 public:
  explicit stated_choice(Choices choices) : choices_(std::move(choices)) {}
  void begin(std::uint64_t epoch) { choices_.begin(epoch); }
  void leave() { choices_.leave(); }
  void taken() {}
  template <std::size_t N>
  pump_result choose(std::size_t& chosen, const std::array<bool, N>& open, std::size_t budget) {
    for (auto tries = budget; tries != 0; --tries) {
      pump_result p{};
      if (!choices_.has()) p = choices_.look(budget);
      if (!choices_.has()) {
        if (const auto e = choices_.error()) std::rethrow_exception(e);
        return choices_.over() ? pump_result::ended : p;
      }
      const auto which = choices_.front().value;
      choices_.pop();
      if (std::cmp_less(which, 0) || std::cmp_greater_equal(which, N))
        throw std::out_of_range("there is no stream " + std::to_string(which) + "; choose from 0 to " +
                                std::to_string(N - 1));
      if (!open[static_cast<std::size_t>(which)]) continue;
      chosen = static_cast<std::size_t>(which);
      break;
    }
    return pump_result::more;
  }
  template <class Io> void state(Io& io) { io(choices_); }

 private:
  peeking<Choices> choices_;
};
}  // namespace detail

template <ending Stop> struct choose_from_op : op_base {
  static constexpr std::string_view name = "choose_from";
  static constexpr bool reads_lineage = false;

  template <class Choices, class First, class...> using output = First;

  static constexpr stream_facts rule(stream_facts choices, stream_facts first,
                                     std::same_as<stream_facts> auto... rest) {
    auto out = detail::picked(choices.count, Stop, first, rest...);
    out.one_pass = out.one_pass || choices.one_pass;
    out.blocking = out.blocking || choices.blocking;
    if (choices.order == ordering::permuted || choices.draws == randomness::seeded) out.order = ordering::permuted;
    return out;
  }

  template <class Choices, class... Ups>
  struct cursor : detail::picking_cursor<detail::stated_choice<Choices>, Ups...> {
    cursor(const choose_from_op&, const stream_context&, Choices choices, Ups... ups)
        : detail::picking_cursor<detail::stated_choice<Choices>, Ups...>(
              detail::stated_choice<Choices>(std::move(choices)), Stop, std::move(ups)...) {}
  };
};

namespace detail {
/// The compiler's message shows the template arguments of these functions.
template <class Number> consteval bool choose_from_counts() {
  constexpr bool ok = std::integral<Number> && !std::same_as<Number, bool>;
  static_assert(ok,
                "plumbline: choose_from's first stream must hold the indices of the others, see Number in this "
                "message; map it to integers");
  return ok;
}
template <class... Streams> consteval bool choose_from_streams() {
  constexpr bool several = sizeof...(Streams) >= 2, ok = (pipeline<Streams> && ...);
  static_assert(several, "plumbline: choose_from needs the stream of choices and at least one to choose from");
  static_assert(ok || !several,
                "plumbline: choose_from got an argument that is not a stream; begin it with a source, for example "
                "elements(v)");
  return several && ok;
}
template <class First, class... Rest> consteval bool one_element_type() {
  constexpr bool ok = (std::same_as<First, Rest> && ...);
  static_assert(ok,
                "plumbline: the streams to choose from have different elements, see First and Rest in this message; "
                "map them to one type first");
  return ok;
}
template <ending Stop, class Choices, class... P> constexpr auto chosen_from(Choices choices, P... streams) {
  if constexpr (rejected<Choices> || (rejected<P> || ...)) {
    return ill_formed{};
  } else if constexpr (!choose_from_streams<Choices, P...>()) {
    return ill_formed{};
  } else if constexpr (!choose_from_counts<typename Choices::element>()) {
    return ill_formed{};
  } else if constexpr (!one_element_type<typename P::element...>()) {
    return ill_formed{};
  } else {
    return node<choose_from_op<Stop>, Choices, P...>({}, std::move(choices), std::move(streams)...);
  }
}
}  // namespace detail

template <ending Stop = ending::first, class... P> constexpr auto choose_from(P... streams) {
  return detail::chosen_from<Stop>(std::move(streams)...);
}

}  // namespace plumbline
