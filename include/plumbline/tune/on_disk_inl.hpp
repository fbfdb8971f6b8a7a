#pragma once
/// Definitions of tune/on_disk.hpp.

#include <plumbline/model/machine.hpp>
#include <plumbline/tune/measure_disk.hpp>
#include <plumbline/tune/on_disk.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace plumbline::detail {

inline constexpr std::size_t measured_bytes = std::size_t{64} << 20;
inline constexpr std::string_view measured_name = ".measured-XXXXXX";  ///< X: any

[[noreturn]] inline void refuse_folder(const std::string& folder, const std::string& what) {
  throw std::invalid_argument("plumbline: on_disk: '" + folder + "' " + what + ": " + std::strerror(errno) +
                              "; give a folder that can be written");
}
/// Bytes of the files in a folder; 0 if there is none.
inline std::uint64_t bytes_in(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  std::uint64_t all = 0;
  if (!open) return 0;
  while (const dirent* entry = ::readdir(open.get())) {
    struct stat is {};
    if (::fstatat(::dirfd(open.get()), entry->d_name, &is, 0) == 0 && S_ISREG(is.st_mode))
      all += static_cast<std::uint64_t>(is.st_size);
  }
  return all;
}
/// The same of the folders in it that belong to caches of plans.
inline std::uint64_t bytes_of_caches(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  std::uint64_t all = 0;
  if (!open) return 0;
  while (const dirent* entry = ::readdir(open.get()))
    if (std::string(entry->d_name).starts_with("after-")) all += bytes_in(folder + "/" + entry->d_name);
  return all;
}
inline void make_path(const std::string& folder) {
  for (std::size_t end = 0; end != folder.npos;) {
    end = folder.find('/', end + 1);
    if (::mkdir(folder.substr(0, end).c_str(), 0777) != 0 && errno != EEXIST) refuse_folder(folder, "cannot be made");
  }
}
/// Removes the files for measuring of processes that were killed. One in use is locked (a process's number in the name
/// would not do: those in other containers may have the same).
inline void remove_measured(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) return;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name.size() != measured_name.size() || !name.starts_with(".measured-")) continue;
    const int fd = ::openat(::dirfd(open.get()), entry->d_name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlinkat(::dirfd(open.get()), entry->d_name, 0);
    ::close(fd);
  }
}
/// A file on the disk, for measuring. Removes it at the end.
class measured_file {
 public:
  explicit measured_file(const std::string& folder) {
    remove_measured(folder);
    do {
      if (fd_ >= 0) ::close(fd_);  // another process took it for an abandoned one before it was locked
      path_ = folder + "/" + std::string(measured_name);
      fd_ = ::mkostemp(path_.data(), O_CLOEXEC);
      if (fd_ < 0) refuse_folder(folder, "cannot be written");
      while (::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
      }  // where there are no locks, no process removes it
    } while (removed());
    if (written()) return;
    const int why = errno;
    remove();
    errno = why;
    refuse_folder(folder, "cannot be written");
  }
  measured_file(const measured_file&) = delete;
  ~measured_file() { remove(); }
  const std::string& path() const { return path_; }

 private:
  bool removed() const {
    struct stat is {};
    return ::fstat(fd_, &is) == 0 && is.st_nlink == 0;
  }
  bool written() const {
    std::vector<std::uint64_t> block(std::size_t{1} << 17);
    for (std::size_t n = 0; n < measured_bytes; n += 8 * block.size()) {
      for (std::size_t i = 0; i != block.size(); ++i) block[i] = hash_combine(n, i);  // nothing that can be compressed
      errno = ENOSPC;                                                                 // if only a part is written
      if (::write(fd_, block.data(), 8 * block.size()) != static_cast<ssize_t>(8 * block.size())) return false;
    }
    return ::fsync(fd_) == 0;
  }
  void remove() {
    ::unlink(path_.c_str());
    ::close(fd_);
  }

  std::string path_{};
  int fd_ = -1;
};

PLUMBLINE_INLINE two_levels::two_levels(std::string folder, bytes most, disk_level_options how)
    : folder_(std::move(folder)), most_(most.count), how_(std::move(how)) {
  if (folder_.empty())
    throw std::invalid_argument("plumbline: on_disk: the folder has no name; give one for the caches' files");
}

PLUMBLINE_INLINE cache_levels two_levels::of(const plan& by, std::size_t c) const {
  cache_levels at{.memory = by.shares.empty() ? share() : by.shares[c], .version = how_.version};
  if (by.on_disk.empty()) return at;
  at.disk = by.on_disk[c];
  at.folder = folder_of(by.caches[c]);
  at.most = room_[c];
  return at;
}

PLUMBLINE_INLINE void two_levels::prepare(const plan& by) {
  room_.assign(by.caches.size(), 0);
  const auto held = bytes_of_caches(folder_);
  auto left = most_ > held ? most_ - held : 0;
  for (std::size_t c = 0; c != by.on_disk.size(); ++c) {
    // a share of the elements may be more of the bytes than planned, as elements' sizes differ
    const auto has = bytes_in(folder_of(by.caches[c])),
               planned = static_cast<std::uint64_t>(1.1 * by.disk_bytes[c]) + 4096;
    const auto more = std::min(left, planned > has ? planned - has : 0);
    room_[c] = has + more;
    left -= more;
  }
  // what the folder has may be of an earlier plan's shares, so the rest is given out, too; a cache writes only its
  // share
  for (std::size_t c = 0; c != by.on_disk.size(); ++c) {
    const auto more = std::min(left, static_cast<std::uint64_t>(1.1 * by.disk_bytes[c]) + 4096);
    room_[c] += more;
    left -= more;
  }
}

PLUMBLINE_INLINE cache_disk two_levels::disk(const trace& seen, const run_options& stated) const {
  make_path(folder_);
  struct stat here {};
  struct statvfs space {};
  if (::stat(folder_.c_str(), &here) != 0 || ::statvfs(folder_.c_str(), &space) != 0)
    refuse_folder(folder_, "cannot be used");
  const double free = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  cache_disk found{
      .bytes = std::min(static_cast<double>(most_), 0.95 * free + static_cast<double>(bytes_of_caches(folder_))),
      .curve = how_.curve};
  constexpr double measured = static_cast<double>(measured_bytes);
  if (!found.curve.known() && found.bytes > measured && free > 2 * measured) {
    const measured_file file(folder_);
    const auto readers = std::max<std::size_t>(1, stated.threads.value_or(machine::cores_here()));
    found.curve =
        measure_disk({file.path()}, {.seconds = 0.5, .most_reads = readers, .request_bytes = std::size_t{64} << 10});
  }
  // a limit on reading is not one of this folder's files
  for (const auto& [path, read] : seen.files) {
    struct stat is {};
    if (stated.read_bytes_per_second || ::stat(path.c_str(), &is) != 0) continue;
    found.has_files = found.has_files || is.st_dev == here.st_dev;
  }
  return found;
}

}  // namespace plumbline::detail
