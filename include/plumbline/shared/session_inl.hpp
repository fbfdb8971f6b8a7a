#pragma once
/// Definitions of shared/session.hpp.

#include <plumbline/shared/session.hpp>

#include <exception>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE shared_session::shared_session(std::shared_ptr<shared_reader> reader, opener open, double patience)
    : reader_(std::move(reader)),
      open_(std::move(open)),
      preparer_(reader_->segment_handle(), reader_->at().number(), patience) {
  serving_ = std::thread([this] { serve(); });
}
PLUMBLINE_INLINE shared_session::~shared_session() {
  if (!reader_->here()) {  // a child of fork() does not have the threads
    ::new (static_cast<void*>(&serving_)) std::thread;
    ::new (static_cast<void*>(&preparing_)) std::thread;
    return;
  }
  stop();
  serving_.join();
  if (preparing_.joinable()) preparing_.join();
}
PLUMBLINE_INLINE std::size_t shared_session::jobs() const {
  std::size_t n = 1;
  for (std::size_t j = 0; j != reader_->segment().header().joined().size(); ++j)
    if (j != reader_->at().number() && reader_->segment().locked(j)) ++n;
  return n;
}
PLUMBLINE_INLINE void shared_session::stop() {
  if (!reader_->here() || stopped_.exchange(true)) return;  // a child of fork() would stop its parent's
  reader_->stop();
  preparer_.stop();
  reader_->at().stop();
  reader_->stop_beating();
}
PLUMBLINE_INLINE void shared_session::serve() {
  bool able = true;
  do {
    if (!stopped_.load()) reader_->beat();
    if (able && !stopped_.load() && reader_->segment().lock(shared_segment::preparing)) {
      able = false;  // it prepares until it ends, or never can
      try {
        preparing_ = std::thread([this] { prepare(); });
      } catch (...) {
        reader_->fail(std::current_exception());
        reader_->segment().unlock(shared_segment::preparing);
      }
    }
  } while (reader_->at().serve(50));
  reader_->stop_beating();  // a beat may have come after that of stop()
}
PLUMBLINE_INLINE void shared_session::prepare() {
  prepares_ = true;
  reader_->prepared_here([this](bool needed) { preparer_.pump(needed); });
  try {
    preparer_.run(open_);
  } catch (...) {
    reader_->fail(std::current_exception());
  }
  reader_->prepared_here({});
  prepares_ = false;
  reader_->segment().unlock(shared_segment::preparing);
}

}  // namespace plumbline::detail
