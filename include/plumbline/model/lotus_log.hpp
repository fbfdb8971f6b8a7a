#pragma once
/// Reads the logs of Lotus (https://github.com/rajveerb/lotus), which its PyTorch writes: one file for each process,
/// with lines `name,start_ns,duration_ns`.
///   SBatchPreprocessed_7  of a worker: the preparation of batch 7
///   SLoader, SResize, ... of a worker: an operator's work on one element of the batch being prepared
///   SBatchWait_7          of the consumer: from asking for batch 7 to having it. 1 us means that it had arrived before
///                         its turn; the start is then when it arrived
///   SBatchConsumed_7      of the consumer: it takes batch 7 into use
///
///   const auto r = pl::report(pl::read_lotus_logs({"log_main_pid_1", "log_worker_pid_2", "log_worker_pid_3"}));

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/batch_log.hpp>

#include <string>
#include <vector>

namespace plumbline {

/// The text of a log file and its name, for messages and, where it ends in `worker_pid_83578`, for the worker's.
struct lotus_log {
  std::string name, text;
};

/// The batches of one run from the logs of all its processes, in any order; a part of them will do. Batches that were
/// prepared and never consumed are left out: a batch takes the latest preparation of its number that no other took and
/// that began before the consumer had it. A number that is consumed again belongs to another epoch. Epochs are numbered
/// as they begin, those of a second loader (validation) included, and may be left early. If logs are cut in time, the
/// first batches may lack their preparation or wait: those consumed before each worker's first preparation was are left
/// out and counted in `cut_off`. Throws std::invalid_argument for a line that is not of this form, with its file and
/// line, and for any other batch that was consumed but whose preparation or wait is in no log.
batch_log batches_of(const std::vector<lotus_log>& logs);
/// The same from files. Throws std::invalid_argument also for a file that cannot be read, with the reason.
batch_log read_lotus_logs(const std::vector<std::string>& paths);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/lotus_log_inl.hpp>
#endif
