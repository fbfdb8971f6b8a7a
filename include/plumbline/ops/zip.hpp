#pragma once
/// zip(a, b, ...): tuples of the elements at the same position; ends with the shortest. Counts that are known to differ
/// are a compile-time error (cut the longer one with take).
///   zip(files("images/*.png") | read_file() | map(decode()), lines("labels.txt"))
/// tf.data: Dataset.zip, PyTorch: StackDataset, grain: ZipMapDataset, ZipIterDataset, mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/core/peeking.hpp>

namespace plumbline {

struct zip_op : op_base {
  static constexpr std::string_view name = "zip";
  static constexpr bool reads_lineage = false;

  template <class... In> using output = std::tuple<In...>;

  /// The facts of the joined streams; the elements have the lineage of the first stream's.
  static constexpr stream_facts rule(stream_facts first, std::same_as<stream_facts> auto... rest) {
    auto count = first.count;
    ((count = cut_to(count, rest.count)), ...);
    return joined(count, first, rest...);
  }

  // all indexed
  template <class... Views> struct view {
    using element = std::tuple<typename Views::element...>;
    std::tuple<Views...> views;
    constexpr view(const zip_op&, const stream_context&, Views... v) : views(std::move(v)...) {}
    constexpr std::uint64_t size() const {
      return std::apply([](const auto&... v) { return std::min({v.size()...}); }, views);
    }
    template <class Sink> constexpr void get(element_index p, Sink&& sink) const { gather<0>(p, lineage{}, sink); }

   private:
    template <std::size_t I, class Sink, class... Got>
    constexpr void gather(element_index p, const lineage& first, Sink& sink, Got&&... got) const {
      if constexpr (I == sizeof...(Views))
        sink(element(std::forward<Got>(got)...), first);
      else
        std::get<I>(views).get(p, [&](auto&& x, const lineage& at) {
          gather<I + 1>(p, I == 0 ? at : first, sink, std::forward<Got>(got)..., std::forward<decltype(x)>(x));
        });
    }
  };

  // any streams
  template <class... Ups> struct cursor {
    using element = std::tuple<typename Ups::element...>;
    static constexpr cursor_traits traits{.wants_end = (Ups::traits.wants_end || ...)};
    cursor(const zip_op&, const stream_context&, Ups... ups) : ups_{detail::peeking<Ups>(std::move(ups))...} {}

    void begin(std::uint64_t epoch) {
      each([&](auto& s) { s.begin(epoch); });
    }
    template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
      // As if one element of each stream were requested, from left to right: a stream's end or error counts only when
      // all streams to its left have their element (`sure`), and an error only after the elements before it.
      bool over = false, pending = false, sure = true;
      each([&](auto& s) {
        if (over || s.has()) return;
        if (s.look(budget) == pump_result::pending) pending = true;
        if (s.has()) return;
        if (sure && s.fails()) std::rethrow_exception(s.error());
        over = sure && s.over();
        sure = false;
      });
      if (over) {
        const auto others = detail::see_ends(ups_);
        if (others == pump_result::ended) leave();
        return others;
      }
      bool some = false;
      while (std::apply([](const auto&... s) { return (s.has() && ...); }, ups_)) {
        some = true;
        std::apply(
            [&](auto&... s) {
              const lineage at = std::get<0>(ups_).front().at;
              sink(element(std::move(s.front().value)...), at);
              (s.pop(), ...);
            },
            ups_);
      }
      return pending && !some ? pump_result::pending : pump_result::more;
    }
    void leave() {
      each([](auto& s) { s.leave(); });
    }
    template <class Io> void state(Io& io) { std::apply(io, ups_); }

   private:
    template <class F> void each(F&& f) {
      std::apply([&](auto&... s) { (f(s), ...); }, ups_);
    }
    std::tuple<detail::peeking<Ups>...> ups_;
  };
};

namespace detail {
/// True if all of these counts can be the same. An endless stream agrees with any.
consteval bool counts_agree(std::initializer_list<cardinality> counts) {
  cardinality common{};
  for (const auto c : counts)
    if (!c.endless) common = {std::max(common.least, c.least), std::min(common.most, c.most), false};
  return common.least <= common.most;
}

/// The compiler's message shows the template arguments of these functions.
template <cardinality... Counts> consteval bool zip_joins_counts() {
  constexpr bool ok = counts_agree({Counts...});
  static_assert(
      ok,
      "plumbline: zip joins streams of different counts, so elements would be lost silently, see Counts in this "
      "message; cut the longer one with take(n)");
  return ok;
}
template <class... Streams> consteval bool zip_joins_streams() {
  constexpr bool several = sizeof...(Streams) >= 2, ok = (pipeline<Streams> && ...);
  static_assert(several, "plumbline: zip joins several streams, and got one or none; give at least two");
  static_assert(ok || !several,
                "plumbline: zip got an argument that is not a stream; begin it with a source, for example elements(v)");
  return several && ok;
}
}  // namespace detail

template <class... P> constexpr auto zip(P... streams) {
  if constexpr ((rejected<P> || ...)) {
    return ill_formed{};
  } else if constexpr (!detail::zip_joins_streams<P...>()) {
    return ill_formed{};
  } else if constexpr (!detail::zip_joins_counts<P::type_facts.count...>()) {
    return ill_formed{};
  } else {
    return node<zip_op, P...>(zip_op{}, std::move(streams)...);
  }
}

}  // namespace plumbline
