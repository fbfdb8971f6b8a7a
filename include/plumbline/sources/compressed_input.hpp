#pragma once
/// The plain bytes of a gzip or zlib file. Private to byte_stream.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <plumbline/core/compiled.hpp>
#include <plumbline/sources/decoder.hpp>
#include <plumbline/sources/stored_file.hpp>

namespace plumbline::detail {

/// gzip files may have several members; what follows the last one is ignored if it does not begin like a member, as
/// gzip(1) does.
class compressed_input {
 public:
  explicit compressed_input(std::unique_ptr<decoder> d);

  /// Writes plain bytes to `out`, which must not be empty, and returns how many; 0 only at the end. Throws io_error
  /// after everything before the damage has been delivered.
  std::size_t fetch(const stored_file& file, std::span<std::uint8_t> out);

  /// The number of compressed bytes that have not been decoded.
  std::uint64_t left(const stored_file& file) const;

 private:
  static constexpr std::size_t capacity = std::size_t{64} << 10U;

  void refill(const stored_file& file);

  [[noreturn]] void fail(const stored_file& file, const std::string& what) const;

  std::unique_ptr<decoder> decoder_;
  std::unique_ptr<std::uint8_t[]> stored_;  // compressed bytes; [begin_, end_) are not decoded yet
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t position_ = 0;  // in the file, behind what is in stored_
  std::uint64_t plain_ = 0;     // bytes delivered
  bool between_members_ = false, over_ = false;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/compressed_input_inl.hpp>
#endif
