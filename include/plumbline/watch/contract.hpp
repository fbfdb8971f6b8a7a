#pragma once
/// What a pipeline must keep to in a test of a program, its rate and its memory; and the result. ext/require.hpp has
/// the function.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/model/layout.hpp>
#include <plumbline/model/rate_baseline.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

struct requirement {
  double at_least = 0;  ///< elements per second, of the pipeline's end: batches, if it ends in batch; 0: none
  /// Bytes that the process may take in addition while the pipeline runs.
  double at_most_memory = std::numeric_limits<double>::infinity();
  /// A file with a baseline of ratios; empty: none. If it does not exist, baseline_missing is thrown.
  std::string baseline{};
  double within = 0.25;  ///< how much lower than in the baseline the ratio may be: 0.25 is a quarter
  /// Writes the baseline instead of comparing with it. Also by PLUMBLINE_WRITE_BASELINES=1 in the environment.
  bool write = false;
  run_options run{};
  double seconds = 4;  ///< of measuring, about; three times as many if the result is not certain
};

/// An operator that costs more than in the baseline, for each element of the pipeline's end.
struct slower_operator {
  std::uint32_t number = 0;
  std::string name{};
  double factor = 0;  ///< of its processor time, or of its waiting if that is what grew
  bool waits = false;
  double seconds = 0, baseline_seconds = 0;  ///< at this machine's present speed
};

struct requirement_report {
  bool met = true;
  bool unsure = false;               ///< met, but the median is too low, which may be chance
  double rate = 0;                   ///< elements per second, median of the rounds
  double memory = 0;                 ///< bytes, the largest
  std::optional<double> relative{};  ///< median ratio, relative to the baseline's; empty: there is no baseline
  std::vector<slower_operator> slower{};
  std::string text{};
  friend std::ostream& operator<<(std::ostream& out, const requirement_report& r) { return out << r.text; }
};

/// A pipeline does not keep to its requirement; what() is the report's text.
class requirement_broken : public std::runtime_error {
 public:
  explicit requirement_broken(requirement_report r)
      : std::runtime_error("plumbline: require: " + r.text), report_(std::move(r)) {}
  const requirement_report& report() const noexcept { return report_; }

 private:
  requirement_report report_;
};
/// There is no file with the baseline; what() says how it is written.
struct baseline_missing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace detail {
/// Throws std::invalid_argument for options that make no sense.
void check(const requirement& of);
/// Throws std::invalid_argument for a baseline, of the file `path`, that nothing can be compared with.
void check(const rate_baseline& b, const std::string& path);
/// The same for one of another pipeline or another number of threads.
void check_same(const rate_baseline& b, const std::vector<layout_row>& rows, std::size_t threads,
                const std::string& path);
}  // namespace detail

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/watch/contract_inl.hpp>
#endif
