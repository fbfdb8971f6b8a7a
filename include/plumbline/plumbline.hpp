#pragma once
/// plumbline: an ML input pipeline as a type. Everything but ext/, lp/ and data/eigen.hpp, which would cost every other
/// user compile time: include them where you want a linear-program solver of its own, or Eigen's views.

#include <plumbline/core/chain.hpp>
#include <plumbline/data/on_first.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/image.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/report/explain.hpp>
#include <plumbline/sources.hpp>
