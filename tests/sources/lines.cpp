#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <plumbline/sources/file_contents.hpp>
#include <plumbline/sources/line_reader.hpp>

#include "support/real_data.hpp"
#include "support/temp_folder.hpp"
#ifdef PLUMBLINE_HAS_ZLIB
#include "support/deflate.hpp"
#endif

namespace pl = plumbline;
using Catch::Contains;
using plumbline_test::temp_folder;
using strings = std::vector<std::string>;

namespace {

strings read_lines(pl::line_reader r) {
  strings out;
  for (std::string line; r.next(line);) out.push_back(line);
  std::string after = "untouched";
  REQUIRE_FALSE(r.next(after));
  return out;
}
// Reads the file, and checks that it is the same if it is in memory.
strings read_lines(const std::string& path, pl::line_options o = {}) {
  const strings out = read_lines(pl::line_reader(path, o));
  const auto contents = std::make_shared<pl::file_contents>(pl::file_contents{path, pl::read_bytes(path)});
  REQUIRE(read_lines(pl::line_reader(contents, o)) == out);
  return out;
}

// Splits lines by the definition, character by character.
strings reference(const std::string& text) {
  strings out;
  std::string line;
  bool open = false;
  for (const char c : text) {
    if (c == '\n') {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      out.push_back(line);
      line.clear();
      open = false;
    } else {
      line += c;
      open = true;
    }
  }
  if (open) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("lines: ends of lines and of files") {
  const temp_folder t;
  const auto of = [&](const std::string& text, pl::line_options o = {}) { return read_lines(t.write("f", text), o); };
  CHECK(of("") == strings{});
  CHECK(of("\n") == strings{""});
  CHECK(of("a") == strings{"a"});
  CHECK(of("a\n") == strings{"a"});
  CHECK(of("a\n\nb") == strings{"a", "", "b"});
  CHECK(of("a\r\nb\r\n") == strings{"a", "b"});
  CHECK(of("a\r\n\r\nb\r") == strings{"a", "", "b\r"});
  CHECK(of("a\rb\n\rc\r\r\n") == strings{"a\rb", "\rc\r"});
  CHECK(of(std::string("a\0b\n\0", 5)) == strings{std::string("a\0b", 3), std::string(1, '\0')});
  CHECK(of("\n\na\n\r\n\nb\n\n", {.keep_empty = false}) == strings{"a", "b"});
  CHECK(of("\xef\xbb\xbf"
           "a\nb") == strings{"a", "b"});
  CHECK(of("\xef\xbb\xbf") == strings{});
  CHECK(of("\xef\xbb\xbf\n") == strings{""});
  CHECK(of("\xef\xbb") == strings{"\xef\xbb"});
  CHECK(of("a\n\xef\xbb\xbf"
           "b") == strings{"a",
                           "\xef\xbb\xbf"
                           "b"});
  CHECK(of("\xef\xbb\xbf"
           "a",
           {.strip_bom = false}) == strings{"\xef\xbb\xbf"
                                            "a"});
}

TEST_CASE("lines: text that begins like a zlib stream is text") {
  const temp_folder t;
  for (const char* s :
       {"HK\n", "x^2 + y^2 = z^2\nwhich is Pythagoras'\n", "HK is Hong Kong; 8\x11 is not", "(\x15 1", "x\x01"}) {
    const std::string text = std::string(s) + "and some more of it\n";
    CHECK(read_lines(t.write("f", text)) == reference(text));
    CHECK(read_lines(t.write("f", s)) == reference(s));
  }
}

TEST_CASE("lines: the end of the buffer may fall anywhere") {
  const temp_folder t;
  std::string text;
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    text.append(random() % 23, static_cast<char>('a' + i % 26));
    text += random() % 3 == 0 ? "\r\n" : random() % 5 == 0 ? "\r" : "\n";
  }
  for (const std::string& end : {std::string(), std::string("last"), std::string("last\r")}) {
    const std::string f = t.write("f", text + end);
    const strings wanted = reference(text + end);
    for (std::size_t buffer = 16; buffer < 120; ++buffer) {
      CAPTURE(buffer);
      REQUIRE(read_lines(f, {.buffer_bytes = buffer}) == wanted);
    }
  }
}

TEST_CASE("lines: random text, compared with the definition") {
  const temp_folder t;
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::string text(random() % 400, ' ');
    for (char& c : text) c = "ab\r\n\n\r"[random() % 6];
    REQUIRE(read_lines(t.write("f", text), {.buffer_bytes = 16 + random() % 40}) == reference(text));
  }
}

TEST_CASE("lines: a line above the limit is an error that names it, and the next one can be read") {
  const temp_folder t;
  const std::string f = t.write(
      "f", "one\n" + std::string(100, 'x') + "\nthree\n" + std::string(50, 'y') + "\r\n" + std::string(51, 'z'));
  for (std::size_t buffer = 16; buffer < 300; ++buffer) {
    CAPTURE(buffer);
    pl::line_reader r(f, {.max_line_bytes = 50, .buffer_bytes = buffer});
    std::string line;
    REQUIRE(r.next(line));
    CHECK(line == "one");
    try {
      (void)r.next(line);
      FAIL("no error");
    } catch (const pl::record_error& e) {
      CHECK_THAT(e.what(),
                 Contains("plumbline: lines: line 2 of '" + f + "', at byte 4, is longer than max_line_bytes, 50;"));
      CHECK(e.resumable());
      CHECK(e.record() == 1);
      CHECK(e.offset() == 4);
    }
    REQUIRE(r.next(line));
    CHECK(line == "three");
    REQUIRE(r.next(line));
    CHECK(line == std::string(50, 'y'));
    CHECK_THROWS_WITH(r.next(line), Contains("line 4 of") || Contains("line 5 of"));
    CHECK_FALSE(r.next(line));
  }
}

TEST_CASE("lines: a long line crosses many buffers") {
  const temp_folder t;
  const std::string longest(3000000, 'q');
  CHECK(read_lines(t.write("f", "a\n" + longest + "\nb")) == strings{"a", longest, "b"});
}

TEST_CASE("lines: real text, compared with the definition and with known facts", "[data]") {
  using plumbline_test::content_of;
  using plumbline_test::real_data;
  for (const char* name : {"text/tinyshakespeare.txt", "text/wikitext2_test.raw", "text/wagahaiwa_nekodearu_ja.txt",
                           "text/botchan_en.txt", "text/vocab/bert_uncased_vocab.txt", "text/tatoeba/jpn-eng.jpn"}) {
    const auto path = real_data(name);
    if (!path) continue;
    CAPTURE(*path);
    CHECK(read_lines(*path, {.strip_bom = false}) == reference(content_of(*path)));
    CHECK(read_lines(*path, {.strip_bom = false, .buffer_bytes = 64}) == reference(content_of(*path)));
  }
  if (const auto vocabulary = real_data("text/vocab/bert_uncased_vocab.txt")) {
    const strings words = read_lines(*vocabulary);
    CHECK(words.size() == 30522);
    CHECK(words[0] == "[PAD]");
    CHECK(words[101] == "[CLS]");
  }
}

#ifdef PLUMBLINE_HAS_ZLIB
TEST_CASE("lines: compressed text") {
  using plumbline_test::deflated;
  using plumbline_test::wrapping;
  const temp_folder t;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i * 7919) + (i % 2 == 0 ? "\n" : "\r\n");
  const strings wanted = reference(text);
  for (const wrapping w : {wrapping::gzip, wrapping::zlib}) {
    const std::string stored = deflated(text, w);
    for (const std::size_t buffer : {16U, 1000U, 262144U})
      CHECK(read_lines(t.write("f", stored), {.buffer_bytes = buffer}) == wanted);
    const std::string none = t.write("f", deflated("", w));
    CHECK(read_lines(none).empty());
  }
  SECTION("members one after another are read, and data after them is ignored") {
    std::string members;
    for (std::size_t i = 0; i < text.size(); i += 777) members += deflated(text.substr(i, 777));
    CHECK(read_lines(t.write("f", members)) == wanted);
    CHECK(read_lines(t.write("f", members + deflated(""))) == wanted);
    CHECK(read_lines(t.write("f", members + std::string(1000, '\0'))) == wanted);
    CHECK(read_lines(t.write("f", members + "junk")) == wanted);
    CHECK(read_lines(t.write("f", members + "\x1f")) == wanted);
    CHECK_THROWS_WITH(read_lines(t.write("f", members + "\x1f\x8b")), Contains("stops before its end"));
  }
  SECTION("a truncated file gives its lines, then the error with the position in both streams") {
    const std::string stored = deflated(text);
    const std::string f = t.write("f", stored.substr(0, stored.size() / 2));
    pl::line_reader r(f);
    strings got;
    std::string message;
    try {
      for (std::string line; r.next(line);) got.push_back(line);
    } catch (const pl::io_error& e) {
      message = e.what();
      CHECK(e.path() == f);
      CHECK(e.offset() == stored.size() / 2);
    }
    CHECK_THAT(message,
               Contains("plumbline: lines cannot decompress '" + f + "' at compressed byte " +
                        std::to_string(stored.size() / 2) + " of " + std::to_string(stored.size() / 2) + ", after ") &&
                   Contains("the file is incomplete") &&
                   Contains("(met in line " + std::to_string(got.size() + 1) + ", which starts at byte "));
    CHECK(got.size() > 1000);
    CHECK(got == strings(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(got.size())));
    std::string line;
    CHECK_FALSE(r.next(line));
  }
  SECTION("detection can be overridden") {
    const std::string stored = deflated("a\nb\n");
    CHECK(read_lines(t.write("f", stored), {.stored = pl::compression::none}) == reference(stored));
    CHECK_THROWS_WITH(read_lines(t.write("f", "plain"), {.stored = pl::compression::deflate}),
                      Contains("the compressed data is damaged"));
    CHECK(read_lines(t.write("f", ""), {.stored = pl::compression::deflate}).empty());
  }
}
#endif
