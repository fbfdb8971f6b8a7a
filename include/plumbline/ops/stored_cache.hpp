#pragma once
/// stored_cache_op: the base of caches that keep elements as bytes (data/codec.hpp), where other runs or processes find
/// them: in files, on servers, in shared memory. They know an element by a hash of the pipeline before them and by
/// `version`, of what cannot be seen of it.

#include <plumbline/data/codec.hpp>
#include <plumbline/data/content_hash.hpp>
#include <plumbline/ops/cache.hpp>

#include <cstdint>
#include <tuple>

namespace plumbline {

struct cache_options {
  std::uint64_t version = 0;  ///< of what the functions before the cache do
};

namespace detail {
/// The compiler's message shows the template arguments of this function.
template <class Element, bool ok> consteval void cache_stores() {
  static_assert(
      ok,
      "plumbline: cache(folder), cache(servers) and cache(shared_memory) keep elements as bytes, and this one "
      "cannot be written as bytes, see Element in this message; map it to numbers, strings, tensors, vectors "
      "or plain structs of those, or specialise plumbline::codec for it");
}
/// The compiler's message shows the template arguments of this function.
template <class Hidden, bool ok> consteval void pipelines_can_be_compared() {
  static_assert(
      ok,
      "plumbline: cache(folder), cache(servers) and cache(shared_memory) compare what functions and elements(v) hold, "
      "and this type hides it, see Hidden in this message; specialise plumbline::codec for it, or "
      "give it, or the function that holds it, std::uint64_t content() const, a hash of what is held. A plain struct "
      "hides nothing if it has no C arrays (std::array is fine), no base class and at most 24 members");
}
}  // namespace detail

struct stored_cache_op : cache_op {
  /// Lineage is stored where it must be (replaying_cursor), as a later run may read it, even if this one does not.
  static constexpr bool persists = true, reads_lineage = true;
  std::uint64_t version = 0;
  auto parameters() const { return std::tuple(version); }

  template <class Up>
  static constexpr bool accepts =
      cache_op::accepts<Up>&& storable<typename Up::element>&& detail::comparable_content<Up>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    if constexpr (!cache_op::accepts<Up>)
      cache_op::explain<Up>();
    else if constexpr (!storable<typename Up::element>)
      detail::cache_stores<typename Up::element, ok>();
    else
      detail::pipelines_can_be_compared<typename detail::hidden_in_pipeline<Up>::type, ok>();
  }
};
/// For those that keep a part. (explain() does not call the base's: each call is lines in the compiler's message.)
struct stored_part_cache_op : stored_cache_op {
  static constexpr bool keeps_part = true;
  template <class Up> static constexpr bool accepts = stored_cache_op::accepts<Up>&& detail::keeps_part_of<Up>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    if constexpr (!cache_op::accepts<Up> || stored_cache_op::accepts<Up>)
      detail::explain_part<Up, ok>();
    else if constexpr (!storable<typename Up::element>)
      detail::cache_stores<typename Up::element, ok>();
    else
      detail::pipelines_can_be_compared<typename detail::hidden_in_pipeline<Up>::type, ok>();
  }
  static constexpr stream_facts rule(stream_facts in) { return in; }
};

}  // namespace plumbline
