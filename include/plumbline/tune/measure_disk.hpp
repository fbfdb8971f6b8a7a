#pragma once
/// measure_disk(paths): the bandwidth of the storage that holds the files, by the number of concurrent reads (Plumber,
/// section 4.3: "benchmarking entire empirical parallelism vs. bandwidth curve for a data source").
///   const auto disk = pl::measure_disk({"train-0.tfrecord", "train-1.tfrecord"}, {.read_ahead = true});  // in order
///   std::cout << disk.how;                               // what was read, and whether past the page cache
///   auto tuned = pl::optimize(train, {.disk = disk});

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/disk_curve.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace plumbline {

struct disk_options {
  double seconds = 1;           ///< total time for reading, approximate: a slow request is waited for
  std::size_t most_reads = 32;  ///< concurrent reads, at most; measured at 1, 2, 4, ...
  std::size_t least_reads = 1;  ///< the fewest; measured at this number, twice as many, ...
  /// Bytes per request; the last one of a file may be shorter. The default is that of the record readers (byte_stream).
  std::size_t request_bytes = std::size_t{256} << 10U;
  std::size_t rounds = 3;  ///< measurements per number of reads; the median counts
  /// As lines, tfrecords and the like read: each reader takes whole files, through the page cache, from which they are
  /// dropped before. Then the system reads ahead of it, so one reader gets more.
  bool read_ahead = false;
  /// With read_ahead: while a reader reads a file, the system begins to read the one that it takes next, as lines and
  /// tfrecords of several files have it do.
  bool next_file = false;
};

/// Reads the files with 1, 2, 4, ... readers (from least_reads on) for about `seconds`, bypassing the page cache (or,
/// with read_ahead, dropping the files from it) as far as the file system allows; `cache` and `how` of the curve report
/// how far that was. A MB is 1e6 bytes. Caches below the file system (of the device, of a virtual machine's host) are
/// not detected. Bandwidth that others use during the measurement is missing in the curve. Errors:
/// std::invalid_argument for invalid options and for files of less than 1 MiB together; std::runtime_error, which names
/// the file, if one cannot be read.
disk_curve measure_disk(const std::vector<std::string>& paths, const disk_options& how = {});

namespace detail {
/// Throws std::invalid_argument for invalid options.
void check_disk_options(const disk_options& how);
}  // namespace detail

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/measure_disk_inl.hpp>
#endif
