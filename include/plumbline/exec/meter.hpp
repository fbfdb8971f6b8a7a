#pragma once
/// meter: one message of a stage, or one turn of a serial part, while it is traced. It counts, takes the part's time,
/// and times a sample of the elements by operator (sampler.hpp).

#include <plumbline/core/read_watch.hpp>
#include <plumbline/exec/sampler.hpp>
#include <plumbline/exec/tracer.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace plumbline::detail {

/// One message or turn, on one thread: from its construction to its end.
class meter final : public read_watch, public sampler {
 public:
  static constexpr std::size_t most_operators = 255;

  explicit meter(account& a)
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
  meter(const meter&) = delete;
  ~meter() override {
    close();
    account_.put_back(&shard_);
  }
  /// Writes it into the account.
  void close() {
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

  static meter*& here() {
    thread_local meter* m = nullptr;
    return m;
  }

  /// So many elements of `each` bytes.
  void add(std::uint32_t op, std::uint64_t count, std::uint64_t each) {
    if (paused_ || count == 0) return;
    cell(op).count.add(count);
    cell(op).each.set(each);
  }
  /// `squares`: sum of the squares of each element's bytes.
  void add(std::uint32_t op, std::uint64_t count, std::uint64_t bytes, double squares) {
    if (paused_ || count == 0) return;
    cell(op).count.add(count);
    cell(op).bytes.add(bytes);
    cell(op).squares.add(squares);
  }
  /// The message is made; what follows is not recorded. Returns when (ticks); 0 while recording is paused.
  std::int64_t made() {
    if (!paused_) shard_.messages.add(1);
    close();
    return left_;
  }
  /// A message that was sent on at `since` is taken up by this part now, or was when the part began.
  void queued(std::int64_t since, std::int64_t now) {
    if (since != 0 && !paused_) shard_.queued.add(std::max<std::int64_t>(now - since, 0));
  }
  void queued(std::int64_t since) { queued(since, begin_); }
  static void taken(std::int64_t since) {
    if (auto* m = here()) m->queued(since, ticks_now());
  }

  void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) override {
    cell(timing_ && current_ != 0 ? current() : account_.reader).read.add(bytes);
    account_.all.has_read(path, bytes, size);
  }

 private:
  /// What this thread did last, and until when. From there to the next message it hands over and takes up; if that
  /// takes longer than `most_handing`, it had nothing to do, or lost its processor.
  struct turn {
    shard* of = nullptr;
    std::uint64_t run = 0;
    std::int64_t at = 0;  ///< ticks
  };
  static std::int64_t most_handing() { return clock_costs::known().of_ns(10'000); }
  static turn& before() {
    thread_local turn t;
    return t;
  }

  account& account_;
  meter* outer_;
  read_watch* outer_watch_;
  cpu_window outer_window_{};
  bool exact_ = false, closed_ = false;
  std::int64_t begin_ = 0, left_ = 0;  ///< ticks
};

}  // namespace plumbline::detail
