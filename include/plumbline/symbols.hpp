#pragma once
/// run<tracing::symbols>: operators that profilers see by name, and scripts/hardware_map in a table. Not in
/// plumbline.hpp, so that code which only runs pipelines does not wait for it to compile.

#include <plumbline/exec/frames.hpp>
