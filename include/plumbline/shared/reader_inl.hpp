#pragma once
/// Definitions of shared/reader.hpp.

#include <plumbline/core/failure.hpp>
#include <plumbline/exec/clocks.hpp>
#include <plumbline/shared/reader.hpp>

#include <algorithm>
#include <stdexcept>

namespace plumbline::detail {

PLUMBLINE_INLINE shared_reader::shared_reader(std::unique_ptr<rendezvous> at)
    : at_(std::move(at)), view_(at_->segment()) {}
PLUMBLINE_INLINE shared_reader::~shared_reader() {
  if (process_.lost()) static_cast<void>(at_.release());  // it is the parent's
}

PLUMBLINE_INLINE void shared_reader::throw_if_stopped() const {
  if (stopped_.load())
    throw std::logic_error("plumbline: this shared stream was stopped, which is permanent; call run_shared again");
}
PLUMBLINE_INLINE void shared_reader::begin() {
  const std::scoped_lock lock(mutex_);
  throw_if_stopped();
  if (mine().part.load() == taking_part::yes && !within_) {
    mine().asks.store(read_ + 1);
  } else {
    if (within_ && std::count(released_.begin(), released_.end(), false) != 0)
      throw std::logic_error(
          "plumbline: run_shared: a new epoch begins while batches of an unfinished one are held; release them first");
    released_.clear();
    mine().part.store(taking_part::soon);
  }
  begun_ = within_ = true;
  shared_segment::notify(header().room);
}
/// False if the stream was stopped first.
template <class Ready> bool shared_reader::wait_until(Ready&& ready) {
  std::int64_t since = 0;
  for (;;) {
    const auto seen = header().news.load();
    if (stopped_.load()) return false;
    const bool is = ready();
    if (since == 0 && !is) since = wall_now();
    if (is && since != 0) waited_.fetch_add(wall_now() - since);
    if (is) return true;
    {
      const std::scoped_lock lock(mutex_);
      if (failed_) std::rethrow_exception(failed_);
    }
    shared_segment::wait(header().news, seen);
  }
}
PLUMBLINE_INLINE std::optional<std::uint64_t> shared_reader::next() {
  const std::scoped_lock turn(taking_);
  if (!begun_) begin();
  if (!within_) return std::nullopt;
  if (!wait_until([&] { return mine().part.load() == taking_part::yes; })) return std::nullopt;
  std::unique_lock lock(mutex_);
  if (released_.empty()) read_ = mine().next.load();
  lock.unlock();
  if (!wait_until([&] { return header().published.load() > read_; })) return std::nullopt;
  lock.lock();
  const auto q = read_++;
  const auto& item = segment().item(q);
  released_.push_back(false);
  within_ = item.kind == item_kind::batch;
  last_ = {item.epoch, !within_};
  if (within_) {
    taken_.fetch_add(1);
    return q;
  }
  if (item.kind == item_kind::end) {
    lock.unlock();
    release(q);
    return std::nullopt;
  }
  lock.unlock();
  const auto why = view_.read(item, [](byte_reader& from) { return decoded<shared_failure>(from); });
  release(q);
  throw failure(why.text, why.operator_name, why.operator_number, why.at,
                std::make_exception_ptr(std::runtime_error(why.cause)));
}
PLUMBLINE_INLINE void shared_reader::release(std::uint64_t q) {
  if (process_.lost()) return;
  {
    const std::scoped_lock lock(mutex_);
    auto first = mine().next.load();
    if (mine().part.load() != taking_part::yes || q < first || q - first >= released_.size()) return;
    released_[static_cast<std::size_t>(q - first)] = true;
    while (!released_.empty() && released_.front()) released_.pop_front(), ++first;
    mine().next.store(first);
  }
  shared_segment::notify(header().room);
}
PLUMBLINE_INLINE void shared_reader::stop() {
  stopped_.store(true);
  shared_segment::notify(header().news);
}
PLUMBLINE_INLINE void shared_reader::fail(std::exception_ptr why) {
  const std::scoped_lock lock(mutex_);
  failed_ = std::move(why);
}
PLUMBLINE_INLINE std::optional<std::uint64_t> shared_reader::epoch() const {
  const std::scoped_lock lock(mutex_);
  if (!last_) return std::nullopt;
  return last_->first + (last_->second ? 1 : 0);
}

}  // namespace plumbline::detail
