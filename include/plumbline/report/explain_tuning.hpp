#pragma once
/// explain(tuning): what optimize saw and concluded: each operator's cost, rate and size, what limits the pipeline and
/// what would be next, whether a cache stands, what is known of the disk, and what the forms that were tried gave.

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

/// Of what optimize or pick_best gave.
template <detail::has_tuning Tuned> explanation explain(const Tuned& t) { return explain(t.why()); }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/explain_tuning_inl.hpp>
#endif
