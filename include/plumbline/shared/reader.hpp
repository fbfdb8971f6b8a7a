#pragma once
/// shared_reader: how a job takes the items of a segment, one after the other, and gives them back.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/lineage.hpp>
#include <plumbline/ipc/fork_check.hpp>
#include <plumbline/ipc/rendezvous.hpp>
#include <plumbline/shared/arena.hpp>
#include <plumbline/shared/segment.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>

namespace plumbline::detail {

/// Called from any thread.
class shared_reader {
 public:
  /// `stuck_seconds`: as in shared_options.
  shared_reader(std::unique_ptr<rendezvous> at, std::shared_ptr<shared_segment> segment, double stuck_seconds);
  shared_reader(const shared_reader&) = delete;
  ~shared_reader();

  /// Begins the next epoch; the rest of this one, if any, is left out. Throws std::logic_error if batches of it are
  /// still held then.
  void begin();
  /// The same for a loop, which takes the epoch that begin() began if nothing of it has been taken.
  void begin_loop();
  /// Waits for the next batch, which is held until it is released; nothing at the end of the epoch, or after stop().
  /// Throws `failure` if the pipeline failed there, std::runtime_error if it is stuck.
  std::optional<std::uint64_t> next();
  void release(std::uint64_t q);
  /// Counts the epochs that begin() began.
  std::uint64_t turn() const;
  /// Leaves the rest of this epoch, if it is still the one of that turn, to the others.
  void leave(std::uint64_t turn);
  void stop();
  /// The preparer is in this process from now on, and `pump` has it use what is given back; its argument: the preparer
  /// waits for it. Empty: no longer; when this returns, it is not being called.
  void prepared_here(std::function<void(bool)> pump);
  /// next() throws this from now on: nothing can be prepared in this process.
  void fail(std::exception_ptr why);

  rendezvous& at() const { return *at_; }
  const shared_view& view() const { return view_; }
  const shared_segment& segment() const { return *segment_; }
  const std::shared_ptr<shared_segment>& segment_handle() const { return segment_; }
  /// States that the process runs. It does so at least every 50 ms.
  void beat() const { mine().beat.fetch_add(1); }
  /// It no longer does, though the process may run.
  void stop_beating() const { mine().beat.store(no_beat); }
  /// The epoch of the last item taken, or the one after it if that ended it; before that, the jobs' first one.
  std::uint64_t epoch() const;
  std::uint64_t taken() const { return taken_.load(); }
  double waited_seconds() const { return 1e-9 * static_cast<double>(waited_.load()); }
  /// False in a child of the process that joined.
  bool here() const { return !process_.lost(); }

 private:
  shared_header& header() const { return segment().header(); }
  shared_job& mine() const { return header().job[at_->number()]; }
  template <class Ready> bool wait_until(Ready&& ready);
  void throw_if_stopped() const;
  void ask();                   ///< resumes a preparer that waits for more room than one item needs
  void made_room(bool needed);  ///< `needed`: the preparer waits for it
  void begin_epoch();           ///< with the lock
  /// Takes the next item, if it is there.
  bool take(std::uint64_t& q);
  /// Takes no part any more, as soon as nothing is held. With the lock.
  void part_as(taking_part to);

  std::unique_ptr<rendezvous> at_;
  std::shared_ptr<shared_segment> segment_;
  shared_view view_;
  const double stuck_seconds_;
  fork_check process_{true};
  std::mutex taking_;                                     ///< held by the one that waits in next()
  mutable std::mutex mutex_;                              ///< guards what follows
  bool begun_ = false;                                    ///< an epoch
  bool untouched_ = false;                                ///< nothing of it has been taken
  std::atomic<bool> within_{false};                       ///< it has not ended
  std::uint64_t turn_ = 0;                                ///< epochs begun
  std::optional<taking_part> parting_{};                  ///< what it will be when nothing is held
  std::uint64_t read_ = 0;                                ///< the next item to be taken
  std::deque<bool> released_{};                           ///< of the items from mine().next to read_
  std::optional<std::pair<std::uint64_t, bool>> last_{};  ///< the epoch of the last item, and whether it ended
  std::exception_ptr failed_{};
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::int64_t> waited_{0};  ///< ns
  std::shared_mutex pumping_;            ///< guards what follows
  std::function<void(bool)> pump_{};
};

/// A failure of the preparer, as its description holds it.
struct shared_failure {
  std::string text, operator_name, cause;
  std::uint32_t operator_number = 0;
  lineage at{};
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/shared/reader_inl.hpp>
#endif
