#pragma once
/// shared_stream<T>: a job's handle on what it shares with others (shared/run_shared.hpp). An input range of `const
/// T&`, with `next()` for batches that are held for longer.

#include <plumbline/exec/consumer.hpp>
#include <plumbline/shared/session.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

namespace plumbline {

/// How a job of run_shared is doing.
struct shared_stats {
  std::size_t jobs = 0;        ///< alive, this one included
  bool prepares = false;       ///< this job prepares the batches
  std::uint64_t prepared = 0;  ///< batches that this job has prepared
  std::uint64_t copied = 0;   ///< bytes of these that were made elsewhere and copied; batch() makes its arrays in place
  std::uint64_t taken = 0;    ///< batches that it has taken
  double waited_seconds = 0;  ///< how long it waited for them
};

template <class T> class shared_stream {
  using session = detail::shared_session;

 public:
  using value_type = T;

  explicit shared_stream(std::unique_ptr<session> s) : self_(std::move(s)) {}
  /// Empty: it must be assigned before it is used.
  shared_stream() = default;
  shared_stream(shared_stream&&) noexcept = default;
  shared_stream& operator=(shared_stream&&) noexcept = default;
  /// Leaves the others, who go on. Batches that are still held stay valid, and count for `ahead` until released.
  ~shared_stream() = default;

  /// Returns the next batch, or null at the end of the epoch and after it, until restart(). The first call begins an
  /// epoch. The batch is in memory that all jobs share, so it is const, and it takes room until it is released: no job
  /// gets further than `ahead` batches beyond the oldest one held, and next() waits until that is released. May be
  /// called from any thread; with several, release the last batch first: all may wait for it otherwise. Throws
  /// `failure` in each job if the pipeline fails, std::runtime_error if the batch cannot come (stuck_seconds); it may
  /// be called again then.
  std::shared_ptr<const T> next() {
    const auto& reader = self().reader_handle();
    const auto q = reader->next();
    if (!q) return nullptr;
    held own{reader, *q};
    const auto made =
        std::make_shared<batch>(std::move(own), reader->view().read(reader->segment().item(*q), detail::decoded<T>));
    return {made, &made->value};
  }
  /// Begins the next epoch, with all the jobs. In mid-epoch, it leaves the rest of it to the others and waits for their
  /// end; throws std::logic_error if it holds batches then.
  void restart() { self().reader().begin(); }
  /// Leaves the rest of the epoch to the others, who do not wait for this job there, once it holds no batch; next()
  /// returns null until restart(). The next epoch waits for the job, but no longer than `wait_seconds`.
  void leave() { self().reader().leave(self().reader().turn()); }
  /// The number of the epoch of the last batch or, after an epoch's end, of the next one. Before the job's first batch,
  /// that with which the jobs began (`run.first_epoch`).
  std::uint64_t epoch() const { return self().reader().epoch(); }
  /// Ends it promptly and permanently, for this job: next() returns null, and the others no longer wait for it, once it
  /// holds no batch. May be called from any thread, while others wait in next(). No effect in a child of fork().
  void stop() {
    if (self_) self_->stop();
  }
  shared_stats stats() const {
    const auto& s = self();
    return {s.jobs(), s.prepares(), s.prepared(), s.copied(), s.reader().taken(), s.reader().waited_seconds()};
  }

 private:
  /// One loop. When it ends early, the others get the remaining batches without it.
  struct loop {
    std::shared_ptr<detail::shared_reader> by;
    std::uint64_t turn = by->turn();
    explicit loop(std::shared_ptr<detail::shared_reader> reader) : by(std::move(reader)) {}
    loop(const loop&) = delete;
    ~loop() { by->leave(turn); }
  };

 public:
  /// For one thread. A batch is valid until the next ++. A loop that ends early, by break or an exception, leaves its
  /// epoch, as leave() does.
  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = T;
    using reference = const T&;
    using pointer = const T*;

    iterator() = default;
    const T& operator*() const { return *here_; }
    const T* operator->() const { return here_.get(); }
    iterator& operator++() {
      here_ = nullptr;
      here_ = of_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& i, std::default_sentinel_t) { return i.here_ == nullptr; }

   private:
    friend class shared_stream;
    explicit iterator(shared_stream* of)
        : of_(of), loop_(std::make_shared<loop>(of->self().reader_handle())), here_(of->next()) {}
    shared_stream* of_ = nullptr;
    std::shared_ptr<loop> loop_;  ///< destroyed after the batch is released
    std::shared_ptr<const T> here_;
  };
  /// Begins an epoch, unless restart() has just begun it.
  iterator begin() {
    self().reader().begin_loop();
    return iterator(this);
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  struct held {
    std::shared_ptr<detail::shared_reader> by;
    std::uint64_t q;
    held(std::shared_ptr<detail::shared_reader> reader, std::uint64_t item) : by(std::move(reader)), q(item) {}
    held(held&&) noexcept = default;
    ~held() {
      if (by) by->release(q);
    }
  };
  struct batch {
    held own;  // released after the value, whose arrays are in the segment
    T value;
  };
  session& self() const {
    if (!self_) detail::throw_moved_from();
    if (!self_->reader().here()) detail::throw_forked();
    return *self_;
  }
  std::unique_ptr<session> self_;
};

}  // namespace plumbline
