#pragma once
/// segment_builder: builds a segment: its channel, its stages and, last, its producer.

#include <plumbline/core/buffering.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/run_setting.hpp>

#include <atomic>
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
  /// Part `number`, made of these operators.
  built_part as_part(std::span<const part> parts, std::uint32_t number);

 private:
  friend class segment_builder;
  std::vector<std::uint32_t> operators_{};
  std::vector<channel*> reads_{};
};

class segment_builder {
 public:
  /// `has_stages`: true if the segment has stages. `blocks`: true if one of them runs on I/O threads. `elements`: the
  /// most in one message, unless `size` states it.
  segment_builder(const run_setting& how, std::span<const part> parts, bool ordered, buffering size, bool has_stages,
                  bool blocks, std::size_t elements);
  segment_builder(const segment_builder&) = delete;
  ~segment_builder();

  channel* out() const { return out_; }
  chunk_sizer* sizer() const { return sizer_; }
  const std::atomic<bool>* stop() const;
  /// For the stage of the part that was begun last.
  segment_state state();
  std::size_t elements() const { return size_.elements; }
  /// Begins part `number`, made of these operators, to which the next add() or close() belongs.
  const built_part& begin_part(std::uint32_t number, segment_members& members);
  void add(std::unique_ptr<stage_base> work);
  /// Ends the segment. The producer is the part that was begun last, except a producer of indices, which is not a part.
  void close(std::unique_ptr<producer_base> producer, bool is_part, segment_members& members);

 private:
  const run_setting& how_;
  std::span<const part> parts_;
  buffering size_;
  channel* out_;
  chunk_sizer* sizer_;
  built_part current_;
  std::vector<engine::step> steps_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/segment_builder_inl.hpp>
#endif
