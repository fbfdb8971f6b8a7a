#pragma once
/// Measures a pipeline's rate, alternately with a calibration loop, and its memory.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/stream_watch.hpp>
#include <plumbline/model/rate_baseline.hpp>
#include <plumbline/model/trace.hpp>
#include <plumbline/watch/contract.hpp>
#include <plumbline/watch/element_words.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace plumbline::detail {

/// A traced stream with its element type erased.
struct measured_stream {
  std::function<bool()> next;
  std::function<void()> restart;
  std::function<trace()> traced;
  std::function<stream_stats()> stats;
  std::size_t threads;
};
/// What was measured.
struct contract_figures {
  rate_baseline now{};          ///< in the form of a baseline
  std::vector<double> rates{};  ///< elements per second, by round
  double memory = 0;
  double unit_seconds = 0;  ///< processor time of a unit of calibration
  counted_stats counted{};
  element_words words{};  ///< for what the pipeline yields
};
/// True if the median of what these values are a sample of is less than `limit`, with 97.5 % confidence (sign test). It
/// is asked twice at most, of 9 and of 27 rounds, so that both together have 95 %.
bool certainly_below(const std::vector<double>& values, double limit);
double median(std::vector<double> values);
/// How much faster threads would be if other processes had taken no core from them. They computed for `cpu` seconds,
/// were without a core for `delayed`, and had work for `busy`: these two, and waiting in operators, which goes on
/// meanwhile.
double without_delay(double cpu, double delayed, double busy);

/// `memory_before`: resident bytes before the stream was made.
contract_figures measure(const measured_stream& s, const requirement& of, const rate_baseline* before,
                         double memory_before);
/// Resident bytes of the process, after what memory pools keep for reuse was returned to the system.
double memory_in_use();

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/watch/contract_measure_inl.hpp>
#endif
