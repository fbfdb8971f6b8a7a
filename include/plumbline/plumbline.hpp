#pragma once
/// plumbline: an ML input pipeline as a type. Everything but ext/ and the two eigen.hpp of data/ and lp/ (include them
/// where you want Eigen's views: they would cost every other user compile time).

#include <plumbline/data/on_first.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/image.hpp>
#include <plumbline/lp/solve.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/report/explain.hpp>
#include <plumbline/sources.hpp>
