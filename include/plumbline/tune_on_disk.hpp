#pragma once
/// tune.hpp, and optimize with caches on disk: a form with such caches writes and reads each type of element, which
/// takes time to compile.

#include <plumbline/ops/cache_levels.hpp>
#include <plumbline/tune.hpp>
#include <plumbline/tune/on_disk.hpp>
