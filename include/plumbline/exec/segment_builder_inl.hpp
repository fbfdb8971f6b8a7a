#pragma once
/// Definitions of exec/segment_builder.hpp.

#include <plumbline/exec/segment_builder.hpp>

#include <algorithm>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE segment_members::segment_members() = default;
PLUMBLINE_INLINE segment_members::segment_members(std::uint32_t id) : operators_{id} {}
PLUMBLINE_INLINE segment_members::segment_members(segment_members&&) noexcept = default;
PLUMBLINE_INLINE segment_members& segment_members::operator=(segment_members&&) noexcept = default;
PLUMBLINE_INLINE segment_members::~segment_members() = default;
PLUMBLINE_INLINE void segment_members::add(std::uint32_t id) { operators_.push_back(id); }
PLUMBLINE_INLINE void segment_members::reads(channel* from) { reads_.push_back(from); }
PLUMBLINE_INLINE void segment_members::add(const segment_members& others) {
  operators_.insert(operators_.end(), others.operators_.begin(), others.operators_.end());
  reads_.insert(reads_.end(), others.reads_.begin(), others.reads_.end());
}
PLUMBLINE_INLINE built_part segment_members::as_part(std::span<const part> parts, std::uint32_t number) {
  auto operators = std::exchange(operators_, {});
  std::sort(operators.begin(), operators.end());  // an operator that works at several places is listed once
  operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
  return {number, parts[number].serial, parts[number].blocks, std::move(operators)};
}

PLUMBLINE_INLINE segment_builder::segment_builder(const run_setting& how, std::span<const part> parts, bool ordered,
                                                  buffering size, bool has_stages, bool blocks, std::size_t elements)
    : how_(how), parts_(parts), size_(size) {
  const bool free = how.adjustable && size_.messages == 0;
  if (size_.messages == 0)
    size_.messages = buffering::default_messages(has_stages, blocks, how.threads, how.io_threads);
  if (size_.elements == 0) size_.elements = elements;
  constexpr std::size_t most_reads = 64, most_ready = 64;  // that a live run may choose
  const auto reads = how.options.io_threads.value_or(std::max(how.io_threads, most_reads));
  const auto most = !free ? 0 : has_stages ? buffering::default_messages(true, true, how.threads, reads) : most_ready;
  out_ = how.graph->make_channel(size_.messages, ordered, most);
  sizer_ = how.graph->make_chunk_sizer(how.options.chunk.value_or(0));
}
PLUMBLINE_INLINE segment_builder::~segment_builder() = default;
PLUMBLINE_INLINE const std::atomic<bool>* segment_builder::stop() const { return &how_.graph->stop_flag(); }
PLUMBLINE_INLINE segment_state segment_builder::state() { return {out_, stop(), sizer_->add_stage(), current_.blocks}; }
PLUMBLINE_INLINE const built_part& segment_builder::begin_part(std::uint32_t number, segment_members& members) {
  current_ = members.as_part(parts_, number);
  current_.blocks = current_.blocks || how_.on_io_threads(current_.operators);
  return current_;
}
PLUMBLINE_INLINE void segment_builder::add(std::unique_ptr<stage_base> work) {
  const auto at_once = how_.at_once(current_.operators);
  steps_.push_back({std::move(work), std::move(current_), at_once});
}
PLUMBLINE_INLINE void segment_builder::close(std::unique_ptr<producer_base> producer, bool is_part,
                                             segment_members& members) {
  how_.graph->add_segment(std::move(producer), is_part ? std::move(current_) : built_part{}, std::move(steps_), out_,
                          members.reads_, sizer_);
}

}  // namespace plumbline::detail
