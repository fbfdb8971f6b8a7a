#pragma once
/// part_timer: traces one message of a stage, or one turn of a serial part. It counts elements, measures the part's
/// time, and times a sample of the elements by operator (sampler.hpp).

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/read_watch.hpp>
#include <plumbline/exec/sampler.hpp>
#include <plumbline/exec/tracing.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace plumbline::detail {

/// The message that a serial part took last, and how many of its elements it has used.
struct input_place {
  std::uint32_t segment = 0;
  std::uint64_t sequence = 0;
  const std::size_t* used = nullptr;  ///< null: it has taken none
  std::uint64_t pass = 0;             ///< how often it has begun
};

/// One message or turn on one thread, from construction to close() or destruction.
class part_timer final : public read_watch, public sampler {
 public:
  explicit part_timer(part_stats& a);
  part_timer(const part_timer&) = delete;
  ~part_timer() override;
  /// Ends the message or turn and writes it to the part_stats.
  void close();

  static part_timer*& here() {
    thread_local part_timer* m = nullptr;
    return m;
  }

  /// Adds `count` elements of `each` bytes. While recording is paused, they are counted apart: a stream's counts are
  /// whole, and what is recorded belongs together.
  void add(std::uint32_t op, std::uint64_t count, std::uint64_t each) {
    if (count == 0) return;
    if (paused_) return add_unrecorded(op, count, count * each);
    cell(op).count.add(count);
    cell(op).each.set(each);
  }
  /// `squares`: the sum of the squares of the elements' bytes.
  void add(std::uint32_t op, std::uint64_t count, std::uint64_t bytes, double squares) {
    if (count == 0) return;
    if (paused_) return add_unrecorded(op, count, bytes);
    cell(op).count.add(count);
    cell(op).bytes.add(bytes);
    cell(op).squares.add(squares);
  }
  /// How many elements came to a chain of kernels, and how many left it. Pumps only add to these two sums: write()
  /// adds the counts of each operator when the message or turn ends, or when another chain is counted.
  struct chain_counts {
    static constexpr std::size_t most = 12;
    using writer = void (*)(part_timer& m, const std::uint32_t* numbers, std::uint64_t came, std::uint64_t left);
    writer write = nullptr;
    std::array<std::uint32_t, most> numbers;  ///< of the operators; the chain's own begin at place 1
    std::uint64_t came, left;
  };
  /// The counts of the chain with this first operator; null if they are not being added up.
  chain_counts* chain(chain_counts::writer write, std::uint32_t first) {
    return chain_.write == write && chain_.numbers[1] == first ? &chain_ : nullptr;
  }
  chain_counts& begin_chain(chain_counts::writer write, const std::uint32_t* numbers, std::size_t n);
  void write_chain();
  /// The message is complete; what follows is not recorded. Returns the time in ticks; 0 while recording is paused.
  std::int64_t made() {
    if (!paused_) thread_.messages.add(1);
    close();
    return left_;
  }
  /// Records that this part took up a message at `now` (or when this object was constructed) that was passed on at
  /// `since`.
  void queued(std::int64_t since, std::int64_t now) {
    if (since != 0 && !paused_) thread_.queued.add(std::max<std::int64_t>(now - since, 0));
  }
  void queued(std::int64_t since) { queued(since, begin_); }
  /// The same for a message that is taken now. `used`: how many of its elements the taker has used; it must outlive the
  /// part. Its value during this call: the elements that a saved state counts as taken.
  static void taken(std::int64_t since, std::uint32_t segment, std::uint64_t sequence, const std::size_t* used) {
    if (auto* m = here()) m->takes(since, segment, sequence, used);
  }

  // --- for a timeline; without effect if no events are kept

  /// The serial part on this thread begins an epoch or continues a saved state.
  static void begins() {
    if (auto* m = here(); m != nullptr && m->input_ != nullptr) *m->input_ = {.pass = m->input_->pass + 1};
  }
  /// It is about to work on this message. `waits`: on an I/O thread. `input`: of a serial part.
  void works_on(std::uint32_t segment, std::uint64_t sequence, bool waits, input_place* input = nullptr);
  /// It has worked on it; `made` and close() come before. `since`: when the message was passed on, in ticks; 0: it was
  /// not.
  void worked(std::uint64_t epoch, std::uint64_t first, std::uint64_t elements, bool made, const input_place* input,
              std::int64_t since = 0);

  void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) override;

 private:
  void add_unrecorded(std::uint32_t op, std::uint64_t count, std::uint64_t bytes) {
    cell(op).unrecorded.add(count);
    cell(op).unrecorded_bytes.add(bytes);
  }
  void takes(std::int64_t since, std::uint32_t segment, std::uint64_t sequence, const std::size_t* used);
  /// What this thread did last, and until when. Until its next message begins, the thread hands over and takes up; if
  /// that takes longer than `most_handing`, it had nothing to do or lost its CPU.
  struct turn {
    thread_stats* of = nullptr;
    std::uint64_t run = 0;
    std::int64_t at = 0;  ///< ticks
  };
  static std::int64_t most_handing() { return clock_costs::known().of_ns(10'000); }
  static turn& before() {
    thread_local turn t;
    return t;
  }

  part_stats& stats_;
  chain_counts chain_;
  input_place* input_ = nullptr;
  part_timer* outer_;
  read_watch* outer_watch_;
  cpu_window outer_window_{};
  bool exact_ = false, closed_ = false;
  std::int64_t begin_ = 0, left_ = 0;  ///< ticks
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/part_timer_inl.hpp>
#endif
