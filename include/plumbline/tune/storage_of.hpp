#pragma once
/// storage_of: the bandwidth of the storage that holds the files of a traced pipeline, measured as the pipeline reads.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/trace.hpp>
#include <plumbline/tune/measure_disk.hpp>
#include <plumbline/tune/measured_rate.hpp>

#include <cstddef>

namespace plumbline::detail {

/// How to measure for a pipeline of so many reads at a time, if that is finite: its readers take files in order, so the
/// system reads ahead of each. `others`: the plan may have more readers, of caches.
disk_options as_read(disk_options how, double reads_most, bool others = false);

/// Errors: those of measure_disk, and of rates.
disk_curve storage_of(const trace& t, const disk_options& how, bool others = false);
/// The bytes a second that so many readers get, measured apart from such a curve, which predicts them. For about
/// `how.seconds`.
measured_rate measure_storage(const trace& t, disk_options how, std::size_t readers);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/storage_of_inl.hpp>
#endif
