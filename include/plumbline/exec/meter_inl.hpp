#pragma once
/// Definitions of exec/meter.hpp.

#include <plumbline/exec/meter.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE meter::meter(account& a)
    : sampler(*a.take(), a.before, a.all.paused()), account_(a), outer_(here()), outer_watch_(read_watch::here()) {
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
  exact_ = outer_ != nullptr || (a.part.blocks && !a.part.serial) || shard_.usual > a.unchecked;
  if (exact_ || begin_ - window.since > a.unchecked) {
    window.open(begin_);
    begin_ = ticks_now();
  }
}

PLUMBLINE_INLINE meter::~meter() {
  close();
  account_.put_back(&shard_);
}

PLUMBLINE_INLINE void meter::close() {
  if (std::exchange(closed_, true)) return;
  here() = outer_;
  if (paused_) return;
  const auto now = ticks_now();
  read_watch::here() = outer_watch_;
  auto& window = cpu_window::here();
  const auto spent = now - begin_ - own_;
  shard_.usual = spent;
  account_for(now - begin_, spent);
  window.charged += now - begin_;
  std::int64_t blocked = 0;
  left_ = now;
  if (exact_ || now - window.since > account_.unchecked) {
    blocked = window.close(now);
    left_ = ticks_now();  // reading the clock is charged to no part
  }
  if (outer_ != nullptr) window = outer_window_;
  shard_.wall.add(spent);
  shard_.cpu.add(spent - blocked);
  if (!account_.hands_over) return;
  shard_.turns.add(1);
  before() = {&shard_, account_.all.id, left_};
}

PLUMBLINE_INLINE void meter::has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) {
  cell(timing_ && current_ != 0 ? current() : account_.reader).read.add(bytes);
  account_.all.has_read(path, bytes, size);
}

}  // namespace plumbline::detail
