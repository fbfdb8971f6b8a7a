#pragma once
/// Definitions of shared/reader.hpp.

#include <plumbline/core/failure.hpp>
#include <plumbline/exec/clocks.hpp>
#include <plumbline/shared/reader.hpp>
#include <plumbline/shared/stuck.hpp>

#include <stdexcept>

#include <pthread.h>

namespace plumbline::detail {

PLUMBLINE_INLINE shared_reader::shared_reader(std::unique_ptr<rendezvous> at, std::shared_ptr<shared_segment> segment,
                                              double stuck_seconds)
    : at_(std::move(at)), segment_(std::move(segment)), view_(segment_), stuck_seconds_(stuck_seconds) {
  [[maybe_unused]] static const int registered =
      pthread_atfork(&array_memory::before_fork, &array_memory::after_fork, &array_memory::after_fork);
}
PLUMBLINE_INLINE shared_reader::~shared_reader() {
  if (process_.lost()) return;  // it is the parent's
  mine().part = taking_part::no;
  at_.reset();
  header().room.notify();
}

PLUMBLINE_INLINE void shared_reader::throw_if_stopped() const {
  if (stopped_.load())
    throw std::logic_error("plumbline: this shared stream was stopped, which is permanent; call run_shared again");
}
PLUMBLINE_INLINE void shared_reader::begin() {
  const std::scoped_lock lock(mutex_);
  throw_if_stopped();
  begin_epoch();
}
PLUMBLINE_INLINE void shared_reader::begin_loop() {
  const std::scoped_lock lock(mutex_);
  throw_if_stopped();
  if (!untouched_ || !within_) begin_epoch();
}
PLUMBLINE_INLINE void shared_reader::begin_epoch() {
  if (mine().part.load() == taking_part::yes && !within_ && !parting_) {
    mine().asks.store(read_ + 1);
  } else {
    if (!released_.empty())
      throw std::logic_error(
          "plumbline: run_shared: a new epoch begins while batches of an unfinished one are held; release them first");
    mine().part.store(taking_part::soon);
  }
  begun_ = true;
  untouched_ = true;
  within_ = true;
  ++turn_;
  header().room.notify();
}
PLUMBLINE_INLINE void shared_reader::prepared_here(std::function<void(bool)> pump) {
  const std::scoped_lock lock(pumping_);
  pump_ = std::move(pump);
}
PLUMBLINE_INLINE void shared_reader::made_room(bool needed) {
  const std::shared_lock lock(pumping_);
  if (pump_)
    pump_(needed);
  else if (needed)
    header().room.notify();
}
PLUMBLINE_INLINE void shared_reader::ask() {
  auto& wanted = header().wanted;
  const auto next = header().published.load();
  auto before = wanted.load();
  while (before < next && !wanted.compare_exchange_weak(before, next)) {
  }
  if (before < next && header().full.load() != 0) made_room(true);
}
/// False if the stream was stopped, or left the epoch, first.
template <class Ready> bool shared_reader::wait_until(Ready&& ready) {
  std::int64_t since = 0;
  std::optional<stuck_check> stuck;
  for (;;) {
    const auto seen = header().news.count();
    if (stopped_.load() || !within_.load()) return false;
    const bool is = ready();
    if (since == 0 && !is) {
      since = wall_now();
      ask();
    }
    if (is && since != 0) waited_.fetch_add(wall_now() - since);
    if (is) return true;
    header().news.wait(seen);
    if (!stuck) stuck.emplace(segment(), at_->number(), stuck_seconds_);
    stuck->look();
    constexpr std::int64_t others = 500'000'000;  // ns in which another job may begin to prepare
    const std::scoped_lock lock(mutex_);
    if (failed_ && wall_now() - since > others && !segment().locked(shared_segment::preparing))
      std::rethrow_exception(failed_);
  }
}
PLUMBLINE_INLINE bool shared_reader::take(std::uint64_t& q) {
  const std::scoped_lock lock(mutex_);
  if (stopped_.load() || !within_ || mine().part.load() != taking_part::yes) return false;
  if (released_.empty()) read_ = mine().next.load();
  if (header().published.load() <= read_) return false;
  const auto& item = segment().item(read_);
  released_.push_back(false);
  untouched_ = false;
  q = read_++;
  within_ = item.kind == item_kind::batch;
  last_ = {item.epoch, !within_};
  return true;
}
PLUMBLINE_INLINE std::optional<std::uint64_t> shared_reader::next() {
  const std::scoped_lock turn(taking_);
  {
    const std::scoped_lock lock(mutex_);
    if (stopped_.load()) return std::nullopt;  // perhaps before this first call
    if (!begun_) begin_epoch();
  }
  std::uint64_t q = 0;
  if (!wait_until([&] { return take(q); })) return std::nullopt;
  const auto& item = segment().item(q);
  if (item.kind == item_kind::batch) {
    taken_.fetch_add(1);
    return q;
  }
  struct given_back {
    shared_reader& to;
    std::uint64_t q;
    ~given_back() { to.release(q); }
  } const after{*this, q};
  if (item.kind == item_kind::end) return std::nullopt;
  const auto why = view_.read(item, [](byte_reader& from) { return decoded<shared_failure>(from); });
  throw failure(why.text, why.operator_name, why.operator_number, why.at,
                std::make_exception_ptr(std::runtime_error(why.cause)));
}
PLUMBLINE_INLINE void shared_reader::release(std::uint64_t q) {
  if (process_.lost()) return;
  bool needed = false;
  {
    const std::scoped_lock lock(mutex_);
    auto first = mine().next.load();
    if (mine().part.load() != taking_part::yes || q < first || q - first >= released_.size()) return;
    released_[static_cast<std::size_t>(q - first)] = true;
    while (!released_.empty() && released_.front()) released_.pop_front(), ++first;
    mine().next.store(first);
    if (parting_) {
      part_as(*parting_);
      return header().room.notify();
    }
    needed = header().full.load() != 0 && has_room(header(), header().published.load() - first, true);
  }
  made_room(needed);
}
PLUMBLINE_INLINE void shared_reader::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_.store(true);
  within_ = false;
  part_as(taking_part::no);
  header().room.notify();
  header().news.notify();
}
PLUMBLINE_INLINE void shared_reader::part_as(taking_part to) {
  if (released_.empty()) {
    parting_ = std::nullopt;
    mine().part.store(to);
  } else {
    parting_ = to;
  }
}
PLUMBLINE_INLINE std::uint64_t shared_reader::turn() const {
  const std::scoped_lock lock(mutex_);
  return turn_;
}
PLUMBLINE_INLINE void shared_reader::leave(std::uint64_t turn) {
  if (process_.lost()) return;
  const std::scoped_lock lock(mutex_);
  if (!within_ || turn != turn_) return;
  within_ = false;
  part_as(taking_part::left);
  header().room.notify();
  header().news.notify();
}
PLUMBLINE_INLINE void shared_reader::fail(std::exception_ptr why) {
  const std::scoped_lock lock(mutex_);
  failed_ = std::move(why);
}
PLUMBLINE_INLINE std::uint64_t shared_reader::epoch() const {
  const std::scoped_lock lock(mutex_);
  if (!last_) return header().first_epoch;
  return last_->first + (last_->second ? 1 : 0);
}

}  // namespace plumbline::detail
