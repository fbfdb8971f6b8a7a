#pragma once
/// cache(bytes(n)): keeps the elements that fit in n bytes, in memory, and makes the others again in each epoch. None
/// is evicted: from the second epoch on, exactly those that did not fit are made again, in whatever order elements are
/// requested. (Evicting the least recently used, as the page cache does, loses what the same epoch still needs: with
/// room for half of the files, a shuffled epoch would read 85 % of them again.) The rules are those of cache(), and the
/// stream must be indexed.
///   files("*.jpg") | shuffle(1) | read_file() | cache(bytes(4_GiB)) | map(decode())
/// `4_GiB` needs `using namespace plumbline::literals`. Elements count with what they own, which is known of tensors,
/// images, strings, vectors, pointers and structs of these; for another class specialise heap_bytes (data/nbytes.hpp).
/// Memory beyond n: up to 50 bytes for each element that is kept; and as elements lie side by side in pages, up to
/// `sizeof` of those that are not, at most 4 n + 16 MiB.
/// tf.data: -, PyTorch: -, grain: -, mlx-data: -

#include <plumbline/core/bytes.hpp>
#include <plumbline/data/limited_store.hpp>
#include <plumbline/ops/cache.hpp>

#include <memory>
#include <string>

namespace plumbline {

struct part_cache_op : cache_op {
  static constexpr bool keeps_part = true;
  bytes limit;

  template <class Up>
  static constexpr bool accepts = detail::keeps_part_of<Up> && !detail::uncounted<typename Up::element>();
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    if constexpr (!detail::keeps_part_of<Up>)
      detail::explain_part<Up, ok>();
    else
      static_assert(ok,
                    "plumbline: cache(bytes) counts the memory of its elements, and of this class it is not known what "
                    "an object holds; specialise plumbline::heap_bytes for it (data/nbytes.hpp)");
  }
  static constexpr stream_facts rule(stream_facts in) { return in; }
  /// How explain() shows the operator.
  std::string label() const { return "cache(" + to_string(limit) + ")"; }

  template <class In> using store = limited_store<In>;
  template <class In> auto open_store(std::uint64_t size, const replay_context&) const {
    return std::make_shared<store<In>>(size, limit);
  }
};

constexpr auto cache(bytes limit) { return part_cache_op{{}, limit}; }

}  // namespace plumbline
