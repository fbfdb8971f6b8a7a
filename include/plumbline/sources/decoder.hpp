#pragma once
/// The interface for reading a compressed stream, independent of the library that decodes it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>

namespace plumbline::detail {

/// Turns compressed bytes into plain ones. One object per stream.
class decoder {
 public:
  struct step {
    std::size_t consumed = 0, produced = 0;
    bool ended = false;  ///< the compressed stream is complete; call restart() before decoding another that follows it
  };
  decoder() = default;
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;
  virtual ~decoder() = default;
  /// Throws damaged_stream, but only after everything before the damage was produced.
  virtual step decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) = 0;
  virtual void restart() = 0;
};

/// What is wrong with the compressed bytes, in a few words; the reader adds where.
struct damaged_stream : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Makes a decoder of gzip and zlib streams; null in a program without zlib. It is set at start-up and not chosen by an
/// #ifdef where it is used, so that all translation units have the same definition of a reader, whether or not each was
/// compiled with zlib.
using make_decoder = std::unique_ptr<decoder> (*)();
inline std::atomic<make_decoder> make_inflater{nullptr};

}  // namespace plumbline::detail
