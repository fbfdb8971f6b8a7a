#pragma once
/// mistake_in: what is wrong in a timeline or a batch log whose records name operators, threads or elements that are
/// not there, or have times that cannot be subtracted. For those that are read from files.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/batch_log.hpp>
#include <plumbline/model/timeline.hpp>

#include <string>

namespace plumbline::detail {

/// "samples[3].thread is 9999; it must be less than 2, the number of threads". Empty: nothing is wrong.
std::string mistake_in(const timeline& of);
std::string mistake_in(const batch_log& of);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/mistakes_inl.hpp>
#endif
