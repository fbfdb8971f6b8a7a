#pragma once
/// One line per operator.

#include <plumbline/ops/batch.hpp>
#include <plumbline/ops/cache.hpp>
#include <plumbline/ops/concat.hpp>
#include <plumbline/ops/enumerate.hpp>
#include <plumbline/ops/filter.hpp>
#include <plumbline/ops/flat_map.hpp>
#include <plumbline/ops/group.hpp>
#include <plumbline/ops/interleave.hpp>
#include <plumbline/ops/map.hpp>
#include <plumbline/ops/prefetch.hpp>
#include <plumbline/ops/repeat.hpp>
#include <plumbline/ops/shard.hpp>
#include <plumbline/ops/shuffle.hpp>
#include <plumbline/ops/shuffle_buffer.hpp>
#include <plumbline/ops/skip.hpp>
#include <plumbline/ops/take.hpp>
#include <plumbline/ops/zip.hpp>
