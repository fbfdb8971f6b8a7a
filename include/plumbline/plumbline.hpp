#pragma once
/// plumbline: an ML input pipeline as a type. Everything but ext/.

#include <plumbline/exec/run.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>
