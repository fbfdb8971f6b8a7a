// Damaged bytes of every kind: a reader may throw only io_error or record_error, must not use much more memory than the
// file justifies, and must terminate. Meant to be run under sanitizers as well.
#include <catch2/catch.hpp>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <plumbline/sources/file_contents.hpp>
#include <plumbline/sources/line_reader.hpp>
#include <plumbline/sources/tfrecord_reader.hpp>

#include "support/temp_folder.hpp"
#include "support/tfrecord_writer.hpp"
#ifdef PLUMBLINE_HAS_ZLIB
#include "support/deflate.hpp"
#endif

namespace pl = plumbline;

namespace {

using generator = std::mt19937;

std::size_t below(generator& g, std::size_t n) { return n == 0 ? 0 : g() % n; }

std::string damage(std::string s, generator& g) {
  for (std::size_t times = 1 + below(g, 3); times > 0; --times) {
    const std::size_t at = below(g, s.size()), n = below(g, 16);
    switch (g() % 6) {
      case 0:
        s.resize(at);
        break;
      case 1:
        s.erase(at, n);
        break;
      case 2:
        s.insert(at, n, static_cast<char>(g()));
        break;
      case 3:
        s.insert(at, s.substr(below(g, s.size()), n));
        break;
      case 4:
        for (std::size_t i = at; i < s.size() && i < at + n; ++i) s[i] = static_cast<char>(g());
        break;
      default:
        if (!s.empty()) s[at] = static_cast<char>(s[at] ^ (1 << g() % 8));
    }
  }
  return s;
}

// Writes a header with an arbitrary length and a valid checksum.
void lie(std::string& s, std::uint64_t at, generator& g) {
  std::string header;
  plumbline_test::tfrecord_writer::append_number(header, g() % 2 == 0 ? g() % 4096 : std::uint64_t{g()} << (g() % 40),
                                                 8);
  plumbline_test::tfrecord_writer::append_number(header, plumbline_test::slow_masked_crc32c(header), 4);
  s.replace(at, 12, header);
}

template <class Reader, class File>
void read_through(File file, typename Reader::options_type options, std::uint64_t most) {
  typename Reader::element e;
  try {
    Reader r(file, options);
    for (std::uint64_t calls = 0;; ++calls) {
      REQUIRE(calls < 100000);
      try {
        if (!r.next(e)) break;
        if (e.size() > most) FAIL("an element of " << e.size() << " bytes");
      } catch (const pl::io_error&) {
      } catch (const pl::record_error&) {
      }
    }
  } catch (const pl::io_error&) {
  }
}

// The number of rounds: PLUMBLINE_FUZZ_ROUNDS, or 2000.
int rounds() {
  const char* n = std::getenv("PLUMBLINE_FUZZ_ROUNDS");
  return n != nullptr ? std::atoi(n) : 2000;
}

void overwrite(const std::string& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CREAT, 0600);
  REQUIRE(::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
  ::close(fd);
}

}  // namespace

TEST_CASE("damaged TFRecord, gzip and text: only the documented errors") {
  generator g(20240607);
  const plumbline_test::temp_folder t;
  const std::string f = t / "f";
  plumbline_test::tfrecord_writer w;
  std::string text;
  for (int i = 0; i < 24; ++i) {
    w.write(std::string(below(g, 90), static_cast<char>(i)));
    text += std::string(below(g, 90), static_cast<char>('a' + i)) + (i % 5 == 0 ? "\r\n" : "\n");
  }
  for (int i = 0; i < rounds(); ++i) {
    CAPTURE(i);
    std::string s = i % 3 == 0 ? text : w.bytes();
    if (i % 3 == 1) lie(s, w.starts()[below(g, w.starts().size())], g);
#ifdef PLUMBLINE_HAS_ZLIB
    if (i % 2 == 0) {
      if (i % 8 == 0) s = damage(s, g);
      const auto wrapping = i % 4 == 0 ? plumbline_test::wrapping::gzip : plumbline_test::wrapping::zlib;
      const std::size_t half = below(g, s.size());
      s = plumbline_test::deflated(s.substr(0, half), wrapping, 1 + i % 9) +
          plumbline_test::deflated(s.substr(half), wrapping);
    }
#endif
    if (i % 16 != 8) s = damage(s, g);
    overwrite(f, s);
    const std::uint64_t most = s.size() * 1032 + 66000;
    const std::size_t buffer = i % 5 == 0 ? 262144 : 16 + below(g, 300);
    const auto in_memory = std::make_shared<const pl::file_contents>(pl::file_contents{f, pl::read_bytes(f)});
    const auto both = [&](const auto& file) {
      read_through<pl::tfrecord_reader>(file, {.verify_crc = i % 7 != 0, .buffer_bytes = buffer}, most);
      read_through<pl::line_reader>(file, {.max_line_bytes = i % 4 == 0 ? 40 : most, .buffer_bytes = buffer}, most);
    };
    both(f);
    both(in_memory);
  }
}
