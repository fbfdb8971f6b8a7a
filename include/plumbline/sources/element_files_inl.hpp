#pragma once
/// Definitions of sources/element_files.hpp.

#include <plumbline/sources/crc32c.hpp>
#include <plumbline/sources/element_files.hpp>
#include <plumbline/sources/io_error.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plumbline::detail {

inline constexpr std::string_view element_file_begin = "plumbln1", element_file_end = "plumbend";
inline constexpr std::string_view element_file_suffix = ".elements", unfinished_prefix = ".unfinished-";
inline constexpr std::size_t element_file_bytes = std::size_t{256} << 20;  ///< a file of this size is finished
inline constexpr std::size_t table_columns = 4;

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

inline void sync_or_throw(int fd, const std::string& path) {
  if (::fsync(fd) != 0) throw_errno("cache", "write", path, 0, errno);
}

PLUMBLINE_INLINE element_files::element_files(std::string folder, std::uint64_t identity, std::string pipeline)
    : folder_(std::move(folder)), pipeline_(std::move(pipeline)), identity_(identity) {
  if (folder_.empty())
    throw std::invalid_argument("plumbline: cache(path): the path is empty; give a folder for the cache's files");
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed) throw_errno("cache", "make", folder_, 0, failed.value());
  clean();
  const std::unique_lock lock(mutex_);
  load_new();
}
PLUMBLINE_INLINE element_files::~element_files() {
  try {
    finish();
  } catch (...) {  // what is not finished is made again
  }
}

/// Removes the unfinished files of processes that have ended.
PLUMBLINE_INLINE void element_files::clean() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    if (!entry.path().filename().string().starts_with(unfinished_prefix)) continue;
    const int fd = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
    ::close(fd);
  }
}

PLUMBLINE_INLINE std::string element_files::header() const {
  std::string out(element_file_begin);
  const auto add = [&](std::uint64_t x) { out.append(reinterpret_cast<const char*>(&x), sizeof x); };
  add(identity_);
  add(pipeline_.size());
  return out + pipeline_;
}

PLUMBLINE_INLINE void element_files::load_new() const {
  next_look_.store(steady_ns() + 1'000'000'000, std::memory_order_relaxed);
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed)) {
    auto name = entry.path().filename().string();
    if (name.ends_with(element_file_suffix) && !files_.contains(name)) load(name);
  }
  if (failed) throw_errno("cache", "list", folder_, 0, failed.value());
}
PLUMBLINE_INLINE void element_files::load(const std::string& name) const {
  const auto path = folder_ + "/" + name;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return;  // removed meanwhile
  if (fd < 0) throw_errno("cache", "open", path, 0, errno);
  auto from = std::make_unique<file>(path, fd, true);
  struct stat is {};
  if (::fstat(fd, &is) != 0) throw_errno("cache", "open", path, 0, errno);
  const auto size = static_cast<std::uint64_t>(is.st_size);

  struct {
    std::array<char, 8> begin;
    std::uint64_t identity, length;
  } head{};
  element_footer foot;
  if (size < sizeof head + sizeof foot) from->damaged(size, "it is too short");
  from->read(&head, sizeof head, 0);
  from->read(&foot, sizeof foot, size - sizeof foot);
  if (std::string_view(head.begin.data(), 8) != element_file_begin) from->damaged(0, "it is no file of a cache");
  if (std::string_view(foot.end.data(), 8) != element_file_end) from->damaged(size - 8, "its end is missing");
  const auto room = size - sizeof foot;
  if (head.length > room - sizeof head || foot.table > room ||
      foot.count != (room - foot.table) / (table_columns * sizeof(std::uint64_t)))
    from->damaged(0, "its parts do not fit together");
  std::string described(static_cast<std::size_t>(head.length), '\0');
  from->read(described.data(), described.size(), sizeof head);
  std::vector<std::uint64_t> table(static_cast<std::size_t>(foot.count) * table_columns);
  from->read(table.data(), table.size() * sizeof(std::uint64_t), foot.table);
  auto crc = crc32c(bytes_of(&head, sizeof head));
  crc = crc32c(bytes_of(described.data(), described.size()), crc);
  crc = crc32c(bytes_of(table.data(), table.size() * sizeof(std::uint64_t)), crc);
  crc = crc32c(bytes_of(&foot, offsetof(element_footer, crc)), crc);
  if (crc != foot.crc) from->damaged(foot.table, "the checksum of its table differs");
  if (head.identity != identity_ || described != pipeline_)
    throw std::invalid_argument(
        "plumbline: cache(\"" + folder_ + "\") holds elements of another pipeline: " + described +
        (described == pipeline_ ? ", with other functions, parameters or sources" : "") + ". This one is " + pipeline_ +
        "; delete the folder, or give each pipeline a folder of its own");
  for (std::size_t i = 0; i != table.size(); i += table_columns)
    places_.try_emplace(table[i],
                        place{from.get(), table[i + 1], table[i + 2], static_cast<std::uint32_t>(table[i + 3])});
  if (foot.epoch_has != 0) whole_ = foot.epoch_has - 1;
  files_.emplace(name, std::move(from));
}

PLUMBLINE_INLINE const element_files::place* element_files::known(std::uint64_t i) const {
  const auto at = places_.find(i);
  return at == places_.end() ? nullptr : &at->second;
}
PLUMBLINE_INLINE bool element_files::has(std::uint64_t i) const {
  const std::shared_lock lock(mutex_);
  return known(i) != nullptr;
}
PLUMBLINE_INLINE std::optional<std::uint64_t> element_files::whole() const {
  const std::shared_lock lock(mutex_);
  return whole_;
}
PLUMBLINE_INLINE bool element_files::find(std::uint64_t i, std::vector<std::uint8_t>& to) const {
  for (bool looked = false;; looked = true) {
    place at;
    bool in_memory = false;
    {
      const std::shared_lock lock(mutex_);
      if (const auto* found = known(i)) {
        at = *found;
        to.resize(static_cast<std::size_t>(at.size));
        in_memory = at.in == writing_.get() && at.offset >= written_;
        if (in_memory) std::memcpy(to.data(), unwritten_.data() + (at.offset - written_), to.size());
      } else if (looked || steady_ns() < next_look_.load(std::memory_order_relaxed)) {
        return false;
      }
    }
    if (at.in == nullptr) {  // another process may have finished a file
      const std::unique_lock lock(mutex_);
      load_new();
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
    writing_ = std::move(made);
    break;
  }
  const auto head = header();
  unwritten_.assign(head.begin(), head.end());
  table_.clear();
  written_ = 0;
}
PLUMBLINE_INLINE void element_files::flush() {
  writing_->write(unwritten_.data(), unwritten_.size(), written_);
  written_ += unwritten_.size();
  unwritten_.clear();
}
PLUMBLINE_INLINE void element_files::keep(std::uint64_t i, std::span<const std::uint8_t> bytes) {
  const auto crc = crc32c(bytes);
  const std::unique_lock lock(mutex_);
  if (known(i) != nullptr) return;
  if (!writing_) begin_file();
  const auto offset = written_ + unwritten_.size();
  unwritten_.insert(unwritten_.end(), bytes.begin(), bytes.end());
  table_.insert(table_.end(), {i, offset, bytes.size(), crc});
  places_.emplace(i, place{writing_.get(), offset, bytes.size(), crc});
  if (unwritten_.size() >= std::size_t{1} << 20) flush();
  if (written_ >= element_file_bytes) finish_locked(0);
}
PLUMBLINE_INLINE void element_files::finish() {
  const std::unique_lock lock(mutex_);
  if (writing_) finish_locked(0);
}
PLUMBLINE_INLINE void element_files::finish_epoch(std::uint64_t n) {
  const std::unique_lock lock(mutex_);
  if (whole_) return;
  if (!writing_) begin_file();
  finish_locked(n + 1);
  whole_ = n;
}
PLUMBLINE_INLINE void element_files::finish_locked(std::uint64_t epoch_has) {
  const auto head = header();
  element_footer foot;
  foot.table = written_ + unwritten_.size();
  foot.count = table_.size() / table_columns;
  foot.epoch_has = epoch_has;
  std::memcpy(foot.end.data(), element_file_end.data(), foot.end.size());
  const auto table = bytes_of(table_.data(), table_.size() * sizeof(std::uint64_t));
  auto crc = crc32c(table, crc32c(bytes_of(head.data(), head.size())));
  foot.crc = crc32c(bytes_of(&foot, offsetof(element_footer, crc)), crc);
  unwritten_.insert(unwritten_.end(), table.begin(), table.end());
  const auto end = bytes_of(&foot, sizeof foot);
  unwritten_.insert(unwritten_.end(), end.begin(), end.end());
  flush();
  sync_or_throw(writing_->fd(), writing_->path());
  auto name = std::filesystem::path(writing_->path()).filename().string().substr(unfinished_prefix.size());
  for (int k = 0;; ++k) {  // a name that no other process has taken
    const auto wanted = name + (k == 0 ? "" : "-" + std::to_string(k)) + std::string(element_file_suffix);
    const auto path = folder_ + "/" + wanted;
    if (::link(writing_->path().c_str(), path.c_str()) == 0) {
      ::unlink(writing_->path().c_str());
    } else if (errno == EEXIST) {
      continue;
    } else if (::rename(writing_->path().c_str(), path.c_str()) != 0) {  // a file system without links
      throw_errno("cache", "name", path, 0, errno);
    }
    writing_->named(path);
    name = wanted;
    break;
  }
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  ::flock(writing_->fd(), LOCK_UN);
  files_.emplace(name, std::move(writing_));
}

}  // namespace plumbline::detail
