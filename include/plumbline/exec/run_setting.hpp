#pragma once
/// run_setting: what a run works with, after its options were checked and the missing ones chosen.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/options.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::detail {

class engine;

struct run_setting {
  run_options options{};
  engine* graph = nullptr;  ///< null: one thread
  std::size_t threads = 0, io_threads = 0;
  std::vector<std::size_t> stated{};  ///< elements of operator i + 1 at work at once, as the user stated; 0: nothing

  run_setting();
  run_setting(run_setting&&) noexcept;
  ~run_setting();
  bool in_order() const { return options.order == output_order::kept; }
  /// Of a stage with these operators; 0: no limit.
  std::size_t at_once(const std::vector<std::uint32_t>& operators) const;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/run_setting_inl.hpp>
#endif
