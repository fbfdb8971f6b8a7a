#pragma once
/// explain(live_report): the limits in force in a live run, its memory, and every change with its reason.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/live.hpp>
#include <plumbline/report/explain.hpp>

#include <concepts>

namespace plumbline {

namespace detail {
template <class S>
concept has_live_report = requires(const S& s) {
  { s.why() } -> std::same_as<live_report>;
};
}  // namespace detail

explanation explain(const live_report& r);

/// The same for a stream of run_live.
template <detail::has_live_report Stream> explanation explain(const Stream& s) { return explain(s.why()); }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/explain_live_inl.hpp>
#endif
