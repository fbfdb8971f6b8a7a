#pragma once
/// line_builder: a line while it is put together: its port, its stages, and the feeder that ends it.

#include <plumbline/core/buffering.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/run_setting.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace plumbline::detail {

/// The numbers of the operators in the part at a line's head, and the ports that it takes from.
class line_members {
 public:
  line_members();
  explicit line_members(std::uint32_t id);
  line_members(line_members&&) noexcept;
  line_members& operator=(line_members&&) noexcept;
  ~line_members();
  void add(std::uint32_t id);
  void reads(port* from);
  void add(const line_members& others);
  /// Part `number`, of these.
  built_part as_part(std::span<const part> parts, std::uint32_t number);

 private:
  friend class line_builder;
  std::vector<std::uint32_t> operators_{};
  std::vector<port*> reads_{};
};

class line_builder {
 public:
  /// `has_stages`, `blocks`: has the line stages, and does one of them wait for I/O? `elements`: in one message at
  /// most, if `size` does not say.
  line_builder(const run_setting& how, std::span<const part> parts, bool ordered, buffering size, bool has_stages,
               bool blocks, std::size_t elements);
  line_builder(const line_builder&) = delete;
  ~line_builder();

  port* out() const { return out_; }
  pace* cost() const { return cost_; }
  line_state state() const;
  std::size_t elements() const { return size_.elements; }
  /// What is added next is part `number`, of these operators.
  const built_part& begin_part(std::uint32_t number, line_members& members);
  void add(std::unique_ptr<stage_base> work);
  /// The feeder is the part that was begun last; but for one of numbers, which is none.
  void close(std::unique_ptr<feeder_base> feeder, bool is_part, line_members& members);

 private:
  const run_setting& how_;
  std::span<const part> parts_;
  buffering size_;
  port* out_;
  pace* cost_;
  built_part current_;
  std::vector<engine::step> steps_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/line_builder_inl.hpp>
#endif
