#pragma once
/// Definitions of exec/unfused.hpp.

#include <plumbline/exec/unfused.hpp>

#include <exception>

namespace plumbline::detail {

PLUMBLINE_INLINE bool in_turn(borrowed<void> make, borrowed<bool> flush) {
  std::exception_ptr failed;
  try {
    make();
  } catch (...) {
    failed = std::current_exception();
  }
  const bool all = flush();
  if (failed) std::rethrow_exception(failed);
  return all;
}

}  // namespace plumbline::detail
