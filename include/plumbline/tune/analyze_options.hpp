#pragma once
/// analyze_options: the options of analyze, which are all optional.

#include <plumbline/exec/options.hpp>
#include <plumbline/model/disk_curve.hpp>
#include <plumbline/model/sizes.hpp>
#include <plumbline/tune/measure_disk.hpp>

namespace plumbline {

struct analyze_options {
  /// As in the training run. A limit on reading is taken as the storage's bandwidth.
  run_options run{};
  /// For all measurements, without that of the storage. Up to ten times as long if it is not enough for 10 batches in
  /// each of them (and 3 for each thread; five times as many with a step that takes cores from the preparation), and as
  /// long as 3 batches take.
  double seconds = 10;
  disk_curve disk{};  ///< of the storage, if known; else it and S are measured, for `measure.seconds` each
  /// How to measure it. This needs 1 MiB of files in all: if less was seen, more is read, for about `seconds` at most.
  disk_options measure{};
  stored_files files{};  ///< what is stored, if the sources do not list it
};

}  // namespace plumbline
