#pragma once
/// tfrecords(path, folder, pattern or list): the payloads of TFRecord files, plain, gzip or zlib, one file after
/// another.
///   tfrecords("train-*.tfrecord.gz", {.verify_crc = false})
///   files("train-*.tfrecord") | interleave([](const file& f) { return tfrecords(f); }, {.cycle_length = 8})
/// The files are listed once, here, and read anew every epoch. Errors: see file_list and tfrecord_reader.
///
/// parse_tfrecords(): the payloads of a file that is in memory, for flat_map. So files may be read in any order, and by
/// several threads, and a cache may keep a share of them:
///   files("train-*.tfrecord") | shuffle(1) | read_file() | cache(bytes(4_GiB)) | flat_map(parse_tfrecords())
/// tf.data: TFRecordDataset, PyTorch: -, grain: TFRecordIterDataset, mlx-data: -

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <plumbline/core/chain.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/data/tensor.hpp>
#include <plumbline/sources/file_list.hpp>
#include <plumbline/sources/file_sequence.hpp>
#include <plumbline/sources/parsed.hpp>
#include <plumbline/sources/tfrecord_reader.hpp>

namespace plumbline {

struct tfrecords_source : source_base {
  using element = byte_tensor;
  static constexpr std::string_view name = "tfrecords";
  static constexpr bool blocking = true;
  using sequence = detail::file_sequence<tfrecord_reader>;
  sequence records;

  static constexpr stream_facts type_facts{.blocking = true};
  stream_facts facts() const { return type_facts; }
  auto open(std::uint64_t) const { return sequence::cursor(records); }
  std::string describe(std::uint64_t i) const;
  const file_list& listed() const { return records.files(); }
  std::uint64_t content() const { return records.files().content(); }
  std::uint64_t content_now() const { return records.files().content_now(); }
  auto parameters() const { return records.options().parameters(); }
};

inline auto tfrecords(file_list files, tfrecord_options options = {}) {
  return from(tfrecords_source{{}, {std::move(files), options}});
}

/// A function from a file's contents to a range of its payloads, which is walked once. Errors: see tfrecord_reader.
inline auto parse_tfrecords(tfrecord_options options = {}) { return detail::parser<tfrecord_reader>{options}; }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/tfrecords_inl.hpp>
#endif
