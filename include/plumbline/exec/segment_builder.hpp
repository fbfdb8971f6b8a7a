#pragma once
/// segment_builder: a segment while it is put together: its channel, its stages, and the producer that ends it.

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

/// The numbers of the operators in the part at a segment's head, and the channels that it takes from.
class segment_members {
 public:
  segment_members();
  explicit segment_members(std::uint32_t id);
  segment_members(segment_members&&) noexcept;
  segment_members& operator=(segment_members&&) noexcept;
  ~segment_members();
  void add(std::uint32_t id);
  void reads(channel* from);
  void add(const segment_members& others);
  /// Part `number`, of these.
  built_part as_part(std::span<const part> parts, std::uint32_t number);

 private:
  friend class segment_builder;
  std::vector<std::uint32_t> operators_{};
  std::vector<channel*> reads_{};
};

class segment_builder {
 public:
  /// `has_stages`, `blocks`: has the segment stages, and does one of them wait for I/O? `elements`: in one message at
  /// most, if `size` does not say.
  segment_builder(const run_setting& how, std::span<const part> parts, bool ordered, buffering size, bool has_stages,
                  bool blocks, std::size_t elements);
  segment_builder(const segment_builder&) = delete;
  ~segment_builder();

  channel* out() const { return out_; }
  chunk_sizer* cost() const { return cost_; }
  segment_state state() const;
  std::size_t elements() const { return size_.elements; }
  /// What is added next is part `number`, of these operators.
  const built_part& begin_part(std::uint32_t number, segment_members& members);
  void add(std::unique_ptr<stage_base> work);
  /// The producer is the part that was begun last; but for one of numbers, which is none.
  void close(std::unique_ptr<producer_base> producer, bool is_part, segment_members& members);

 private:
  const run_setting& how_;
  std::span<const part> parts_;
  buffering size_;
  channel* out_;
  chunk_sizer* cost_;
  built_part current_;
  std::vector<engine::step> steps_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/segment_builder_inl.hpp>
#endif
