// element_files: locks that a file system does not have, bytes that are counted once, memory that is given back.
#include <plumbline/sources/element_files.hpp>

#include <plumbline/sources/element_file.hpp>
#include <plumbline/sources/io_error.hpp>

#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <malloc.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {
// What link and renameat2 fail with; 0: they do not.
int link_error = 0, renameat2_error = 0;
// What flock(file, how) does before the system's own: its result is the error, or 0 for none.
std::function<int(int how)> before_flock;
}  // namespace

// These take the place of the C library's in this program.
extern "C" int link(const char* from, const char* to) noexcept {
  if (link_error == 0) return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
  errno = link_error;
  return -1;
}
extern "C" int renameat2(int from_at, const char* from, int to_at, const char* to, unsigned how) noexcept {
  if (renameat2_error == 0) return static_cast<int>(::syscall(SYS_renameat2, from_at, from, to_at, to, how));
  errno = renameat2_error;
  return -1;
}
extern "C" int flock(int file, int how) noexcept {
  const int error = before_flock ? before_flock(how) : 0;
  if (error == 0) return static_cast<int>(::syscall(SYS_flock, file, how));
  errno = error;
  return -1;
}

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;
namespace pl = plumbline;

namespace {

struct flock_is {
  explicit flock_is(std::function<int(int)> f) { before_flock = std::move(f); }
  flock_is(const flock_is&) = delete;
  ~flock_is() { before_flock = nullptr; }
};
std::vector<std::uint8_t> bytes_of(std::size_t n) { return std::vector<std::uint8_t>(n, std::uint8_t{7}); }
auto files_in(const temp_folder& at) {
  return std::distance(fs::directory_iterator(at.path()), fs::directory_iterator());
}
// Of the heap, in bytes.
std::size_t allocated() {
  const auto now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

}  // namespace

TEST_CASE("element files: a file system without locks is an error that says so") {
  for (const int error : {ENOLCK, EOPNOTSUPP, ENOSYS}) {
    const temp_folder at;
    int asked = 0;
    // after a hundred it gives up, where an endless loop would fill the disk
    const flock_is broken([&](int) { return ++asked > 100 ? 0 : error; });
    CHECK_THROWS_WITH(
        pl::detail::element_files(at.path(), 1, "p"),
        Contains("plumbline: cache cannot lock '" + at.path()) && Contains("(errno " + std::to_string(error) + ")"));
    CHECK(asked == 1);
    CHECK(files_in(at) == 0);
  }
  // a signal is none
  const temp_folder at;
  int interrupted = 0;
  const flock_is slow([&](int how) { return how == LOCK_EX && ++interrupted % 3 != 0 ? EINTR : 0; });
  pl::detail::element_files files(at.path(), 1, "p");
  files.keep(0, bytes_of(10));
  CHECK(files.has(0));
  CHECK(interrupted == 6);
}

TEST_CASE("element files: a file's bytes are counted once") {
  const temp_folder at;
  std::vector<std::uint8_t> got;
  pl::detail::element_files files(at.path(), 1, "p", 2'500);  // room for two elements, each in a file
  files.keep(0, bytes_of(1'000));
  {  // between a file's new name and its counting, another thread looks for files of other processes, once a second
    const flock_is then([&](int how) {
      if (how != LOCK_UN) return 0;
      std::this_thread::sleep_for(1100ms);
      CHECK(!files.find(7, got));
      return 0;
    });
    files.finish_epoch(1);
  }
  CHECK(files.find(0, got));
  files.keep(1, bytes_of(1'000));
  CHECK(files.has(1));
  files.keep(2, bytes_of(1'000));
  CHECK(!files.has(2));
}

TEST_CASE("element files: a file that could not be finished does not count") {
  const temp_folder at;
  const auto folder = at / "cache";
  pl::detail::element_files files(folder, 1, "p", 1'500);
  files.keep(0, bytes_of(1'000));
  fs::remove_all(folder);
  CHECK_THROWS_AS(files.finish_epoch(1), pl::io_error);
  CHECK(!files.has(0));
  fs::create_directory(folder);
  files.keep(0, bytes_of(1'000));
  CHECK(files.has(0));
}

TEST_CASE("element files: files that were removed make room") {
  const temp_folder at;
  constexpr std::uint64_t n = 300;  // more than descriptors that are kept, so that a file that is removed is gone
  const auto some = bytes_of(1'000);
  pl::detail::element_files files(at.path(), 1, "p", n * 1'000);
  for (std::uint64_t i = 0; i != n; ++i) {  // a file each
    files.keep(i, some);
    files.finish_epoch(i + 1);
  }
  std::uint64_t kept = 0;
  while (files.has(kept)) ++kept;
  REQUIRE(kept > 270);
  REQUIRE(kept < n);  // it is full
  for (const auto& file : fs::directory_iterator(at.path()))
    if (file.path().extension() == ".elements") fs::remove(file);
  std::vector<std::uint8_t> got;
  std::uint64_t lost = 0;
  for (std::uint64_t i = 0; i != kept; ++i) lost += files.find(i, got) ? 0 : 1;
  REQUIRE(lost > 0);
  for (auto i = n; i != n + lost; ++i) files.keep(i, some);
  CHECK(files.has(n + lost - 1));
}

TEST_CASE("element files: what has been written takes no memory") {
  const temp_folder at;
  pl::detail::element_files files(at.path(), 1, "p");
  const auto some = bytes_of(900'000), large = bytes_of(40'000'000);
  const auto before = allocated();
  for (std::uint64_t i = 0; i != 20; ++i) {  // a file each
    files.keep(i, some);
    files.finish_epoch(i + 1);
  }
  if (sanitized) return;  // their allocators do not count so
  CHECK(allocated() < before + 4'000'000);
  files.keep(20, large);
  CHECK(allocated() < before + 8'000'000);
  std::vector<std::uint8_t> got;
  CHECK((files.find(20, got) && got == large));
  CHECK((files.find(3, got) && got == some));
  constexpr std::uint64_t n = 200'000;
  for (std::uint64_t i = 21; i != n; ++i) files.keep(i, {});
  const auto with_rows = allocated();
  files.finish_epoch(n);
  CHECK(allocated() + (n - 21) * sizeof(pl::detail::element_row) < with_rows + 1'000'000);
}

TEST_CASE("element files: a folder whose `pipeline` is a FIFO is damaged") {
  const temp_folder at;
  REQUIRE(::mkfifo((at / "pipeline").c_str(), 0600) == 0);
  const watchdog guard("element files: a FIFO");
  CHECK_THROWS_WITH(pl::detail::element_files(at.path(), 1, "p"), Contains("/pipeline' is damaged"));
}

TEST_CASE("element files: their modes are those that the umask gives") {
  for (const unsigned mask : {0077U, 0027U, 0002U, 0000U}) {
    const temp_folder at;
    const auto before = ::umask(mask);
    {
      pl::detail::element_files files(at.path(), 1, "p");
      files.keep(0, bytes_of(10));
    }
    ::umask(before);
    CHECK(files_in(at) == 2);
    for (const auto& e : fs::directory_iterator(at.path()))
      CHECK(static_cast<unsigned>(e.status().permissions()) == (0666U & ~mask));
  }
}

TEST_CASE("element files: no file takes the place of another that has its name, whatever the file system can do") {
  struct reset {
    ~reset() { link_error = renameat2_error = 0; }
  } after;
  for (const auto& [renames, links] : {std::pair(0, 0), {0, EPERM}, {EINVAL, 0}, {EINVAL, EPERM}, {ENOSYS, ENOTSUP}}) {
    CAPTURE(renames, links);
    link_error = links;
    renameat2_error = renames;
    const temp_folder at;
    at.write("theirs", "theirs");
    pl::detail::write_once(at.path(), "theirs", "mine");
    pl::detail::write_once(at.path(), "new", "mine");
    CHECK(fs::file_size(at / "theirs") == 6);
    CHECK(fs::file_size(at / "new") == 4);
    CHECK(files_in(at) == 2);
  }
}

TEST_CASE("element files: a file that is opened again, and is another, is taken for gone") {
  const temp_folder at;
  const auto complete = [&](const temp_folder& in, std::uint64_t from) {
    auto f = pl::detail::element_file::create(in.path(), 1);
    std::vector<pl::detail::element_row> rows;
    for (std::uint64_t i = from; i != from + 3; ++i)
      rows.push_back(f->append(i, std::vector<std::uint8_t>(5, static_cast<std::uint8_t>(i))));
    f->close({});
    return std::pair(in / f->publish(in.path()), rows);
  };
  const auto [path, rows] = complete(at, 0);
  const auto file = pl::detail::element_file::open(path, 1);
  REQUIRE(file);
  file->open_for_each_read();
  std::vector<std::uint8_t> got;
  CHECK((file->read(rows[1], got) && got == std::vector<std::uint8_t>(5, 1)));
  fs::copy_file(path, at / "copy");
  fs::rename(at / "copy", path);  // another, of the same elements
  CHECK((file->read(rows[1], got) && got == std::vector<std::uint8_t>(5, 1)));
  const temp_folder other;
  fs::rename(complete(other, 100).first, path);  // of the same sizes
  CHECK(!file->read(rows[1], got));
  fs::resize_file(path, 20);
  CHECK(!file->read(rows[1], got));
}
