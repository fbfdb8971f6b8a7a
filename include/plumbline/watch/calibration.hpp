#pragma once
/// calibrate: how fast this machine is at this moment, for what does not depend on the pipeline.

#include <plumbline/core/compiled.hpp>

#include <cstddef>

namespace plumbline::detail {

/// Runs units of the same work on this many threads, at least 1, for `seconds`, and returns the processor time of one
/// unit, in seconds. A unit is about 10 us: dependent integer arithmetic, branches that cannot be predicted, and 16 kB
/// copied within 1 MiB.
double calibrate(std::size_t threads, double seconds);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/watch/calibration_inl.hpp>
#endif
