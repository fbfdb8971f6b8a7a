#pragma once
/// plumbline: an ML input pipeline as a type. Everything but ext/ and data/eigen.hpp (include that where you want
/// Eigen's views: it would cost every other user its compile time).

#include <plumbline/data/on_first.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/image.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/report/explain.hpp>
#include <plumbline/sources.hpp>
