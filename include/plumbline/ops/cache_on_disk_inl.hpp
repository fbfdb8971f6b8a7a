#pragma once
/// Definitions of ops/cache_on_disk.hpp.

#include <plumbline/ops/cache_on_disk.hpp>

namespace plumbline {

namespace detail {
PLUMBLINE_INLINE void encode_place(const lineage& at, std::uint64_t epoch, byte_writer& to) {
  codec<lineage>::encode(at, to);
  codec<std::uint64_t>::encode(epoch, to);
}
PLUMBLINE_INLINE std::pair<lineage, std::uint64_t> decode_place(byte_reader& from) {
  const auto at = codec<lineage>::decode(from);
  return {at, codec<std::uint64_t>::decode(from)};
}
}  // namespace detail

PLUMBLINE_INLINE std::shared_ptr<detail::element_files> cache_on_disk_op::open(const replay_context& cx,
                                                                               std::uint64_t format) const {
  auto identity = hash_combine(cx.upstream, version);
  if (format != 0) identity = hash_combine(identity, format);
  return std::make_shared<detail::element_files>(folder, identity, cx.upstream_text, most, cx.upstream_files);
}

}  // namespace plumbline
