#pragma once
/// plumbline: an ML input pipeline as a type. Includes the sources, operators, images, run and explain. What would cost
/// every other user compile time has headers of its own: docs/guide.md, "Building", lists them.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/evaluate.hpp>
#include <plumbline/core/op_name.hpp>
#include <plumbline/data/on_first.hpp>
#include <plumbline/data/print.hpp>
#include <plumbline/exec/reduce.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/image.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/report/explain.hpp>
#include <plumbline/report/explain_epochs.hpp>
#include <plumbline/sources.hpp>

#include <tuple>

/// The names that plumbline/tune.hpp declares, found only while it is not included: to say that it is missing.
namespace plumbline::include_plumbline_tune_hpp {
template <auto... Sites, class... A> auto optimize(const A&...) {
  constexpr bool included = detail::no<std::tuple<A...>>;
  static_assert(included, "plumbline: optimize needs #include <plumbline/tune.hpp>");
  return detail::run_nothing();
}
template <class... Choices, class... A> auto pick_best(const A&...) {
  constexpr bool included = detail::no<std::tuple<A...>>;
  static_assert(included, "plumbline: pick_best needs #include <plumbline/tune.hpp>");
  return detail::run_nothing();
}
}  // namespace plumbline::include_plumbline_tune_hpp
namespace plumbline {
using namespace include_plumbline_tune_hpp;
}
