#pragma once
/// Definitions of sources/element_files.hpp.

#include <plumbline/sources/crc32c.hpp>
#include <plumbline/sources/element_files.hpp>
#include <plumbline/sources/io_error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plumbline::detail {

inline constexpr std::string_view element_file_begin = "plumbln1", element_file_end = "plumbend";
inline constexpr std::string_view element_file_suffix = ".elements", unfinished_prefix = ".unfinished-";
inline constexpr std::uint64_t least_file_bytes = std::uint64_t{256} << 20;
inline constexpr std::int64_t look_every = 1'000'000'000, finish_every = 30'000'000'000;  ///< in ns
inline constexpr std::size_t table_columns = 4;

struct element_header {
  std::array<char, 8> begin{};
  std::uint64_t identity = 0;
};
/// The last bytes of a complete file.
struct element_footer {
  std::uint64_t table = 0, count = 0, epoch_has = 0, crc = 0;
  std::array<char, 8> end{};
};

inline std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
inline std::span<const std::uint8_t> bytes_of(const void* p, std::size_t n) {
  return {static_cast<const std::uint8_t*>(p), n};
}

/// An open file, closed with the object; one that was not finished is removed.
class element_files::file {
 public:
  file(std::string path, int fd, bool finished) : path_(std::move(path)), fd_(fd), finished_(finished) {}
  file(const file&) = delete;
  ~file() {
    if (!finished_) ::unlink(path_.c_str());
    ::close(fd_);
  }
  const std::string& path() const { return path_; }
  int fd() const { return fd_; }
  void named(std::string path) {
    path_ = std::move(path);
    finished_ = true;
  }
  void read(void* to, std::size_t n, std::uint64_t offset) const {
    auto* at = static_cast<std::uint8_t*>(to);
    while (n != 0) {
      const auto got = ::pread(fd_, at, n, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_errno("cache", "read", path_, offset, errno);
      if (got == 0) damaged(offset, "it ends too early");
      at += got, offset += static_cast<std::uint64_t>(got), n -= static_cast<std::size_t>(got);
    }
  }
  void write(const void* from, std::size_t n, std::uint64_t offset) const {
    const auto* at = static_cast<const std::uint8_t*>(from);
    while (n != 0) {
      const auto done = ::pwrite(fd_, at, n, static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw_errno("cache", "write", path_, offset, errno);
      at += done, offset += static_cast<std::uint64_t>(done), n -= static_cast<std::size_t>(done);
    }
  }
  [[noreturn]] void damaged(std::uint64_t offset, const std::string& why) const {
    throw io_error("plumbline: cache: '" + path_ + "' is damaged at byte " + std::to_string(offset) + ": " + why +
                       "; delete it, and its elements are made again",
                   path_, offset);
  }

 private:
  std::string path_;
  int fd_;
  bool finished_;
};

/// The names of what a folder holds. Throws io_error.
inline std::vector<std::string> names_in(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) throw_errno("cache", "list", folder, 0, errno);
  std::vector<std::string> all;
  while (const dirent* entry = ::readdir(open.get())) all.emplace_back(entry->d_name);
  return all;
}
/// Makes a folder and those above it that are missing. Throws io_error.
inline void make_folders(const std::string& folder) {
  for (std::size_t end = 0; end != folder.npos;) {
    end = folder.find('/', end + 1);
    const auto part = folder.substr(0, end);
    if (::mkdir(part.c_str(), 0777) == 0) continue;
    const int why = errno;
    struct stat is {};
    if (::stat(part.c_str(), &is) != 0) throw_errno("cache", "make", part, 0, why);
    if (!S_ISDIR(is.st_mode)) throw_errno("cache", "make", part, 0, ENOTDIR);
  }
}
inline void sync_or_throw(int fd, const std::string& path) {
  if (::fsync(fd) != 0) throw_errno("cache", "write", path, 0, errno);
}

PLUMBLINE_INLINE element_files::element_files(std::string folder, std::uint64_t identity, std::string pipeline)
    : folder_(std::move(folder)), pipeline_(std::move(pipeline)), identity_(identity) {
  if (folder_.empty())
    throw std::invalid_argument("plumbline: cache(folder): the folder has no name; give one for the cache's files");
  make_folders(folder_);
  clean();
  claim();
  look();
}
PLUMBLINE_INLINE element_files::~element_files() {
  leave_to_parent();
  try {
    std::unique_lock lock(mutex_);
    if (writing_ != nullptr) finish(lock, 0);
  } catch (...) {  // what is not finished is made again
  }
}

/// Makes the folder this pipeline's, or throws if it is another's.
PLUMBLINE_INLINE void element_files::claim() const {
  const auto path = folder_ + "/pipeline", own = std::to_string(identity_) + "\n" + pipeline_ + "\n";
  const auto stated = [&]() -> std::optional<std::string> {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return std::nullopt;
    if (fd < 0) throw_errno("cache", "open", path, 0, errno);
    const file from(path, fd, true);
    struct stat is {};
    if (::fstat(fd, &is) != 0) throw_errno("cache", "open", path, 0, errno);
    std::string text(static_cast<std::size_t>(is.st_size), '\0');
    from.read(text.data(), text.size(), 0);
    return text;
  };
  auto known = stated();
  if (!known) {
    std::string made = folder_ + "/" + std::string(unfinished_prefix) + "XXXXXX";
    const int fd = ::mkostemp(made.data(), O_CLOEXEC);
    if (fd < 0) throw_errno("cache", "make a file in", folder_, 0, errno);
    const file unfinished(made, fd, false);
    ::flock(fd, LOCK_EX);
    ::fchmod(fd, 0644);
    unfinished.write(own.data(), own.size(), 0);
    sync_or_throw(fd, made);
    if (::link(made.c_str(), path.c_str()) != 0 && errno != EEXIST &&
        ::rename(made.c_str(), path.c_str()) != 0)  // a file system without links
      throw_errno("cache", "name", path, 0, errno);
    known = stated();
  }
  if (!known || !known->starts_with(std::to_string(identity_) + "\n")) {
    const auto line = known ? known->find('\n') : 0;
    const auto theirs = known && line != known->npos ? known->substr(line + 1, known->size() - line - 2) : "?";
    throw std::invalid_argument("plumbline: cache(\"" + folder_ + "\") belongs to another pipeline: " + theirs +
                                (theirs == pipeline_ ? ", with other functions, parameters, elements or sources" : "") +
                                ". This one is " + pipeline_ +
                                "; delete the folder, or give each pipeline a folder of its own");
  }
}

/// Removes the unfinished files of processes that have ended.
PLUMBLINE_INLINE void element_files::clean() const {
  for (const auto& name : names_in(folder_)) {
    if (!name.starts_with(unfinished_prefix)) continue;
    const auto path = folder_ + "/" + name;
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
    ::close(fd);
  }
}

PLUMBLINE_INLINE void element_files::look() {
  auto when = look_.load(std::memory_order_relaxed);
  const auto now = steady_ns();
  if (now < when || !look_.compare_exchange_strong(when, now + look_every)) return;
  for (const auto& name : names_in(folder_)) {
    if (!name.ends_with(element_file_suffix)) continue;
    {
      const std::shared_lock lock(mutex_);
      if (names_.contains(name)) continue;
    }
    load(name);
  }
}
PLUMBLINE_INLINE void element_files::load(const std::string& name) {
  const auto path = folder_ + "/" + name;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return;  // removed meanwhile
  if (fd < 0) throw_errno("cache", "open", path, 0, errno);
  auto from = std::make_unique<file>(path, fd, true);
  struct stat is {};
  if (::fstat(fd, &is) != 0) throw_errno("cache", "open", path, 0, errno);
  const auto size = static_cast<std::uint64_t>(is.st_size);

  element_header head;
  element_footer foot;
  if (size < sizeof head + sizeof foot) from->damaged(size, "it is too short");
  from->read(&head, sizeof head, 0);
  from->read(&foot, sizeof foot, size - sizeof foot);
  if (std::string_view(head.begin.data(), 8) != element_file_begin) from->damaged(0, "it is no file of a cache");
  if (std::string_view(foot.end.data(), 8) != element_file_end) from->damaged(size - 8, "its end is missing");
  const auto room = size - sizeof foot;
  if (foot.table < sizeof head || foot.table > room ||
      foot.count != (room - foot.table) / (table_columns * sizeof(std::uint64_t)))
    from->damaged(size - sizeof foot, "its parts do not fit together");
  std::vector<std::uint64_t> table(static_cast<std::size_t>(foot.count) * table_columns);
  const auto table_bytes = table.size() * sizeof(std::uint64_t);
  from->read(table.data(), table_bytes, foot.table);
  auto crc = crc32c(bytes_of(table.data(), table_bytes), crc32c(bytes_of(&head, sizeof head)));
  crc = crc32c(bytes_of(&foot, offsetof(element_footer, crc)), crc);
  if (crc != foot.crc) from->damaged(foot.table, "the checksum of its table differs");
  if (head.identity != identity_) from->damaged(0, "it belongs to another pipeline");

  const std::unique_lock lock(mutex_);
  if (!names_.insert(name).second) return;
  for (std::size_t i = 0; i != table.size(); i += table_columns)
    places_.try_emplace(table[i],
                        place{from.get(), table[i + 1], table[i + 2], static_cast<std::uint32_t>(table[i + 3])});
  if (foot.epoch_has != 0) whole_ = foot.epoch_has - 1;
  kept_bytes_ += size;
  files_.push_back(std::move(from));
}

PLUMBLINE_INLINE bool element_files::has(std::uint64_t i) const {
  const std::shared_lock lock(mutex_);
  return places_.contains(i);
}
PLUMBLINE_INLINE std::optional<std::uint64_t> element_files::whole() {
  look();
  const std::shared_lock lock(mutex_);
  return whole_ && places_.size() >= *whole_ ? whole_ : std::nullopt;
}
PLUMBLINE_INLINE bool element_files::find(std::uint64_t i, std::vector<std::uint8_t>& to) {
  finish_if_due();
  for (bool looked = false;; looked = true) {
    place at;
    bool in_memory = false;
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = places_.find(i); found != places_.end()) {
        at = found->second;
        to.resize(static_cast<std::size_t>(at.size));
        in_memory = at.in == writing_ && at.offset >= written_;
        if (in_memory && at.size != 0) std::memcpy(to.data(), unwritten_.data() + (at.offset - written_), to.size());
      }
    }
    if (at.in == nullptr) {  // another process may have finished a file
      if (looked) return false;
      look();
      continue;
    }
    if (!in_memory) at.in->read(to.data(), to.size(), at.offset);
    if (crc32c(to) != at.crc) at.in->damaged(at.offset, "the checksum of element " + std::to_string(i) + " differs");
    return true;
  }
}

PLUMBLINE_INLINE void element_files::begin_file() {
  for (;;) {
    std::string path = folder_ + "/" + std::string(unfinished_prefix) + "XXXXXX";
    const int fd = ::mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0) throw_errno("cache", "make a file in", folder_, 0, errno);
    auto made = std::make_unique<file>(std::move(path), fd, false);
    struct stat is {};
    if (::flock(fd, LOCK_EX) != 0) throw_errno("cache", "lock", made->path(), 0, errno);
    if (::fstat(fd, &is) != 0 || is.st_nlink == 0) continue;  // taken for an abandoned one before it was locked
    ::fchmod(fd, 0644);
    writing_ = made.get();
    files_.push_back(std::move(made));
    break;
  }
  element_header head{.identity = identity_};
  std::memcpy(head.begin.data(), element_file_begin.data(), head.begin.size());
  const auto bytes = bytes_of(&head, sizeof head);
  unwritten_.assign(bytes.begin(), bytes.end());
  table_.clear();
  written_ = 0;
  writer_ = ::getpid();
  due_.store(steady_ns() + finish_every, std::memory_order_relaxed);
}
PLUMBLINE_INLINE void element_files::flush() {
  writing_->write(unwritten_.data(), unwritten_.size(), written_);
  written_ += unwritten_.size();
  unwritten_.clear();
}
PLUMBLINE_INLINE void element_files::abandon(bool remove) {
  std::erase_if(places_, [&](const auto& p) { return p.second.in == writing_; });
  if (remove) ::unlink(writing_->path().c_str());
  writing_->named(writing_->path());  // so that closing does not remove it
  writing_ = nullptr;
  unwritten_.clear();
  table_.clear();
  due_.store(0, std::memory_order_relaxed);
}
/// In a child of fork(): the file belongs to the parent.
PLUMBLINE_INLINE void element_files::leave_to_parent() {
  if (writing_ != nullptr && writer_ != ::getpid()) abandon(false);
}
PLUMBLINE_INLINE void element_files::keep(std::uint64_t i, std::span<const std::uint8_t> bytes) {
  const auto crc = crc32c(bytes);
  {
    std::unique_lock lock(mutex_);
    leave_to_parent();
    if (places_.contains(i)) return;
    if (writing_ == nullptr) begin_file();
    const auto offset = written_ + unwritten_.size();
    try {
      unwritten_.insert(unwritten_.end(), bytes.begin(), bytes.end());
      table_.insert(table_.end(), {i, offset, bytes.size(), crc});
      places_.emplace(i, place{writing_, offset, bytes.size(), crc});
      if (unwritten_.size() >= std::size_t{1} << 20) flush();
    } catch (...) {
      abandon(true);
      throw;
    }
    // files grow with the cache, as each keeps a descriptor open
    if (written_ >= std::max(least_file_bytes, kept_bytes_ / 64)) finish(lock, 0);
  }
  finish_if_due();
}
PLUMBLINE_INLINE void element_files::finish_if_due() {
  auto when = due_.load(std::memory_order_relaxed);
  if (when == 0 || steady_ns() < when) return;
  std::unique_lock lock(mutex_);
  leave_to_parent();
  if (writing_ != nullptr && due_.load(std::memory_order_relaxed) == when) finish(lock, 0);
}
PLUMBLINE_INLINE void element_files::finish_epoch(std::uint64_t n) {
  std::unique_lock lock(mutex_);
  leave_to_parent();
  if (whole_) {
    if (writing_ != nullptr) finish(lock, 0);
    return;
  }
  if (writing_ == nullptr) begin_file();
  finish(lock, n + 1);
  lock.lock();
  whole_ = n;
}
/// Gives the file that is being written its name, once it is on the disk. Returns without the lock.
PLUMBLINE_INLINE void element_files::finish(std::unique_lock<std::shared_mutex>& lock, std::uint64_t epoch_has) {
  file& done = *writing_;
  try {
    element_footer foot;
    foot.table = written_ + unwritten_.size();
    foot.count = table_.size() / table_columns;
    foot.epoch_has = epoch_has;
    std::memcpy(foot.end.data(), element_file_end.data(), foot.end.size());
    element_header head{.identity = identity_};
    std::memcpy(head.begin.data(), element_file_begin.data(), head.begin.size());
    const auto table = bytes_of(table_.data(), table_.size() * sizeof(std::uint64_t));
    const auto crc = crc32c(table, crc32c(bytes_of(&head, sizeof head)));
    foot.crc = crc32c(bytes_of(&foot, offsetof(element_footer, crc)), crc);
    unwritten_.insert(unwritten_.end(), table.begin(), table.end());
    const auto end = bytes_of(&foot, sizeof foot);
    unwritten_.insert(unwritten_.end(), end.begin(), end.end());
    flush();
  } catch (...) {
    abandon(true);
    throw;
  }
  kept_bytes_ += written_;
  writing_ = nullptr;  // others may begin the next one while this one goes to the disk
  table_.clear();
  due_.store(0, std::memory_order_relaxed);
  lock.unlock();
  try {
    auto name = publish(done);
    lock.lock();
    names_.insert(std::move(name));
    lock.unlock();
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    std::erase_if(places_, [&](const auto& p) { return p.second.in == &done; });
    lock.unlock();
    throw;
  }
}
PLUMBLINE_INLINE std::string element_files::publish(file& done) const {
  sync_or_throw(done.fd(), done.path());
  const auto stem = done.path().substr(folder_.size() + 1 + unfinished_prefix.size());
  for (int k = 0;; ++k) {  // a name that no other process has taken
    auto name = stem + (k == 0 ? "" : "-" + std::to_string(k)) + std::string(element_file_suffix);
    const auto path = folder_ + "/" + name;
    if (::link(done.path().c_str(), path.c_str()) == 0) {
      ::unlink(done.path().c_str());
    } else if (errno == EEXIST) {
      continue;
    } else if (::rename(done.path().c_str(), path.c_str()) != 0) {  // a file system without links
      throw_errno("cache", "name", path, 0, errno);
    }
    done.named(path);
    const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
      ::fsync(folder);
      ::close(folder);
    }
    ::flock(done.fd(), LOCK_UN);
    return name;
  }
}

}  // namespace plumbline::detail
