#pragma once
/// cache(share(from, to)): keeps a share of the elements in memory, and makes the others again in each epoch. The same
/// ones every time, chosen by their source element's index (core/share.hpp), so that several caches in one pipeline can
/// divide the elements: an element that is kept decoded need not be kept as a file, too. The rules are those of
/// cache(bytes(n)). Memory: that share of what the elements own, and up to `sizeof` of all of them, as they lie side by
/// side in pages.
///   files("*.jpg") | shuffle(1) | read_file() | cache(share(0.4, 1)) | map(decode()) | cache(share(0.4))
/// place_caches (model/place_caches.hpp) says which shares are best.
/// tf.data: -, PyTorch: -, grain: -, mlx-data: -

#include <plumbline/core/share.hpp>
#include <plumbline/data/share_store.hpp>
#include <plumbline/ops/cache.hpp>

#include <memory>
#include <string>

namespace plumbline {

struct share_cache_op : cache_op {
  static constexpr bool keeps_part = true;
  share of;

  template <class Up> static constexpr bool accepts = detail::keeps_part_of<Up>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() { detail::explain_part<Up, ok>(); }
  static constexpr stream_facts rule(stream_facts in) { return in; }
  /// How explain() shows the operator.
  std::string label() const { return "cache(" + to_string(of) + ")"; }

  template <class In> using store = share_store<In>;
  template <class In> auto open_store(std::uint64_t size, const replay_context&) const {
    return std::make_shared<store<In>>(size, of);
  }
};

template <class P> struct keeper {
  using op = cache_op;
  using share_op = share_cache_op;
  static constexpr op keeping() { return {}; }
  static constexpr share_op keeping(share of) { return {{}, of}; }
};

constexpr auto cache(share of) { return share_cache_op{{}, of}; }

}  // namespace plumbline
