#pragma once
/// run_setting: the settings of a run, after its options were checked and the missing ones chosen.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/options.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::detail {

class array_memory;
class engine;
struct file_memory;

struct run_setting {
  run_options options{};
  engine* graph = nullptr;         ///< null: no threads
  array_memory* arrays = nullptr;  ///< where the arrays of batches should be; null: the memory pool
  file_memory* files = nullptr;    ///< where compute threads find files; null: they are read
  std::size_t threads = 0, io_threads = 0;
  std::vector<std::size_t> stated{};  ///< the user's limit on elements of operator i + 1 processed at once; 0: none
  bool adjustable = false;            ///< limits may change while it runs (runtime::adjust)
  std::vector<bool> waits{};          ///< operator i + 1 runs on I/O threads by the user's or a plan's choice

  run_setting();
  run_setting(run_setting&&) noexcept;
  ~run_setting();
  bool in_order() const { return options.order == output_order::kept; }
  /// The limit for a stage with these operators; 0: no limit.
  std::size_t at_once(const std::vector<std::uint32_t>& operators) const;
  /// True if the options put a stage with these operators on I/O threads.
  bool on_io_threads(const std::vector<std::uint32_t>& operators) const;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/run_setting_inl.hpp>
#endif
