#pragma once
/// training: a stream and the step that uses its batches, for analyze.

#include <plumbline/data/file_memory.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/model/trace.hpp>
#include <plumbline/tune/observe.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace plumbline::detail {

/// A stream of the pipeline, and the step.
struct training {
  virtual ~training() = default;
  virtual watched& stream() = 0;
  virtual trace traced() = 0;
  /// Calls the step with the next batch, if there is one.
  virtual bool train() = 0;
  /// Ends the stream; step() calls the step with its first batch.
  virtual void keep_first(std::uint64_t epoch) = 0;
  virtual void step() = 0;
  /// True if the step has moved from that batch.
  virtual bool batch_taken() const = 0;
  /// Makes it whole again. Throws std::invalid_argument if it cannot be copied.
  virtual void renew() = 0;
};
/// Opens the pipeline with these options, and with its files in this memory, if it is not null.
using open_training = std::function<std::unique_ptr<training>(const run_options&, file_memory*)>;

}  // namespace plumbline::detail
