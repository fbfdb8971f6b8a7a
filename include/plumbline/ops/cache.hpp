#pragma once
/// cache(): keeps the elements in memory and replays them in the epochs that follow. Only what is the same in every
/// epoch can be kept: nothing random and nothing endless may come before it. Memory: all elements of the stream.
///
/// Where elements are made by index, each is kept when it is first made, in whatever order and however far the epoch
/// goes, and the stream stays indexed: shuffle(seed) may come before the cache or after it.
///   files("*.jpg") | shuffle(1) | read_file() | map(decode()) | cache()  // decoded once, permuted anew every epoch
/// Elsewhere a whole epoch is kept in its order, so nothing shuffled may come before it, and an epoch that is left
/// early is not kept. take(n) leaves a stream early even after its last element; zip and choose_from do not.
/// tf.data: cache, PyTorch: -, grain: CacheIterDataset, mlx-data: Stream.to_buffer

#include <plumbline/core/chain.hpp>
#include <plumbline/core/copies.hpp>
#include <plumbline/core/form.hpp>
#include <plumbline/data/memory_store.hpp>
#include <plumbline/ops/replaying_cursor.hpp>

namespace plumbline {

struct cache_op : op_base {
  static constexpr std::string_view name = "cache";
  static constexpr bool reads_lineage = false, replays = true;

  template <class In> using output = In;
  /// The storage for elements that are made by index.
  template <class In> using store = memory_store<In>;
  template <class Up>
  static constexpr bool accepts = Up::type_facts.draws == randomness::none &&
                                  (Up::type_facts.order == ordering::fixed || Up::type_facts.keyed) &&
                                  !Up::type_facts.count.endless && detail::copies<typename Up::element>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    if constexpr (Up::type_facts.count.endless)
      static_assert(ok, "plumbline: cache cannot keep an endless stream; put cache() before repeat()");
    else if constexpr (Up::type_facts.draws != randomness::none)
      static_assert(
          ok,
          "plumbline: cache would give the same random draws in every epoch; put cache() before the first random "
          "operator");
    else if constexpr (Up::type_facts.order != ordering::fixed)
      static_assert(ok, "plumbline: cache would give the same order in every epoch; put cache() before shuffle");
    else
      static_assert(
          ok,
          "plumbline: cache replays each element in every epoch, so it must be copyable, and this one is not; "
          "hold it in shared_ptr");
  }

  static constexpr stream_facts rule(stream_facts in) {
    in.indexed = in.keyed;
    in.one_pass = false;  // from the second epoch on, the upstream is not read
    return in;
  }

  template <class Up> struct cursor : detail::replaying_cursor<Up, detail::sequence_in_memory<typename Up::element>> {
    cursor(const cache_op&, const replay_context& cx, Up up) : cursor::replaying_cursor(name, cx, {}, std::move(up)) {}
  };
};

namespace detail {
/// For the caches that keep a part: the rules, and the message for a stream that is not indexed.
template <class Up> inline constexpr bool keeps_part_of = cache_op::accepts<Up>&& Up::type_facts.keyed;
template <class Up, bool ok> consteval void explain_part() {
  if constexpr (!cache_op::accepts<Up>)
    cache_op::explain<Up>();
  else
    static_assert(ok,
                  "plumbline: a cache with a limit or a share keeps some elements by index, and this stream is not "
                  "indexed, so all elements before a missing one would be made to find it; put it nearer to an indexed "
                  "source (files, "
                  "elements, range), before filter, flat_map or shuffle(buffer), or use cache() without a limit");
}
}  // namespace detail

constexpr auto cache() { return cache_op{}; }

}  // namespace plumbline
