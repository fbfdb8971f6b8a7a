#pragma once
/// explain(tuning): what optimize observed and concluded: each operator's cost, rate and size, the bottleneck and the
/// next limits, where caches may be put and are, the disk's curve, and the rates of the forms that were tried.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/tuning.hpp>
#include <plumbline/report/explain.hpp>

#include <concepts>

namespace plumbline {

namespace detail {

template <class T>
concept has_tuning = requires(const T& t) {
  { t.why() } -> std::same_as<const tuning&>;
};

}  // namespace detail

explanation explain(const tuning& t);

/// The same for a result of optimize or pick_best.
template <detail::has_tuning Tuned> explanation explain(const Tuned& t) { return explain(t.why()); }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/explain_tuning_inl.hpp>
#endif
