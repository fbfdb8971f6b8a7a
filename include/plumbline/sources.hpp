#pragma once
/// One line per source or record format.

#include <plumbline/sources/elements.hpp>
#include <plumbline/sources/from_range.hpp>
#include <plumbline/sources/generate.hpp>
#include <plumbline/sources/range.hpp>
