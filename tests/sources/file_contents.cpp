#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <plumbline/sources/byte_stream.hpp>
#include <plumbline/sources/file_contents.hpp>
#include <plumbline/sources/line_reader.hpp>

#include "support/skip.hpp"
#include "support/temp_folder.hpp"
#include "support/watchdog.hpp"

namespace pl = plumbline;
using Catch::Contains;
using plumbline_test::temp_folder;

namespace {

// While this is set, pread() calls it, to simulate faults that no ordinary file system shows.
thread_local std::function<ssize_t(int, void*, std::size_t, off_t)> faulty_pread;  // NOLINT

ssize_t plain_pread(int fd, void* to, std::size_t n, off_t at) { return ::syscall(SYS_pread64, fd, to, n, at); }

struct fault {
  explicit fault(std::function<ssize_t(int, void*, std::size_t, off_t)> f) { faulty_pread = std::move(f); }
  fault(const fault&) = delete;
  fault& operator=(const fault&) = delete;
  ~fault() { faulty_pread = nullptr; }
};

std::string text(const pl::byte_tensor& b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

std::string pattern(std::size_t n) {
  std::string s(n, '\0');
  for (std::size_t i = 0; i < n; ++i) s[i] = static_cast<char>((i * 2654435761U) >> 24U);
  return s;
}

}  // namespace

// Replaces the C library's function.
extern "C" ssize_t pread(int fd, void* to, std::size_t n, off_t at) {
  return faulty_pread ? faulty_pread(fd, to, n, at) : plain_pread(fd, to, n, at);
}

TEST_CASE("read_bytes: whole files of any size") {
  const temp_folder t;
  for (const std::size_t n : {0U, 1U, 4095U, 4096U, 4097U, 131072U, 131073U, 3000000U})
    CHECK(text(pl::read_bytes(t.write("f", pattern(n)))) == pattern(n));
  const std::string self = text(pl::read_bytes("/proc/self/status"));  // reports a size of 0 bytes
  CHECK_THAT(self, Contains("Name:") && Contains("VmRSS") && Contains("nonvoluntary_ctxt_switches"));
}

TEST_CASE("read_bytes: short reads and interruptions are not errors") {
  const temp_folder t;
  const std::string f = t.write("f", pattern(10000));
  int calls = 0;
  const fault short_reads([&](int fd, void* to, std::size_t n, off_t at) -> ssize_t {
    if (++calls % 3 == 0) {
      errno = EINTR;
      return -1;
    }
    return plain_pread(fd, to, std::min<std::size_t>(n, 7), at);
  });
  CHECK(text(pl::read_bytes(f)) == pattern(10000));
  CHECK(calls > 1400);
}

TEST_CASE("read_bytes: a fault of the storage names path, byte and errno") {
  const temp_folder t;
  const std::string f = t.write("f", pattern(10000));
  const fault broken([&](int fd, void* to, std::size_t n, off_t at) -> ssize_t {
    if (at >= 8192) {
      errno = EIO;
      return -1;
    }
    return plain_pread(fd, to, std::min<std::size_t>(n, 4096), at);
  });
  try {
    (void)pl::read_bytes(f);
    FAIL("no error");
  } catch (const pl::io_error& e) {
    CHECK(std::string(e.what()) ==
          "plumbline: read_file cannot read '" + f +
              "' at byte 8192: Input/output error (errno 5); the storage reports a fault; check the "
              "disk or the mount, then the file");
    CHECK(e.path() == f);
    CHECK(e.offset() == 8192);
    CHECK(e.code() == EIO);
  }
  // a stream delivers the bytes before the fault
  pl::byte_stream s(f);
  std::string got;
  CHECK_THROWS_AS(([&] {
                    while (s.more()) {
                      got.append(reinterpret_cast<const char*>(s.buffered().data()), s.buffered().size());
                      s.consume(s.buffered().size());
                    }
                  }()),
                  pl::io_error);
  CHECK(got == pattern(8192));
}

TEST_CASE("a file that changes its size while it is read") {
  const temp_folder t;
  const std::string f = t.write("f", pattern(10000));
  SECTION("shorter") {
    const fault cut([&](int fd, void* to, std::size_t n, off_t at) -> ssize_t {
      if (at == 0) (void)::truncate(f.c_str(), 6000);
      return plain_pread(fd, to, n, at);
    });
    CHECK_THROWS_WITH(pl::read_bytes(f), Contains("found the end of '" + f + "' at byte 6000, but it had 10000 bytes"));
  }
  SECTION("shorter, as lines") {
    const fault cut([&](int fd, void* to, std::size_t n, off_t at) -> ssize_t {
      if (at == 0) (void)::truncate(f.c_str(), 6000);
      return plain_pread(fd, to, n, at);
    });
    pl::line_reader r(f, {.buffer_bytes = 1000});
    std::string line;
    CHECK_THROWS_WITH(([&] {
                        while (r.next(line)) {
                        }
                      }()),
                      Contains("at byte 6000, but it had 10000 bytes") && Contains("(met in line "));
  }
  SECTION("longer") {
    const fault grown([&](int fd, void* to, std::size_t n, off_t at) -> ssize_t {
      if (at == 0) (void)::truncate(f.c_str(), 20000);
      return plain_pread(fd, to, n, at);
    });
    CHECK_THROWS_WITH(pl::read_bytes(f), Contains("read_file found more in '" + f + "' than the 10000 bytes"));
  }
}

TEST_CASE("read_bytes: a file that does not fit in memory is named, with its size") {
  if (plumbline_test::sanitized) return;  // its memory cannot be limited
  const temp_folder t;
  const std::string f = t.write("f");
  REQUIRE(::truncate(f.c_str(), off_t{1} << 40) == 0);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  const rlimit less{rlim_t{1} << 38, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_AS, &less) == 0);
  std::string what;
  try {
    (void)pl::read_bytes(f);
  } catch (const pl::io_error& e) {
    what = e.what();
    CHECK(e.code() == ENOMEM);
  }
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  CHECK_THAT(what, Contains("plumbline: read_file cannot find memory for the 1099511627776 bytes of '" + f + "': ") &&
                       Contains("read smaller files or fewer at once"));
}

TEST_CASE("read_bytes: a path with a zero byte is not the one before it") {
  const temp_folder t;
  t.write("a", "first");
  const std::string both = (t / "a") + std::string(1, '\0') + (t / "b");  // as find -print0 writes them
  CHECK_THROWS_WITH(pl::read_bytes(both), Contains("a path that begins with '" + (t / "a") + "' and goes on after a"));
  CHECK_THROWS_AS(pl::detail::read_cached_bytes(both), pl::io_error);
}

TEST_CASE("files that cannot be opened", "[host]") {
  const temp_folder t;
  const auto error = [](const std::string& path) -> std::string {
    try {
      (void)pl::read_bytes(path);
      return "";
    } catch (const pl::io_error& e) {
      CHECK(e.path() == path);
      return e.what();
    }
  };
  CHECK(error(t / "gone") ==
        "plumbline: read_file cannot open '" + (t / "gone") +
            "': No such file or directory (errno 2); check the path; it is taken relative to the working directory");
  CHECK_THAT(error(t.path()),
             Contains("it is a directory, not a regular file; files(\"" + t.path() + "\") lists what is in it"));
  REQUIRE(::mkfifo((t / "fifo").c_str(), 0600) == 0);
  CHECK_THAT(error(t / "fifo"), Contains("it is a FIFO, not a regular file"));  // and does not wait for a writer
  CHECK_THAT(error("/dev/null"), Contains("it is a character device"));
  CHECK_THAT(error(t.write("f") + "/x"), Contains("Not a directory"));

  const std::string shut = t.write("shut");
  std::filesystem::permissions(t.path(), std::filesystem::perms::all);
  std::filesystem::permissions(shut, std::filesystem::perms::none);
  const bool root = ::geteuid() == 0;
  if (root && ::seteuid(65534) != 0) {
    plumbline_test::skip("root may read everything, and cannot switch to another user here");
    return;
  }
  const std::string denied = error(shut);
  if (root) REQUIRE(::seteuid(0) == 0);
  CHECK_THAT(denied, Contains("Permission denied (errno 13); check its permissions"));
}
