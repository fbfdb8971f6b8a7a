#pragma once
/// Definitions of sources/element_file.hpp.

#include <plumbline/data/crc32.hpp>
#include <plumbline/sources/element_file.hpp>
#include <plumbline/sources/io_error.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plumbline::detail {

template <class T> std::span<const std::uint8_t> bytes_of(const T* p, std::size_t n = 1) {
  return {reinterpret_cast<const std::uint8_t*>(p), n * sizeof(T)};
}
inline void write_at(int fd, std::span<const std::uint8_t> bytes, std::uint64_t offset, const std::string& path) {
  while (!bytes.empty()) {
    const auto done = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw_errno("cache", "write", path, offset, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}
inline void sync_or_throw(int fd, const std::string& path) {
  if (::fsync(fd) != 0) throw_errno("cache", "write", path, 0, errno);
}

/// Makes a file under a temporary name, open and locked. Abandoned files are locked before they are removed.
inline std::pair<std::string, int> create_unfinished(const std::string& folder) {
  for (;;) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) < 0) throw_errno("cache", "make a file in", folder, 0, errno);
    const auto path = folder + "/" + std::string(unfinished_prefix) + std::to_string(number);
    // who may read it is for the umask to say; mkstemp would ask for 0600
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) throw_errno("cache", "make a file in", folder, 0, errno);
    struct stat is {};
    int done = ::flock(fd, LOCK_EX);
    while (done != 0 && errno == EINTR) done = ::flock(fd, LOCK_EX);
    if (done == 0) done = ::fstat(fd, &is);
    if (done != 0) {  // some file systems have no locks
      const int why = errno;
      ::unlink(path.c_str());
      ::close(fd);
      throw_errno("cache", "lock", path, 0, why);
    }
    if (is.st_nlink != 0) return {path, fd};
    ::close(fd);  // it was taken for an abandoned one before it was locked
  }
}
/// Renames a file, unless there is one of that name: then it returns false.
inline bool rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  // some file systems have only links for that, and some neither: there, of two at the same moment the later one stays
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return true;
  }
  if (errno == EEXIST || ::access(to.c_str(), F_OK) == 0) return false;
  if (::rename(from.c_str(), to.c_str()) != 0) throw_errno("cache", "name", to, 0, errno);
  return true;
}
inline void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

PLUMBLINE_INLINE element_file::element_file(std::string path, int fd, bool unfinished)
    : path_(std::move(path)), file_(std::make_shared<const descriptor>(fd)), writer_(unfinished ? ::getpid() : 0) {}
PLUMBLINE_INLINE element_file::~element_file() { remove_unfinished(); }
PLUMBLINE_INLINE void element_file::remove_unfinished() {
  if (writer_ == 0 || !mine()) return;
  ::unlink(path_.c_str());
  writer_ = 0;
  std::vector<element_row>().swap(rows_);  // assignment would keep the memory
  std::vector<std::uint8_t>().swap(unwritten_);
  open_for_each_read();  // the last descriptor holds the space; there is no file to open now
}
PLUMBLINE_INLINE element_file::descriptor::~descriptor() { ::close(number); }
PLUMBLINE_INLINE std::string element_file::path() const {
  const std::scoped_lock lock(mutex_);
  return path_;
}
PLUMBLINE_INLINE auto element_file::opened() const -> std::shared_ptr<const descriptor> {
  const std::scoped_lock lock(mutex_);
  if (file_) return file_;
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return nullptr;
  if (fd < 0) throw_errno("cache", "open", path_, 0, errno);
  auto file = std::make_shared<const descriptor>(fd);
  // a folder may have been emptied and filled again: under this name are other elements then
  element_file_footer foot;
  const auto at = static_cast<off_t>(written_ - sizeof foot);
  return ::pread(fd, &foot, sizeof foot, at) == sizeof foot && foot == footer_ ? file : nullptr;
}
PLUMBLINE_INLINE void element_file::open_for_each_read() {
  const std::scoped_lock lock(mutex_);
  file_.reset();
}
PLUMBLINE_INLINE bool element_file::mine() const { return writer_ == ::getpid(); }

PLUMBLINE_INLINE std::unique_ptr<element_file> element_file::create(const std::string& folder, std::uint64_t identity) {
  auto [path, fd] = create_unfinished(folder);
  std::unique_ptr<element_file> out(new element_file(std::move(path), fd, true));
  out->identity_ = identity;
  const element_file_header head{.identity = identity};
  const auto bytes = bytes_of(&head);
  out->unwritten_.assign(bytes.begin(), bytes.end());
  return out;
}
PLUMBLINE_INLINE std::unique_ptr<element_file> element_file::open(const std::string& path, std::uint64_t identity) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO would wait for a writer
  if (fd < 0 && errno == ENOENT) return nullptr;
  if (fd < 0) throw_errno("cache", "open", path, 0, errno);
  std::unique_ptr<element_file> out(new element_file(path, fd, false));
  out->load(identity);
  return out;
}
PLUMBLINE_INLINE void element_file::load(std::uint64_t identity) {
  struct stat is {};
  const int fd = file_->number;
  if (::fstat(fd, &is) != 0) throw_errno("cache", "open", path_, 0, errno);
  if (!S_ISREG(is.st_mode)) damaged(0, "it is not a regular file");
  written_ = static_cast<std::uint64_t>(is.st_size);
  element_file_header head;
  auto& foot = footer_;
  if (written_ < sizeof head + sizeof foot) damaged(written_, "it is too short");
  const auto foot_at = written_ - sizeof foot;
  read_raw(fd, &head, sizeof head, 0);
  read_raw(fd, &foot, sizeof foot, foot_at);
  if (head.begin != element_file_header{}.begin) damaged(0, "it is no file of a cache");
  if (foot.end != element_file_footer{}.end) damaged(written_ - foot.end.size(), "its end is missing");
  if (foot.table < sizeof head || foot.table > foot_at || foot.count != (foot_at - foot.table) / sizeof(element_row))
    damaged(foot_at, "its parts do not fit together");
  rows_.resize(static_cast<std::size_t>(foot.count));
  read_raw(fd, rows_.data(), rows_.size() * sizeof(element_row), foot.table);
  identity_ = head.identity;
  if (foot.epoch != 0) epoch_size_ = foot.epoch - 1;
  if (foot.crc != checksum(foot.table)) damaged(foot.table, "the checksum of its table differs");
  if (identity_ != identity)
    throw io_error(
        "plumbline: cache: '" + path_ + "' belongs to another pipeline; give each pipeline a folder of its own", path_,
        0);
}
/// Of all but the elements' bytes.
PLUMBLINE_INLINE std::uint32_t element_file::checksum(std::uint64_t table) const {
  const std::array<std::uint64_t, 4> all{identity_, table, rows_.size(), epoch_size_ ? *epoch_size_ + 1 : 0};
  return crc32c(bytes_of(all.data(), all.size()), crc32c(bytes_of(rows_.data(), rows_.size())));
}

PLUMBLINE_INLINE void element_file::read_raw(int fd, void* to, std::size_t n, std::uint64_t offset) const {
  auto* at = static_cast<std::uint8_t*>(to);
  while (n != 0) {
    const auto got = ::pread(fd, at, n, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno("cache", "read", path(), offset, errno);
    if (got == 0) damaged(offset, "it ends too early");
    at += got, offset += static_cast<std::uint64_t>(got), n -= static_cast<std::size_t>(got);
  }
}
PLUMBLINE_INLINE bool element_file::copy_unwritten(const element_row& row, std::vector<std::uint8_t>& to) const {
  if (row.offset < written_) return false;  // elements are written whole
  const auto at = unwritten_.begin() + static_cast<std::ptrdiff_t>(row.offset - written_);
  to.assign(at, at + static_cast<std::ptrdiff_t>(row.size));
  return true;
}
PLUMBLINE_INLINE bool element_file::read(const element_row& row, std::vector<std::uint8_t>& to) const {
  const auto file = opened();
  if (!file) return false;
  to.resize(static_cast<std::size_t>(row.size));
  read_raw(file->number, to.data(), to.size(), row.offset);
  if (crc32c(to) != row.crc) damaged(row.offset, "the checksum of element " + std::to_string(row.index) + " differs");
  return true;
}
PLUMBLINE_INLINE void element_file::damaged(std::uint64_t offset, const std::string& why) const {
  const auto own = path();
  throw io_error("plumbline: cache: '" + own + "' is damaged at byte " + std::to_string(offset) + ": " + why +
                     "; delete it, and its elements are made again",
                 own, offset);
}

PLUMBLINE_INLINE void element_file::flush() {
  write_at(file_->number, unwritten_, written_, path_);
  written_ += unwritten_.size();
  const bool large = unwritten_.capacity() > std::size_t{4} << 20;
  unwritten_.clear();
  if (large) unwritten_.shrink_to_fit();
}
PLUMBLINE_INLINE element_row element_file::append(std::uint64_t index, std::span<const std::uint8_t> bytes) {
  const element_row row{index, size(), bytes.size(), crc32c(bytes)};
  unwritten_.insert(unwritten_.end(), bytes.begin(), bytes.end());
  rows_.push_back(row);
  if (unwritten_.size() >= std::size_t{1} << 20) flush();
  return row;
}
PLUMBLINE_INLINE void element_file::close(std::optional<std::uint64_t> epoch_size) {
  epoch_size_ = epoch_size;
  footer_ = {.table = size(), .count = rows_.size(), .epoch = epoch_size ? *epoch_size + 1 : 0};
  footer_.crc = checksum(footer_.table);
  for (const auto part : {bytes_of(rows_.data(), rows_.size()), bytes_of(&footer_)})
    unwritten_.insert(unwritten_.end(), part.begin(), part.end());
  flush();
  unwritten_.shrink_to_fit();
}
PLUMBLINE_INLINE std::string element_file::publish(const std::string& folder) {
  sync_or_throw(file_->number, path_);
  const auto stem = path_.substr(folder.size() + 1 + unfinished_prefix.size());
  auto name = stem + std::string(element_file_suffix);
  for (int k = 1; !rename_to_new(path_, folder + "/" + name); ++k)  // taken by another process
    name = stem + "-" + std::to_string(k) + std::string(element_file_suffix);
  {
    const std::scoped_lock lock(mutex_);
    path_ = folder + "/" + name;
  }
  writer_ = 0;
  sync_folder(folder);
  ::flock(file_->number, LOCK_UN);
  return name;
}

PLUMBLINE_INLINE void write_once(const std::string& folder, const std::string& name, std::string_view text) {
  const auto [path, fd] = create_unfinished(folder);
  try {
    write_at(fd, bytes_of(text.data(), text.size()), 0, path);
    sync_or_throw(fd, path);
    if (!rename_to_new(path, folder + "/" + name)) ::unlink(path.c_str());
    sync_folder(folder);
  } catch (...) {
    ::unlink(path.c_str());
    ::close(fd);
    throw;
  }
  ::close(fd);
}

}  // namespace plumbline::detail
