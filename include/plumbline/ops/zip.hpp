#pragma once
/// zip(a, b, ...): tuples of the elements at the same place; ends with the shortest. Counts that are known to differ
/// are an error when it compiles (cut the longer one with take).
///   zip(files("images/*.png") | read_file() | map(decode()), lines("labels.txt"))

#include <plumbline/core/chain.hpp>

#include <deque>

namespace plumbline {

struct zip_op : op_base {
  static constexpr std::string_view name = "zip";
  static constexpr bool reads_lineage = false;

  template <class... In> using output = std::tuple<In...>;

  /// The type's facts; the elements are numbered as the first stream's.
  static constexpr stream_facts rule(stream_facts first, std::same_as<stream_facts> auto... rest) {
    stream_facts out = first;
    out.indexed = first.indexed && !first.blocking;
    ((out.count = cut_to(out.count, rest.count)), ...);
    ((out.order = rest.order == ordering::permuted ? rest.order : out.order), ...);
    ((out.draws = rest.draws == randomness::seeded ? rest.draws : out.draws), ...);
    ((out.indexed = out.indexed && rest.indexed && !rest.blocking), ...);
    ((out.one_pass = out.one_pass || rest.one_pass), ...);
    ((out.blocking = out.blocking || rest.blocking), ...);
    return out;
  }

  // all indexed
  template <class... Views> struct view {
    using element = std::tuple<typename Views::element...>;
    std::tuple<Views...> views;
    view(const zip_op&, Views... v) : views(std::move(v)...) {}
    std::uint64_t size() const {
      return std::apply([](const auto&... v) { return std::min({v.size()...}); }, views);
    }
    item<element> get(place p) const {
      return std::apply(
          [&](const auto&... v) {
            std::tuple<decltype(v.get(p))...> got{v.get(p)...};
            return std::apply(
                [](auto&... x) {
                  return item<element>{element(std::move(x.value)...), first_of(x.at...)};
                },
                got);
          },
          views);
    }

   private:
    static lineage first_of(const lineage& a, const auto&...) { return a; }
  };

  // any streams
  template <class... Ups> struct cursor {
    using element = std::tuple<typename Ups::element...>;
    static constexpr bool blocks = (Ups::blocks || ...);
    cursor(const zip_op&, const stream_context&, Ups... ups) : ups_{side<Ups>{std::move(ups)}...} {}

    void begin(std::uint64_t epoch) {
      each([&](auto& s) {
        s.waiting.clear();
        s.ended = false;
        s.up.begin(epoch);
      });
    }
    template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
      bool over = false, pending = false;
      each([&](auto& s) {
        if (over || !s.waiting.empty()) return;
        if (!s.ended) {
          const auto p = s.up.pump(
              [&](auto&& x, const lineage& at) {
                s.waiting.push_back({std::move(x), at});
              },
              budget);
          s.ended = p == pulse::ended;
          pending = pending || p == pulse::pending;
        }
        over = s.waiting.empty() && s.ended;
      });
      if (over) {
        each([](auto& s) {
          if (!s.ended) s.up.leave();
          s.waiting.clear();
        });
        return pulse::ended;
      }
      bool some = false;
      while (std::apply([](const auto&... s) { return (!s.waiting.empty() && ...); }, ups_)) {
        some = true;
        std::apply(
            [&](auto&... s) {
              const lineage at = std::get<0>(ups_).waiting.front().at;
              sink(element(std::move(s.waiting.front().value)...), at);
              (s.waiting.pop_front(), ...);
            },
            ups_);
      }
      return pending && !some ? pulse::pending : pulse::more;
    }
    void leave() {
      each([](auto& s) { s.up.leave(); });
    }

   private:
    template <class Up> struct side {
      Up up;
      std::deque<item<typename Up::element>> waiting{};
      bool ended = true;
    };
    template <class F> void each(F&& f) {
      std::apply([&](auto&... s) { (f(s), ...); }, ups_);
    }
    std::tuple<side<Ups>...> ups_;
  };
};

namespace detail {
/// Do the counts that the types know rule each other out?
template <class... P> consteval bool counts_agree() {
  std::uint64_t known = unbounded;
  bool ok = true;
  ((P::type_facts.count.exact() ? void((ok = ok && (known == unbounded || known == P::type_facts.count.least),
                                        known = P::type_facts.count.least))
                                : void()),
   ...);
  return ok;
}
}  // namespace detail

/// An argument that is no stream is refused by name; a rejected one swallows the zip.
template <class... P> constexpr auto zip(P... streams) {
  static_assert(sizeof...(P) >= 2, "plumbline: zip joins at least two streams");
  if constexpr ((std::same_as<P, ill_formed> || ...)) {
    return ill_formed{};
  } else if constexpr (!(pipeline<P> && ...)) {
    static_assert((pipeline<P> && ...),
                  "plumbline: zip: an argument is no stream; begin it with a source, for example elements(v)");
    return ill_formed{};
  } else if constexpr (!detail::counts_agree<P...>()) {
    static_assert(detail::counts_agree<P...>(),
                  "plumbline: zip: the streams have different counts, so elements would be lost "
                  "silently; cut the longer one with take(n)");
    return ill_formed{};
  } else {
    return node<zip_op, P...>(zip_op{}, std::move(streams)...);
  }
}

}  // namespace plumbline
