#pragma once
/// Definitions of shared/preparer.hpp.

#include <plumbline/core/failure.hpp>
#include <plumbline/exec/clocks.hpp>
#include <plumbline/shared/preparer.hpp>
#include <plumbline/shared/reader.hpp>

#include <algorithm>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE shared_preparer::shared_preparer(std::shared_ptr<shared_segment> segment, std::size_t job,
                                                  double patience)
    : segment_(std::move(segment)), job_(job), patience_(patience) {}

PLUMBLINE_INLINE void shared_preparer::stop() {
  stopped_.store(true);
  const std::scoped_lock lock(stopping_);
  if (source_ != nullptr) source_->stop();
  header().room.notify();
}

PLUMBLINE_INLINE std::optional<std::uint64_t> shared_preparer::oldest() const {
  std::optional<std::uint64_t> least;
  for (const auto& job : header().joined())
    if (job.part.load() == taking_part::yes) least = std::min(least.value_or(~std::uint64_t{0}), job.next.load());
  return least;
}
PLUMBLINE_INLINE void shared_preparer::forget_the_dead() {
  const auto jobs = header().joined();
  for (std::size_t j = 0; j != jobs.size(); ++j) {
    auto& job = jobs[j];
    if (j == job_ || job.part.load() == taking_part::no || !segment_->lock(j)) continue;
    job.part.store(taking_part::no);  // with its lock, so that it is no newcomer's
    segment_->unlock(j);
  }
}
PLUMBLINE_INLINE bool shared_preparer::wait_for_jobs() {
  const auto published = header().published.load();
  std::int64_t since = 0;
  for (;;) {
    const auto seen = header().room.count();
    if (stopped_.load()) return false;
    std::uint64_t waiting = 0;
    bool wanted = false, left = false;
    for (const auto& job : header().joined()) {
      const auto part = job.part.load();
      if (part == taking_part::soon) ++waiting;
      if (part == taking_part::left) left = true;
      if (part == taking_part::yes && job.asks.load() == published + 1) wanted = true;
    }
    if (waiting == 0 && !wanted) since = 0;
    if (since == 0 && (waiting != 0 || wanted)) since = wall_now();
    const bool long_enough = since != 0 && 1e-9 * static_cast<double>(wall_now() - since) > patience_;
    const bool all = published != 0 || waiting >= header().jobs || long_enough;
    if ((wanted || (waiting != 0 && all)) && (!left || long_enough)) return true;
    header().room.wait(seen);
    forget_the_dead();
  }
}
PLUMBLINE_INLINE void shared_preparer::admit() {
  for (auto& job : header().joined()) {
    auto left = taking_part::left;
    job.part.compare_exchange_strong(left, taking_part::no);  // it was waited for
    if (job.part.load() != taking_part::soon) continue;
    job.next.store(header().published.load());
    job.asks.store(header().published.load() + 1);  // for a successor, if this preparer ends before its first batch
    auto soon = taking_part::soon;
    job.part.compare_exchange_strong(soon, taking_part::yes);  // unless it has left
  }
  header().news.notify();
}
PLUMBLINE_INLINE std::optional<std::uint64_t> shared_preparer::drop_read() {
  const auto least = oldest();
  for (const auto upto = least.value_or(header().published.load()); dropped_ < upto; ++dropped_)
    arena_->drop(segment_->item(dropped_));
  return least;
}
PLUMBLINE_INLINE std::optional<bool> shared_preparer::room() {
  auto& h = header();
  const auto published = h.published.load();
  for (;;) {
    const auto least = drop_read();
    const bool was_full = h.full.load() != 0;
    if (least && has_room(h, published - *least, was_full)) {
      h.full.store(0);
      return true;
    }
    const auto jobs = h.joined();
    const bool awaited =
        std::any_of(jobs.begin(), jobs.end(), [](const auto& job) { return job.part.load() == taking_part::soon; });
    if (!least && awaited) return false;
    if (was_full) return std::nullopt;
    h.full.store(1);  // and checks once more, as those who made room meanwhile may not have seen it
  }
}

/// What is said of a failure to the other jobs.
inline shared_failure described(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const failure& f) {
    return {f.what(), f.operator_name(), text_of(f.cause()), f.operator_number(), f.at()};
  } catch (const std::bad_alloc&) {
    const std::string why =
        "plumbline: run_shared: out of memory for batches that jobs share; make run.prefetch or "
        "`ahead` smaller, or the batches";
    return {why, "", why, 0, {}};
  } catch (...) {
    return {text_of(e), "", text_of(e), 0, {}};
  }
}
PLUMBLINE_INLINE std::optional<shared_item> shared_preparer::next_item() {
  shared_item item{epoch_, number_, item_kind::batch, 0, 0};
  try {
    if (std::exchange(begins_, false)) source_->begin(epoch_, number_);
    bool pending = false;
    if (source_->make(pending)) {
      source_->describe(*arena_, item);
      made_.fetch_add(1);
      constexpr std::uint64_t few = 4096;  // bytes of a description, which is copied
      const auto copied = arena_->bytes_copied();
      const bool in_place = copied_.exchange(copied) == copied && item.bytes <= few;
      brief_.store(in_place && source_->has_threads());
    } else if (pending) {
      return std::nullopt;
    } else {
      item.kind = item_kind::end;
    }
  } catch (...) {
    item.kind = item_kind::failure;
    const auto why = described(std::current_exception());
    arena_->describe(item, [&](byte_writer to) { codec<shared_failure>::encode(why, to); });
  }
  return item;
}
PLUMBLINE_INLINE void shared_preparer::publish(const shared_item& item) {
  auto& h = header();
  const auto published = h.published.load();
  segment_->item(published) = item;
  h.published.store(published + 1);
  h.news.notify();
  between_ = item.kind != item_kind::batch;
  number_ = between_ ? 0 : item.number + 1;
  if (between_) ++epoch_;
}
PLUMBLINE_INLINE void shared_preparer::publish_ready() {
  if (source_ == nullptr || failed_) return;
  drop_read();  // at once, so that the next batch is made where the core's cache has the memory
  while (!between_ && !stopped_.load()) {
    if (!made_item_)
      made_item_ = begins_ && !oldest() ? end_item() : next_item();  // if no job is left, nothing is made
    if (!made_item_ || stopped_.load()) return;
    const auto found = room();
    if (!found) return;
    if (!*found) {
      arena_->drop(*made_item_);
      made_item_ = end_item();
    }
    publish(*std::exchange(made_item_, std::nullopt));
    if (between_) header().room.notify();  // its thread waits for the jobs
  }
}
PLUMBLINE_INLINE void shared_preparer::pump(bool needed) {
  if (brief_.load()) return try_publish();
  if (needed) header().room.notify();
}
PLUMBLINE_INLINE void shared_preparer::try_publish() {
  pokes_.fetch_add(1);
  while (pokes_.load() != 0) {
    const std::unique_lock lock(publishing_, std::try_to_lock);
    if (!lock) return;  // its owner checks pokes_ when it unlocks
    pokes_.store(0);
    try {
      publish_ready();
    } catch (...) {  // this thread is not the preparer's
      failed_ = std::current_exception();
      header().room.notify();
    }
  }
}
PLUMBLINE_INLINE bool shared_preparer::begin_epoch() {
  if (!wait_for_jobs()) return false;
  admit();
  begins_ = true;
  between_ = false;
  return true;
}

PLUMBLINE_INLINE void shared_preparer::run(const opener& open) {
  auto& h = header();
  h.preparer.store(static_cast<std::uint32_t>(job_));
  const auto mapped = shared_arena::open(segment_);
  arena_ = mapped.get();
  forget_the_dead();
  const auto published = h.published.load();
  dropped_ = oldest().value_or(published);
  for (auto q = dropped_; q != published; ++q) arena_->adopt(segment_->item(q));
  epoch_ = h.first_epoch;
  if (published != 0) {
    const auto& last = segment_->item(published - 1);
    between_ = last.kind != item_kind::batch;
    epoch_ = last.epoch + (between_ ? 1 : 0);
    number_ = between_ ? 0 : last.number + 1;
    begins_ = !between_;
  }
  const auto source = open(*arena_, [this] { pump(true); });
  struct known {  // to others, until it is left, by an exception too
    shared_preparer& self;
    known(shared_preparer& p, shared_source* s) : self(p) { set(s); }
    known(const known&) = delete;
    ~known() { set(nullptr); }
    void set(shared_source* s) const {
      const std::scoped_lock both(self.publishing_, self.stopping_);
      self.source_ = s;
    }
  } const here(*this, source.get());
  for (auto looked = wall_now();;) {
    const auto seen = h.room.count();
    {
      const std::scoped_lock lock(publishing_);
      if (failed_) std::rethrow_exception(failed_);
      if (stopped_.load() || (between_ && !begin_epoch())) return;
      publish_ready();
    }
    try_publish();  // for calls of pump() that found the lock taken
    h.room.wait(seen);
    constexpr std::int64_t often = 50'000'000;  // ns
    if (wall_now() - looked < often) continue;
    forget_the_dead();
    looked = wall_now();
  }
}

}  // namespace plumbline::detail
