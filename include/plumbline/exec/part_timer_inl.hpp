#pragma once
/// Definitions of exec/part_timer.hpp.

#include <plumbline/exec/part_timer.hpp>
#include <plumbline/exec/tracer.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE part_timer::part_timer(part_stats& a)
    : sampler(*a.take(), a.before, a.all.paused()), stats_(a), outer_(here()), outer_watch_(read_watch::here()) {
  here() = this;
  if (paused_) return;
  if (a.part.blocks) read_watch::here() = this;
  auto& window = cpu_window::here();
  if (outer_ != nullptr) outer_window_ = window;
  begin_ = ticks_now();
  if (a.hands_over)
    if (const auto last = std::exchange(before(), {}); last.run == a.all.id && begin_ - last.at < most_handing()) {
      last.of->handing.add(std::max<std::int64_t>(begin_ - last.at, 0));
      last.of->handings.add(1);
    }
  exact_ = outer_ != nullptr || (a.part.blocks && !a.part.serial) || thread_.usual > a.unchecked;
  if (exact_ || begin_ - window.since > a.unchecked) {
    window.open(begin_);
    begin_ = ticks_now();
  }
}

PLUMBLINE_INLINE part_timer::~part_timer() {
  close();
  stats_.put_back(&thread_);
}

PLUMBLINE_INLINE void part_timer::close() {
  if (std::exchange(closed_, true)) return;
  here() = outer_;
  write_chain();
  if (paused_) return;
  const auto now = ticks_now();
  read_watch::here() = outer_watch_;
  auto& window = cpu_window::here();
  const auto spent = now - begin_ - own_;
  thread_.usual = spent;
  account_for(now - begin_, spent);
  window.charged += now - begin_;
  std::int64_t blocked = 0;
  left_ = now;
  if (exact_ || now - window.since > stats_.unchecked) {
    blocked = window.close(now);
    left_ = ticks_now();  // reading the clock is charged to no part
  }
  if (outer_ != nullptr) window = outer_window_;
  thread_.wall.add(spent);
  thread_.cpu.add(spent - blocked);
  if (!stats_.hands_over) return;
  thread_.turns.add(1);
  before() = {&thread_, stats_.all.id, left_};
}

PLUMBLINE_INLINE part_timer::chain_counts& part_timer::begin_chain(chain_counts::writer write,
                                                                   const std::uint32_t* numbers, std::size_t n) {
  write_chain();
  chain_.write = write;
  std::copy_n(numbers, n, chain_.numbers.begin());
  chain_.came = chain_.left = 0;
  return chain_;
}
PLUMBLINE_INLINE void part_timer::write_chain() {
  if (const auto write = std::exchange(chain_.write, nullptr))
    write(*this, chain_.numbers.data(), chain_.came, chain_.left);
}

PLUMBLINE_INLINE void part_timer::works_on(std::uint32_t segment, std::uint64_t sequence, bool waits,
                                           input_place* input) {
  auto* log = stats_.all.events();
  if (log != nullptr) input_ = input;
  if (log == nullptr || paused_) return;
  ring_ = log->own(waits);
  segment_ = static_cast<std::uint16_t>(segment);
  sequence_ = sequence;
}
PLUMBLINE_INLINE void part_timer::worked(std::uint64_t epoch, std::uint64_t first, std::uint64_t elements, bool made,
                                         const input_place* input, std::int64_t since) {
  if (ring_ == nullptr) return;
  timeline_event e;
  e.kind = event_kind::work;
  e.begun = begin_;
  e.ended = left_;
  e.segment = segment_;
  e.sequence = sequence_;
  e.number = static_cast<std::uint16_t>(stats_.part.number);
  e.epoch = static_cast<std::uint32_t>(epoch);
  e.index = first;
  e.count = static_cast<std::uint32_t>(elements);
  e.made = made;
  e.few = static_cast<std::uint16_t>(std::clamp<std::int64_t>(own_ / timing_unit, 0, 0xffff));
  e.other = static_cast<std::uint64_t>(since);
  if (input != nullptr && input->used != nullptr) {
    e.known = true;
    e.source = static_cast<std::uint16_t>(input->segment);
    e.other = input->sequence;
    e.used = static_cast<std::uint32_t>(*input->used);
  }
  ring_->write(e);
}
PLUMBLINE_INLINE void part_timer::takes(std::int64_t since, std::uint32_t segment, std::uint64_t sequence,
                                        const std::size_t* used) {
  const auto now = ticks_now();
  queued(since, now);
  if (input_ != nullptr) *input_ = {segment, sequence, used, input_->pass};
  if (ring_ == nullptr) return;
  timeline_event e;
  e.kind = event_kind::take;
  e.begun = e.ended = now;
  e.segment = static_cast<std::uint16_t>(segment);
  e.number = segment_;
  e.sequence = sequence;
  e.index = input_ == nullptr ? 0 : input_->pass;
  e.used = static_cast<std::uint32_t>(*used);
  ring_->write(e);
}

PLUMBLINE_INLINE void part_timer::has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) {
  cell(timing_ && current_ != 0 ? current() : stats_.reader).read.add(bytes);
  stats_.all.has_read(path, bytes, size);
}

}  // namespace plumbline::detail
