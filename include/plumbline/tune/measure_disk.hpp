#pragma once
/// measure_disk(paths): the bandwidth of the storage that files lie on, by the number of reads at a time (Plumber,
/// section 4.3: "benchmarking entire empirical parallelism vs. bandwidth curve for a data source").
///   const auto disk = pl::measure_disk({"train-0.tfrecord", "train-1.tfrecord"});
///   std::cout << disk.how;                               // what was read, and past the page cache or not
///   auto tuned = pl::optimize(train, {.disk = disk});

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/disk_curve.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace plumbline {

struct disk_options {
  double seconds = 1;           ///< of reading, in all, about: a slow request is waited for
  std::size_t most_reads = 32;  ///< at a time; measured at 1, 2, 4, ... up to it
  /// Bytes of one request; the last of a file is what is left. Not stated: as the record readers ask (byte_stream).
  std::size_t request_bytes = std::size_t{256} << 10U;
  std::size_t rounds = 3;  ///< the median counts of so many measurements of each number of reads
};

/// Reads the files with 1, 2, 4, ... readers for about `seconds`, with the page cache kept out as far as the file
/// system allows; `cache` and `how` of the curve say how far that was. Bytes per second are 1e6 to a MB. Of caches
/// below the file system (the device's, a virtual machine's host's) nothing is known. What others read at the time is
/// missing in the curve. Errors: std::invalid_argument for options that make no sense and for files of less than 1 MiB
/// together; std::runtime_error, which names the file, if one cannot be read.
disk_curve measure_disk(const std::vector<std::string>& paths, const disk_options& how = {});

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/measure_disk_inl.hpp>
#endif
