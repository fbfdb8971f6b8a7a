#pragma once
/// An element as items of a memcached server: one item, or several pieces where it is larger than an item may be, all
/// on the server that owns its key. Each piece begins with a `piece_head`. The checksum there is that of the whole
/// element with its key, so pieces of two different copies never make an element, and those of two equal ones are the
/// same. Private to cache(servers).

#include <plumbline/data/crc32.hpp>
#include <plumbline/ext/memcached_client.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::detail {

struct piece_head {
  std::uint32_t crc;     ///< of the key and the whole element
  std::uint32_t number;  ///< of the piece, from 0
  std::uint64_t bytes;   ///< of the whole element
};
/// Two items fill a page of 1 MiB, memcached's default, with their keys and heads.
inline constexpr std::size_t piece_bytes = (std::size_t{1} << 19) - 1024;
inline constexpr std::size_t element_bytes = std::size_t{1} << 30;  ///< larger ones are not kept
inline constexpr std::size_t pieces_at_once = 16;                   ///< that are requested together

inline std::string piece_key(const std::string& key, std::size_t number) {
  return number == 0 ? key : key + "." + std::to_string(number);
}
inline std::uint32_t checksum(const std::string& key, std::span<const std::uint8_t> element) {
  return crc32c(element, crc32c({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()}));
}

/// Reads the element with this key. `has`: the element is in `to`. `damaged`: something else was found.
inline reply read_pieces(memcached_client& c, const std::string& key, std::vector<std::uint8_t>& to, bool& has,
                         bool& damaged) {
  to.clear();
  piece_head first{};
  std::size_t number = 0;  // of the pieces that were read
  std::vector<std::string> keys{key};
  std::size_t before = 0;
  const auto take = [&](std::string_view name, std::span<const std::uint8_t> value) {
    piece_head head{};
    const bool whole = value.size() >= sizeof head;
    if (whole) std::memcpy(&head, value.data(), sizeof head);
    if (number == 0) first = head;
    const auto begin = number * piece_bytes;
    damaged = damaged || !whole || number - before >= keys.size() || name != keys[number - before] ||
              head.number != number || head.crc != first.crc || head.bytes != first.bytes ||
              head.bytes > element_bytes || begin > head.bytes ||
              value.size() - sizeof head != std::min<std::size_t>(piece_bytes, head.bytes - begin);
    if (damaged) return;
    value = value.subspan(sizeof head);
    if (number == 0) to.reserve(std::min<std::size_t>(head.bytes, pieces_at_once * piece_bytes));
    to.insert(to.end(), value.begin(), value.end());
    ++number;
  };
  do {
    before = number;
    if (c.get(keys, take) == reply::failed) return reply::failed;
    if (before == 0 && number == 0 && !damaged) return reply::done;  // not there
    damaged = damaged || number != before + keys.size();
    keys.clear();
    for (auto n = number; n * piece_bytes < first.bytes && keys.size() != pieces_at_once; ++n)
      keys.push_back(piece_key(key, n));
  } while (!damaged && !keys.empty());
  damaged = damaged || checksum(key, to) != first.crc;
  has = !damaged;
  return reply::done;
}
/// What is known of an element that was requested among several.
struct looked_up {
  enum : unsigned char { unknown, missing, found } state = unknown;  ///< unknown: it has to be requested alone
  std::vector<std::uint8_t> bytes{};                                 ///< if found
};
/// Receives the elements with these keys, which were requested from the server, and writes the replies to `to`. Those
/// of several pieces, and those that are damaged, are unknown; if the server fails, all are missing.
inline reply receive_several(memcached_client& c, std::span<const std::string> keys, std::span<looked_up* const> to) {
  std::size_t at = 0;  // a server answers in order, and leaves out what it does not have
  const auto take = [&](std::string_view name, std::span<const std::uint8_t> value) {
    for (auto k = at; k != keys.size(); ++k) {
      if (keys[k] != name) continue;
      at = k + 1;
      to[k]->state = looked_up::unknown;
      piece_head head{};
      if (value.size() < sizeof head) return;
      std::memcpy(&head, value.data(), sizeof head);
      value = value.subspan(sizeof head);
      if (head.number != 0 || head.bytes != value.size() || checksum(keys[k], value) != head.crc) return;
      to[k]->bytes.assign(value.begin(), value.end());
      to[k]->state = looked_up::found;
      return;
    }
  };
  for (auto* x : to) x->state = looked_up::missing;
  const auto done = c.receive(take);
  if (done == reply::failed)
    for (auto* x : to) x->state = looked_up::missing;
  return done;
}
/// Writes an element, which begins with room for a piece_head. The first piece last: without it the others are not
/// read.
inline reply write_pieces(memcached_client& c, const std::string& key, std::vector<std::uint8_t>& bytes) {
  const auto size = bytes.size() - sizeof(piece_head);
  piece_head head{checksum(key, std::span(bytes).subspan(sizeof head)), 0, size};
  const auto pieces = std::max<std::size_t>(1, (size + piece_bytes - 1) / piece_bytes);
  for (auto n = pieces; n-- != 0;) {
    // the head takes the place of the bytes before the piece, which come back afterwards
    auto* at = bytes.data() + n * piece_bytes;
    piece_head before{};
    std::memcpy(&before, at, sizeof before);
    head.number = static_cast<std::uint32_t>(n);
    std::memcpy(at, &head, sizeof head);
    const auto r = c.set(piece_key(key, n), {at, sizeof head + std::min(piece_bytes, size - n * piece_bytes)});
    std::memcpy(at, &before, sizeof before);
    if (r == reply::refused)  // frees what the others take
      for (auto k = n + 1; k != pieces; ++k)
        if (c.remove(piece_key(key, k)) == reply::failed) return reply::failed;
    if (r != reply::done) return r;
  }
  return reply::done;
}

}  // namespace plumbline::detail
