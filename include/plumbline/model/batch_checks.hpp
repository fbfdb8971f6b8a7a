#pragma once
/// batch_checks: what a batch report throws for a log or for limits that cannot be.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/batch_log.hpp>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace plumbline::detail {

[[noreturn]] inline void bad_batch(const batch_record& b, const std::string& what) {
  throw std::invalid_argument("plumbline: report: batch " + std::to_string(b.index) + " of epoch " +
                              std::to_string(b.epoch) + " " + what);
}
inline void check_batches(const batch_log& of, const std::vector<const batch_record*>& all) {
  for (std::size_t i = 0; i != all.size(); ++i) {
    const auto& b = *all[i];
    if (b.ready < b.begun) bad_batch(b, "was ready before its preparation began; its times must be of one clock");
    if (b.had < b.asked) bad_batch(b, "was there before the consumer asked for it; its times must be of one clock");
    if (i != 0 && pass_of(*all[i - 1]) == pass_of(b) && all[i - 1]->index == b.index)
      bad_batch(b, "is there twice; number the batches of an epoch differently, and its passes if it was repeated");
    for (const auto& e : b.elements)
      if (e.operation >= of.operators.size() || e.name >= of.names.size())
        bad_batch(b, "has an element whose operator or name is not in the log");
      else if (e.elements == 0 || !(e.weight > 0 && std::isfinite(e.weight)))
        bad_batch(b, "has a time of no element, or one that represents none");
  }
}

inline void check_limits(const std::vector<double>& limits) {
  for (std::size_t i = 0; i != limits.size(); ++i)
    if (!(limits[i] >= 0) || std::isinf(limits[i]))
      throw std::invalid_argument("plumbline: report: limits[" + std::to_string(i) + "] is " + exact_number(limits[i]) +
                                  "; give a finite number of seconds, at least 0");
}

}  // namespace plumbline::detail
