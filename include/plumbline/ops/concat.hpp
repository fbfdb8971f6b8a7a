#pragma once
/// concat(a, b, ...): one stream after another, all of one element type.
///   concat(lines("a.txt"), lines("b.txt"))
/// tf.data: concatenate, PyTorch: ConcatDataset, ChainDataset, grain: MapDataset.concatenate, mlx-data: Buffer.append

#include <plumbline/core/chain.hpp>

namespace plumbline {

struct concat_op : op_base {
  static constexpr std::string_view name = "concat";
  static constexpr bool reads_lineage = false;

  template <class First, class...> using output = First;

  static constexpr stream_facts rule(stream_facts first, std::same_as<stream_facts> auto... rest) {
    auto count = first.count;
    ((count = plus(count, rest.count)), ...);
    return joined(count, first, rest...);
  }

  // all indexed
  template <class First, class... Rest> struct view {
    using element = typename First::element;
    std::tuple<First, Rest...> views;
    constexpr view(const concat_op&, const stream_context&, First f, Rest... r)
        : views(std::move(f), std::move(r)...) {}
    constexpr std::uint64_t size() const {
      return std::apply(
          [](const auto&... v) {
            std::uint64_t n = 0;
            ((n = detail::add_sat(n, v.size())), ...);
            return n;
          },
          views);
    }
    template <class Sink> constexpr void get(element_index p, Sink&& sink) const { get_from<0>(p, sink); }

   private:
    template <std::size_t I, class Sink> constexpr void get_from(element_index p, Sink& sink) const {
      const auto& v = std::get<I>(views);
      if constexpr (I == sizeof...(Rest)) {
        v.get(p, sink);
      } else {
        const auto n = v.size();
        if (p.index < n)
          v.get(p, sink);
        else
          get_from<I + 1>({p.index - n, p.epoch}, sink);
      }
    }
  };

  // any streams
  template <class First, class... Rest> struct cursor {
    using element = typename First::element;
    static constexpr cursor_traits traits{.wants_end = (First::traits.wants_end || ... || Rest::traits.wants_end)};
    cursor(const concat_op&, const stream_context&, First f, Rest... r) : ups_(std::move(f), std::move(r)...) {}

    void begin(std::uint64_t epoch) {
      leave();
      epoch_ = epoch;
      current_ = 0;
      at(0, [&](auto& up) { up.begin(epoch); });
    }
    template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
      pump_result p{};
      at(current_, [&](auto& up) { p = up.pump(sink, budget); });
      if (p != pump_result::ended) return p;
      if (++current_ > sizeof...(Rest)) return pump_result::ended;
      at(current_, [&](auto& up) { up.begin(epoch_); });
      return pump_result::more;
    }
    void leave() {
      if (current_ <= sizeof...(Rest)) at(current_, [](auto& up) { up.leave(); });
      current_ = sizeof...(Rest) + 1;
    }
    template <class Io> void state(Io& io) {
      if constexpr (Io::loads) leave();
      io(epoch_, current_);
      at(current_, [&](auto& up) { io(up); });
    }

   private:
    template <class F> void at(std::size_t i, F&& f) {
      [&]<std::size_t... I>(std::index_sequence<I...>) { ((I == i ? void(f(std::get<I>(ups_))) : void()), ...); }
      (std::index_sequence_for<First, Rest...>{});
    }
    std::tuple<First, Rest...> ups_;
    std::uint64_t epoch_ = 0;
    std::size_t current_ = sizeof...(Rest) + 1;
  };
};

namespace detail {
/// The compiler's message shows the template arguments of these functions.
template <class... Streams> consteval bool concat_joins_streams() {
  constexpr bool ok = (pipeline<Streams> && ...);
  static_assert(ok,
                "plumbline: concat got an argument that is not a stream; begin it with a source, for example "
                "elements(v)");
  return ok;
}
template <class First, class... Rest> consteval bool concat_joins_elements() {
  constexpr bool ok = (std::same_as<First, Rest> && ...);
  static_assert(
      ok,
      "plumbline: concat joins streams of different elements, see First and Rest in this message; map them to one "
      "type first");
  return ok;
}
}  // namespace detail

template <class First, class... Rest> constexpr auto concat(First first, Rest... rest) {
  if constexpr (rejected<First> || (rejected<Rest> || ...)) {
    return ill_formed{};
  } else if constexpr (!detail::concat_joins_streams<First, Rest...>()) {
    return ill_formed{};
  } else if constexpr (!detail::concat_joins_elements<typename First::element, typename Rest::element...>()) {
    return ill_formed{};
  } else {
    return node<concat_op, First, Rest...>(concat_op{}, std::move(first), std::move(rest)...);
  }
}

}  // namespace plumbline
