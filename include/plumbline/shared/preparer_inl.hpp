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
  const std::scoped_lock lock(mutex_);
  if (source_ != nullptr) source_->stop();
  header().room.notify();
}

PLUMBLINE_INLINE std::optional<std::uint64_t> shared_preparer::oldest() const {
  std::optional<std::uint64_t> least;
  for (const auto& job : header().job)
    if (job.part.load() == taking_part::yes) least = std::min(least.value_or(~std::uint64_t{0}), job.next.load());
  return least;
}
PLUMBLINE_INLINE void shared_preparer::forget_the_dead() {
  for (std::size_t j = 0; j != most_shared_jobs; ++j) {
    auto& job = header().job[j];
    if (j == job_ || job.part.load() == taking_part::no || !segment_->lock(j)) continue;
    job.part.store(taking_part::no);  // with its lock, so that it is no newcomer's
    segment_->unlock(j);
  }
}
PLUMBLINE_INLINE bool shared_preparer::wait_for_jobs() {
  const auto published = header().published.load();
  std::int64_t since = 0;
  for (;;) {
    const auto seen = header().room.count.load();
    if (stopped_.load()) return false;
    std::uint64_t waiting = 0;
    bool wanted = false, left = false;
    for (const auto& job : header().job) {
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
  for (auto& job : header().job) {
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
PLUMBLINE_INLINE std::optional<bool> shared_preparer::wait_for_room(shared_arena& arena) {
  for (bool waited = false;; waited = true) {
    const auto seen = header().room.count.load();
    if (stopped_.load()) return std::nullopt;
    const auto least = oldest();
    const auto published = header().published.load();
    for (const auto upto = least.value_or(published); dropped_ < upto; ++dropped_) arena.drop(segment_->item(dropped_));
    const bool asked = !waited || header().wanted.load() >= published;
    if (least && (asked ? published - *least < header().ahead : published - *least <= unread_to_resume(header().ahead)))
      return true;
    const bool awaited = std::any_of(std::begin(header().job), std::end(header().job),
                                     [](const auto& job) { return job.part.load() == taking_part::soon; });
    if (!least && awaited) return false;
    if (waited) forget_the_dead();
    header().room.wait(seen);
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
PLUMBLINE_INLINE shared_item shared_preparer::next_item(shared_source& from, shared_arena& arena, std::uint64_t epoch,
                                                        std::uint64_t number, bool begin) {
  shared_item item{epoch, number, item_kind::batch, 0, 0};
  try {
    if (begin) from.begin(epoch, number);
    if (from.make()) {
      from.describe(arena, item);
      made_.fetch_add(1);
      copied_.store(arena.bytes_copied());
    } else {
      item.kind = item_kind::end;
    }
  } catch (...) {
    item.kind = item_kind::failure;
    const auto why = described(std::current_exception());
    arena.describe(item, [&](byte_writer to) { codec<shared_failure>::encode(why, to); });
  }
  return item;
}

PLUMBLINE_INLINE void shared_preparer::run(const std::function<std::unique_ptr<shared_source>(shared_arena&)>& open) {
  header().preparer.store(static_cast<std::uint32_t>(job_));
  const auto mapped = shared_arena::open(segment_);
  auto& arena = *mapped;
  forget_the_dead();
  auto published = header().published.load();
  dropped_ = oldest().value_or(published);
  for (auto q = dropped_; q != published; ++q) arena.adopt(segment_->item(q));
  const auto source = open(arena);
  struct known {  // to stop(), until it is left, by an exception too
    shared_preparer& self;
    known(shared_preparer& p, shared_source* s) : self(p) { set(s); }
    known(const known&) = delete;
    ~known() { set(nullptr); }
    void set(shared_source* s) const {
      const std::scoped_lock lock(self.mutex_);
      self.source_ = s;
    }
  } const stoppable(*this, source.get());
  bool between = published == 0, begun = false;
  std::uint64_t epoch = header().first_epoch, number = 0;
  if (published != 0) {
    const auto& last = segment_->item(published - 1);
    between = last.kind != item_kind::batch;
    epoch = last.epoch + (between ? 1 : 0);
    number = between ? 0 : last.number + 1;
  }
  while (!stopped_.load()) {
    if (between && !wait_for_jobs()) break;
    if (between) admit();
    auto item = next_item(*source, arena, epoch, number, between || !begun);
    begun = true;
    if (stopped_.load()) break;
    const auto room = wait_for_room(arena);
    if (!room) break;
    if (!*room) {
      arena.drop(item);
      item = {epoch, number, item_kind::end, 0, 0};
    }
    segment_->item(published) = item;
    header().published.store(++published);
    header().news.notify();
    between = item.kind != item_kind::batch;
    number = between ? 0 : number + 1;
    if (between) ++epoch;
  }
}

}  // namespace plumbline::detail
