#pragma once
/// Definitions of sources/element_files.hpp.

#include <plumbline/sources/cache_folder.hpp>
#include <plumbline/sources/element_file.hpp>
#include <plumbline/sources/element_files.hpp>
#include <plumbline/sources/io_error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace plumbline::detail {

inline constexpr std::size_t kept_open = 256;  ///< files whose descriptors are kept
inline constexpr std::uint64_t least_file_bytes = std::uint64_t{256} << 20;
inline constexpr std::int64_t look_every = 1'000'000'000, finish_every = 30'000'000'000;  ///< in ns

inline std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
struct element_files::folder_state {
  struct place {
    const element_file* in;
    element_row row;
  };
  std::string folder;
  std::uint64_t identity, most;
  std::atomic<std::int64_t> look_at{0};    ///< when to look for files of other processes
  std::atomic<std::int64_t> finish_at{0};  ///< when to finish the file that is being written; 0: there is none
  mutable std::shared_mutex mutex{};       ///< guards what follows
  std::unordered_map<std::uint64_t, place> places{};
  std::vector<std::unique_ptr<element_file>> files{};  ///< all that were opened, as a find() may be reading from any
  std::set<std::string> names{};                       ///< of complete files that are known
  std::optional<std::uint64_t> whole{};
  element_file* writing = nullptr;
  std::uint64_t bytes = 0;  ///< of complete files

  /// Reads the tables of files that others have finished, if it is time to look.
  void look() {
    auto when = look_at.load(std::memory_order_relaxed);
    const auto now = steady_ns();
    if (now < when || !look_at.compare_exchange_strong(when, now + look_every)) return;
    for (const auto& name : names_in(folder)) {
      if (!name.ends_with(element_file_suffix) || knows(name)) continue;
      auto found = element_file::open(folder + "/" + name, identity);
      if (!found) continue;  // removed meanwhile
      const std::unique_lock lock(mutex);
      if (!names.insert(name).second) continue;
      for (const auto& row : found->rows()) places.try_emplace(row.index, place{found.get(), row});
      if (found->epoch_size()) whole = found->epoch_size();
      bytes += found->size();
      files.push_back(std::move(found));
      settle(*files.back());
    }
  }
  /// Frees what a complete file needs no longer. Called with the lock.
  void settle(element_file& complete) {
    complete.drop_rows();
    if (files.size() > kept_open) complete.open_for_each_read();
  }
  bool knows(const std::string& name) const {
    const std::shared_lock lock(mutex);
    return names.contains(name);
  }

  bool fits(std::uint64_t element) const {
    constexpr auto around = sizeof(element_row) + sizeof(element_file_header) + sizeof(element_file_footer);
    const auto rows = writing != nullptr ? writing->rows().size() * sizeof(element_row) : 0;
    return element + around <= most &&
           bytes + (writing != nullptr ? writing->size() : 0) + rows <= most - element - around;
  }
  /// Forgets the elements of a file; returns how many there were.
  std::size_t forget(const element_file* of) {
    if (writing == of) writing = nullptr, finish_at.store(0, std::memory_order_relaxed);
    return std::erase_if(places, [&](const auto& p) { return p.second.in == of; });
  }
  /// Gives up a file that cannot be written. Called with the lock.
  void give_up(element_file* of) {
    forget(of);
    of->remove_unfinished();
  }
  /// A complete file was removed: its elements are made again, and there is room for them.
  void lost(const element_file* gone) {
    const std::unique_lock lock(mutex);
    const bool counted = gone != writing;
    if (forget(gone) > 0 && counted) bytes -= gone->size();
  }
  /// In a child of fork(), the file belongs to the parent.
  void leave_to_parent() {
    if (writing != nullptr && !writing->mine()) forget(writing);
  }
  void begin_file() {
    files.push_back(element_file::create(folder, identity));
    writing = files.back().get();
    finish_at.store(steady_ns() + finish_every, std::memory_order_relaxed);
  }
  /// Finishes the file that is being written. Called with the lock, returns without it: others may begin the next file
  /// while this one goes to the disk.
  void finish(std::unique_lock<std::shared_mutex>& lock, std::optional<std::uint64_t> epoch_size) {
    element_file* done = writing;
    std::uint64_t counted = 0;
    try {
      done->close(epoch_size);
      bytes += counted = done->size();
      writing = nullptr;
      finish_at.store(0, std::memory_order_relaxed);
      lock.unlock();
      auto name = done->publish(folder);
      lock.lock();
      if (!names.insert(std::move(name)).second) bytes -= counted;  // look() has found it meanwhile
      settle(*done);
      lock.unlock();
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      bytes -= counted;
      give_up(done);
      lock.unlock();
      throw;
    }
  }
  void finish_if_due() {
    const auto when = finish_at.load(std::memory_order_relaxed);
    if (when == 0 || steady_ns() < when) return;
    std::unique_lock lock(mutex);
    leave_to_parent();
    if (writing != nullptr && finish_at.load(std::memory_order_relaxed) == when) finish(lock, {});
  }
};

PLUMBLINE_INLINE element_files::element_files(const std::string& folder, std::uint64_t identity,
                                              const std::string& pipeline, std::uint64_t most,
                                              const listed_files& from) {
  if (folder.empty())
    throw std::invalid_argument("plumbline: cache(folder): the folder has no name; give one for the cache's files");
  make_folders(folder);
  remove_abandoned(folder);
  claim(folder, identity, pipeline, from);
  self_.reset(new folder_state{absolute(folder), identity, most});
  self_->look();
}
PLUMBLINE_INLINE element_files::~element_files() {
  try {
    std::unique_lock lock(self_->mutex);
    self_->leave_to_parent();
    if (self_->writing != nullptr) self_->finish(lock, {});
  } catch (const std::exception& e) {  // it is made again, which costs time only
    std::fprintf(stderr, "%s; what was not written is made again in the next run\n", e.what());
  }
}

PLUMBLINE_INLINE bool element_files::has(std::uint64_t i) const {
  const std::shared_lock lock(self_->mutex);
  return self_->places.contains(i);
}
PLUMBLINE_INLINE std::optional<std::uint64_t> element_files::whole() {
  self_->look();
  const std::shared_lock lock(self_->mutex);
  // files may have been removed
  return self_->whole && self_->places.size() >= *self_->whole ? self_->whole : std::nullopt;
}
PLUMBLINE_INLINE bool element_files::find(std::uint64_t i, std::vector<std::uint8_t>& to) {
  self_->finish_if_due();
  for (bool looked = false;; looked = true) {
    {
      std::shared_lock lock(self_->mutex);
      if (const auto found = self_->places.find(i); found != self_->places.end()) {
        const auto at = found->second;
        if (at.in->copy_unwritten(at.row, to)) return true;
        lock.unlock();
        if (at.in->read(at.row, to)) return true;
        self_->lost(at.in);
      }
    }
    if (looked) return false;
    self_->look();
  }
}
PLUMBLINE_INLINE void element_files::keep(std::uint64_t i, std::span<const std::uint8_t> bytes) {
  {
    std::unique_lock lock(self_->mutex);
    self_->leave_to_parent();
    if (self_->places.contains(i) || !self_->fits(bytes.size())) return;
    if (self_->writing == nullptr) self_->begin_file();
    auto* to = self_->writing;
    try {
      self_->places.emplace(i, folder_state::place{to, to->append(i, bytes)});
    } catch (...) {
      self_->give_up(to);
      throw;
    }
    // files grow with the cache, as each keeps a descriptor open
    if (to->size() >= std::max(least_file_bytes, self_->bytes / 64)) self_->finish(lock, {});
  }
  self_->finish_if_due();
}
PLUMBLINE_INLINE void element_files::finish_epoch(std::uint64_t n) {
  std::unique_lock lock(self_->mutex);
  self_->leave_to_parent();
  if (self_->whole && self_->writing == nullptr) return;
  if (self_->writing == nullptr) self_->begin_file();
  self_->finish(lock, n);
  lock.lock();
  self_->whole = n;
}

}  // namespace plumbline::detail
