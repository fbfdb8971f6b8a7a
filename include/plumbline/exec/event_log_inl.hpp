#pragma once
/// Definitions of exec/event_log.hpp.

#include <plumbline/exec/event_log.hpp>
#include <plumbline/exec/part_stats.hpp>
#include <plumbline/exec/timeline_maker.hpp>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace plumbline::detail {

/// Moves events from the rings to a file, every few milliseconds.
struct event_log::spill {
  std::FILE* file;
  std::vector<std::uint64_t> from{};  ///< of each ring, the number of the next event to move
  std::uint64_t lost = 0;
  const std::string path;
  int failed = 0;  ///< errno
  bool ends = false;
  std::mutex mutex{};
  std::condition_variable ending{};
  std::thread mover{};

  spill(const std::string& to, const event_log& of) : file(opened(to)), path(to) {
    mover = std::thread([this, &of] {
      std::unique_lock lock(mutex);
      while (!ending.wait_for(lock, std::chrono::milliseconds(5), [&] { return ends; })) {
        lock.unlock();
        of.drain(*this);  // not by way of spill_, which is set when this constructor has returned
        lock.lock();
      }
    });
  }
  spill(const spill&) = delete;
  /// Creates the file anew, unless another stream, of any process, still has it: it is locked while it is open.
  static std::FILE* opened(const std::string& to) {
    const auto refused = [&](const std::string& why) {
      return std::invalid_argument("plumbline: run: timeline_file \"" + to + "\" " + why);
    };
    const int fd = ::open(to.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
      throw refused(std::string("cannot be written: ") + std::strerror(errno) +
                    "; name a file in a folder that exists, where you may write");
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(fd);
      throw refused("holds the timeline of another stream, which still exists; give each stream a file of its own");
    }
    static_cast<void>(::ftruncate(fd, 0));  // a device has no size
    if (std::FILE* made = ::fdopen(fd, "w+b")) return made;
    ::close(fd);
    throw std::bad_alloc();
  }
  ~spill() {
    {
      const std::scoped_lock lock(mutex);
      ends = true;
    }
    ending.notify_all();
    mover.join();
    ::flock(::fileno(file), LOCK_UN);  // a child of fork() may have it open, too
    std::fclose(file);
  }
};

/// A quarter, if the threads' own leave so much, as no batch is known without the consumer's events.
PLUMBLINE_INLINE std::size_t event_log::bytes_for_consumer(const event_limits& most) const {
  return inline_ ? most.bytes : std::clamp(most.bytes / 4, bytes_each_, most.bytes - most.threads * bytes_each_);
}
PLUMBLINE_INLINE event_log::event_log(const event_limits& most, bool on_threads)
    : id_(unused_id()),
      most_rings_(most.threads + 1),
      inline_(!on_threads),
      bytes_each_(std::min(most.bytes / most_rings_, event_ring::block_bytes)),
      more_(most.bytes - most.threads * bytes_each_ - bytes_for_consumer(most)),
      consumers_(bytes_for_consumer(most) - bytes_each_) {
  consumer_ = rings_.emplace_back(std::make_unique<event_ring>(bytes_each_, consumers_, "consumer")).get();
  owners_.push_back(nullptr);
  if (!most.file.empty()) spill_ = std::make_unique<spill>(most.file, *this);
}
PLUMBLINE_INLINE event_log::~event_log() = default;
PLUMBLINE_INLINE event_ring& event_log::consumer() {
  const void* own = cpu_window::thread();
  if (own == consumes_) return *consumer_;
  consumes_ = own;
  constexpr std::size_t most = 256;  // as many as an event distinguishes; the others count as the last of these
  const std::scoped_lock lock(mutex_);
  const auto known = std::find(consumers_seen_.begin(), consumers_seen_.end(), own);
  const auto which = std::min<std::size_t>(static_cast<std::size_t>(known - consumers_seen_.begin()), most - 1);
  if (known == consumers_seen_.end() && which == consumers_seen_.size()) consumers_seen_.push_back(own);
  consumer_->by(static_cast<std::uint8_t>(which));
  return *consumer_;
}

PLUMBLINE_INLINE event_ring* event_log::own(bool waits) {
  if (inline_) return &consumer();  // it works with the stream's lock
  auto& mine = recently_used();
  if (mine.in != id_) mine = {id_, found(waits)};
  return mine.is;
}
PLUMBLINE_INLINE event_ring* event_log::found(bool waits) {
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 1; i < rings_.size(); ++i)
    if (owners_[i] == cpu_window::thread()) return rings_[i].get();
  if (rings_.size() == most_rings_) {
    ++no_ring_;
    return nullptr;
  }
  const auto kind = [&](const auto& r) { return r->name().starts_with("I/O") == waits; };
  const auto n = 1 + std::count_if(rings_.begin() + 1, rings_.end(), kind);
  rings_.push_back(
      std::make_unique<event_ring>(bytes_each_, more_, (waits ? "I/O thread " : "thread ") + std::to_string(n)));
  owners_.push_back(cpu_window::thread());
  return rings_.back().get();
}
PLUMBLINE_INLINE void event_log::drain(spill& to) const {
  const std::scoped_lock lock(mutex_);
  to.from.resize(rings_.size(), 0);
  std::vector<timeline_event> some;
  for (std::size_t i = 0; i != rings_.size(); ++i) {
    some.clear();
    const auto before = to.from[i];
    to.lost += rings_[i]->copy(some, to.from[i]) - before;
    const std::uint64_t head[]{i, some.size()};
    if (some.empty()) continue;
    if (std::fwrite(head, sizeof head, 1, to.file) != 1 ||
        std::fwrite(some.data(), sizeof(timeline_event), some.size(), to.file) != some.size())
      to.failed = errno;
  }
}

/// Elements that a part takes for each that it gives; 0: not known.
PLUMBLINE_INLINE double taken_by(const built_part& p, const std::vector<layout_row>& rows) {
  double n = 1;
  for (const auto number : p.operators) {
    const auto& row = rows[number - 1];
    if (row.inputs.size() > 1) return 0;
    if (row.inputs.size() == 1 && (row.handed_on == 0 || row.handed_on == p.number)) n *= row.takes;
  }
  return n;
}

PLUMBLINE_INLINE void event_log::events(timeline& t, const std::vector<layout_row>& rows,
                                        const std::vector<built_part>& parts, const pipeline_info& of) const {
  t = {};
  for (const auto& row : rows) t.operators.push_back(row.name);
  for (const auto& p : parts) t.parts.push_back({p.number, p.operators, p.serial, p.blocks, taken_by(p, rows)});

  std::vector<timeline_event> some;
  if (spill_ != nullptr) drain(*spill_);
  const std::scoped_lock lock(mutex_);
  timeline_maker make(t, of, begun_, rings_.size());
  t.dropped = no_ring_;
  for (const auto& r : rings_) t.threads.push_back(r->name());
  for (std::size_t i = 1; i < consumers_seen_.size(); ++i) t.threads.push_back("consumer " + std::to_string(i + 1));
  if (spill_ != nullptr) {
    t.dropped += spill_->lost;
    if (std::fflush(spill_->file) != 0) spill_->failed = errno;
    std::fseek(spill_->file, 0, SEEK_END);
    const auto size = static_cast<std::uint64_t>(std::max(std::ftell(spill_->file), 0L));
    std::rewind(spill_->file);
    bool damaged = false;
    for (std::uint64_t head[2]; spill_->failed == 0 && std::fread(head, sizeof head, 1, spill_->file) == 1;) {
      damaged = head[0] >= rings_.size() || head[1] > size / sizeof(timeline_event);
      if (damaged) break;
      some.resize(head[1]);
      if (std::fread(some.data(), sizeof(timeline_event), some.size(), spill_->file) != some.size())
        spill_->failed = std::ferror(spill_->file) != 0 ? errno : EIO;
      else
        for (const auto& e : some) make.add(e, head[0]);
    }
    std::fseek(spill_->file, 0, SEEK_END);
    if (damaged)
      throw std::runtime_error("plumbline: timeline: timeline_file \"" + spill_->path +
                               "\" has been changed by something else; name a file that nothing else writes to");
    if (spill_->failed != 0)
      throw std::runtime_error("plumbline: timeline: timeline_file \"" + spill_->path +
                               "\" could not be written or read: " + std::strerror(spill_->failed) +
                               "; name a file on a disk with room, or none: the latest timeline_bytes stay in memory");
  } else {
    for (std::size_t i = 0; i != rings_.size(); ++i) {
      some.clear();
      std::uint64_t from = 0;
      const auto lost = rings_[i]->copy(some, from);
      t.dropped += lost;
      const bool works = inline_ || i != 0;
      if (works && lost != 0 && !some.empty()) t.since = std::max(t.since, make.at(some.front().ended));
      for (const auto& e : some) make.add(e, i);
    }
  }
  make.sort();
}

}  // namespace plumbline::detail
