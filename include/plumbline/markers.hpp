#pragma once
/// run<tracing::markers<Sink>>: marks for a profiler that has ranges of its own (NVTX, ITT, Tracy, ...). Not in
/// plumbline.hpp, so that code which only runs pipelines does not wait for it to compile.

#include <plumbline/exec/markers.hpp>
