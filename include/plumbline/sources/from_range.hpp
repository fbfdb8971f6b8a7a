#pragma once
/// from_range(r): the elements of any input range, std::ranges or range-v3, views and generators included.
/// A range that can be iterated again (forward) can be restarted; one that cannot (istream) is `one_pass`: a second
/// epoch is an error, and repeat after it does not compile. Iteration is serial. The range is moved in and shared
/// between copies of the pipeline. It must not change while a stream runs, and only one stream at a time may iterate
/// over a one-pass range.
///   from_range(std::views::iota(0, 10)) | batch<4>()
/// tf.data: from_generator, PyTorch: torchdata.nodes.IterableWrapper, grain: MapDataset.source,
/// mlx-data: stream_python_iterable

#include <plumbline/core/chain.hpp>

#include <algorithm>  // also has the concepts of std::ranges: <ranges> costs every user a tenth of a second
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>

namespace plumbline {

template <class R> struct from_range_source : source_base {
  using element = std::remove_cvref_t<decltype(*std::ranges::begin(std::declval<R&>()))>;
  static constexpr std::string_view name = "from_range";
  static constexpr bool again = std::ranges::forward_range<R>;

  struct held_range {
    R range;
    std::atomic<bool> used{false};
    explicit held_range(R r) : range(std::move(r)) {}
  };
  std::shared_ptr<held_range> held;

  static constexpr stream_facts type_facts{.one_pass = !again};
  stream_facts facts() const {
    stream_facts f = type_facts;
    if constexpr (std::ranges::sized_range<R>)
      f.count = cardinality::exactly(static_cast<std::uint64_t>(std::ranges::size(held->range)));
    return f;
  }
  struct reader {
    std::shared_ptr<held_range> of;
    decltype(std::ranges::begin(std::declval<R&>())) at;
    decltype(std::ranges::end(std::declval<R&>())) end;
    bool moved = false;
    std::optional<element> next() {
      // advanced only when the next element is requested: an input range may wait in it
      if (std::exchange(moved, true) && at != end) ++at;
      if (at == end) return std::nullopt;
      return std::optional<element>(*at);
    }
  };
  reader open(std::uint64_t) const {
    if (!again && held->used.exchange(true))
      throw std::runtime_error("this range can be walked only once, and it has been; make the pipeline anew");
    return {held, std::ranges::begin(held->range), std::ranges::end(held->range)};
  }
};

namespace detail {
template <class R> consteval bool from_range_gives_elements() {
  constexpr bool walked = std::ranges::input_range<R>;
  static_assert(walked,
                "plumbline: from_range(r) cannot walk r, which is not an input range; give it something with begin() "
                "and end(), by value or as a view");
  if constexpr (walked) {
    using given = decltype(*std::ranges::begin(std::declval<R&>()));
    constexpr bool made = std::move_constructible<std::remove_cvref_t<given>> &&
                          std::constructible_from<std::remove_cvref_t<given>, given>;
    static_assert(made,
                  "plumbline: from_range(r) copies each element out of r, and this one cannot be copied; hold it in "
                  "shared_ptr, or make it anew with generate(n, f)");
    return made;
  } else {
    return false;
  }
}
}  // namespace detail

template <class R> auto from_range(R range) {
  if constexpr (detail::from_range_gives_elements<R>()) {
    using S = from_range_source<R>;
    return from(S{{}, std::make_shared<typename S::held_range>(std::move(range))});
  } else {
    return ill_formed{};
  }
}

}  // namespace plumbline
