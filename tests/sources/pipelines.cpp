// files, read_file, lines and tfrecords as parts of pipelines.
#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <plumbline/exec/run.hpp>
#include <plumbline/ops/cache_on_disk.hpp>
#include <plumbline/ops/cache_part.hpp>
#include <plumbline/ops/flat_map.hpp>
#include <plumbline/ops/interleave.hpp>
#include <plumbline/ops/map.hpp>
#include <plumbline/ops/shuffle.hpp>
#include <plumbline/ops/take.hpp>
#include <plumbline/sources/files.hpp>
#include <plumbline/sources/lines.hpp>
#include <plumbline/sources/read_file.hpp>
#include <plumbline/sources/tfrecords.hpp>

#include "support/page_cache.hpp"
#include "support/temp_folder.hpp"
#include "support/tfrecord_writer.hpp"

namespace pl = plumbline;
using Catch::Contains;
using plumbline_test::temp_folder;
using strings = std::vector<std::string>;

static_assert(pl::facts_of<decltype(pl::files(""))>.indexed);
static_assert(!pl::facts_of<decltype(pl::files(""))>.blocking);
static_assert(pl::facts_of<decltype(pl::files("") | pl::read_file())>.blocking);
static_assert(pl::facts_of<decltype(pl::files("") | pl::read_file())>.indexed);
static_assert(pl::facts_of<decltype(pl::lines(""))>.blocking);
static_assert(pl::facts_of<decltype(pl::tfrecords(""))>.blocking);
static_assert(std::same_as<decltype(pl::tfrecords(""))::element, pl::byte_tensor>);
static_assert(std::same_as<decltype(pl::lines(""))::element, std::string>);

namespace {

std::string text(const pl::byte_tensor& b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

std::string text(const std::string& s) { return s; }

// One epoch of a stream.
strings epoch_of(auto& stream) {
  strings out;
  for (auto&& x : stream) out.push_back(text(x));
  return out;
}
strings collect(auto p, std::size_t threads) {
  auto stream = pl::run(p, {.threads = threads});
  return epoch_of(stream);
}

// The same records as five text files and five TFRecord files, of which the first of each are empty; returns them.
strings write_both(const temp_folder& t, const std::string& line_end) {
  strings all;
  for (int f = 0; f < 5; ++f) {
    std::string lines;
    plumbline_test::tfrecord_writer w;
    for (int i = 0; i < 50 * f; ++i) {
      all.push_back(std::to_string(f) + "/" + std::to_string(i));
      lines += all.back() + line_end;
      w.write(all.back());
    }
    t.write(std::to_string(f) + ".txt", lines);
    t.write(std::to_string(f) + ".tfrecord", w.bytes());
  }
  return all;
}

std::string error_of(auto p) {
  try {
    for (auto&& x : pl::run(p, {.threads = 0})) (void)x;
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("files | shuffle | read_file: every file once an epoch, with its own content") {
  const temp_folder t;
  strings wanted;
  for (int i = 100; i < 300; ++i) {
    wanted.push_back("content of " + std::to_string(i));
    t.write(std::to_string(i) + ".txt", wanted.back());
  }
  const auto listed = pl::files(t / "*.txt");
  CHECK(listed.facts().count == pl::cardinality::exactly(200));
  const auto p = listed | pl::read_file() | pl::map([](const pl::file_contents& f) { return text(f.data); });
  CHECK(p.facts().count == pl::cardinality::exactly(200));
  for (const std::size_t threads : {0U, 1U, 2U}) CHECK(collect(p, threads) == wanted);
  const auto shuffled = pl::files(t / "*.txt") | pl::shuffle(3) | pl::read_file() |
                        pl::map([](const pl::file_contents& f) { return text(f.data); });
  strings a = collect(shuffled, 0), b = collect(shuffled, 2);
  CHECK(a == b);
  CHECK(a != wanted);
  std::sort(a.begin(), a.end());
  CHECK(a == wanted);
  const auto paths = pl::files(t / "1*.txt") | pl::map([](const pl::file& f) { return f.path; }) | pl::read_file() |
                     pl::map([](const pl::file_contents& f) { return f.path; });
  CHECK(collect(paths, 2).front() == t / "100.txt");
  CHECK(pl::files(t / "*.TXT", {.ignore_case = true}).facts().count == pl::cardinality::exactly(200));
}

TEST_CASE("lines and tfrecords: files one after another, or interleaved") {
  const temp_folder t;
  const strings wanted = write_both(t, "\n");
  const auto l = pl::lines(t / "*.txt");
  const auto r = pl::tfrecords(t / "*.tfrecord");
  for (const std::size_t threads : {0U, 2U}) {
    CHECK(collect(l, threads) == wanted);
    CHECK(collect(r, threads) == wanted);
  }
  CHECK(collect(pl::lines({(t / "1.txt").c_str(), (t / "1.txt").c_str()}), 0).size() == 100);
  const auto mixed = pl::files(t / "*.tfrecord") | pl::interleave([](const pl::file& f) { return pl::tfrecords(f); });
  const strings serial = collect(mixed, 0);
  CHECK(serial == collect(mixed, 2));
  CHECK(serial.size() == wanted.size());
  CHECK(serial != wanted);
  const auto flat = pl::files(t / "*.txt") | pl::flat_map([](const pl::file& f) { return pl::lines(f); });
  CHECK(collect(flat, 2) == wanted);
  CHECK(collect(l | pl::take(7), 2) == strings(wanted.begin(), wanted.begin() + 7));
}

TEST_CASE("parse_lines and parse_tfrecords: files that a cache keeps, record by record") {
  const temp_folder t;
  const strings wanted = write_both(t, "\n\n");
  const auto contents = [&](const std::string& pattern) {
    return pl::files(t / pattern) | pl::read_file() | pl::cache(pl::bytes(1'000'000));
  };
  const auto lines = contents("*.txt") | pl::flat_map(pl::parse_lines({.keep_empty = false}));
  const auto records = contents("*.tfrecord") | pl::flat_map(pl::parse_tfrecords());
  static_assert(std::same_as<decltype(lines)::element, std::string>);
  static_assert(std::same_as<decltype(records)::element, pl::byte_tensor>);
  const auto twice = [&](const auto& p, std::size_t threads, const std::string& suffix) {
    auto s = pl::run(p, {.threads = threads});
    CHECK(epoch_of(s) == wanted);
    const temp_folder aside;
    const auto move = [&](const temp_folder& from, const temp_folder& to) {
      for (int f = 0; f < 5; ++f) {
        const auto name = std::to_string(f) + suffix;
        std::filesystem::rename(from / name, to / name);
      }
    };
    move(t, aside);
    CHECK(epoch_of(s) == wanted);  // reads no file
    move(aside, t);
  };
  for (const std::size_t threads : {0U, 1U, 2U}) {
    twice(lines, threads, ".txt");
    twice(records, threads, ".tfrecord");
  }

  std::string damaged = plumbline_test::tfrecord_writer().write("good").write("bad").bytes();
  damaged[20 + 12] = 'B';
  const std::string third = t.write("3.tfrecord", damaged);
  CHECK_THAT(error_of(contents("*.tfrecord") | pl::flat_map(pl::parse_tfrecords())),
             Contains("plumbline: flat_map (operator 4 of 4) failed at element 3 of files (" + third + ")") &&
                 Contains("record 1 of '" + third + "', at byte 20, has a payload"));
  CHECK(collect(pl::files(third) | pl::read_file() | pl::flat_map(pl::parse_tfrecords({.verify_crc = false})), 1) ==
        strings{"good", "Bad"});
}

TEST_CASE("parse_lines and parse_tfrecords, walked directly, end at an error, and go on when begun again") {
  const temp_folder t;
  std::string damaged = plumbline_test::tfrecord_writer().write("good").write("bad").write("after").bytes();
  damaged[20 + 12] = 'B';
  const auto walk = [](auto& range) {
    strings out;
    try {
      for (auto i = range.begin(); i != range.end();) {
        out.push_back(text(*i));
        try {
          ++i;
        } catch (const pl::record_error&) {
          out.push_back("error");
        }
      }
    } catch (const pl::record_error&) {
      out.push_back("error at the beginning");
    }
    return out;
  };
  auto records = pl::parse_tfrecords()({"f", pl::read_bytes(t.write("f", damaged))});
  CHECK(walk(records) == strings{"good", "error"});
  CHECK(walk(records) == strings{"after"});
  CHECK(walk(records).empty());
  auto cut = pl::parse_tfrecords()({"f", pl::read_bytes(t.write("f", damaged.substr(0, 20 + 13)))});
  CHECK(walk(cut) == strings{"good", "error"});
  CHECK(walk(cut).empty());
  auto lines = pl::parse_lines({.max_line_bytes = 3})({"f", pl::read_bytes(t.write("f", "aa\nbbbbbb\nc"))});
  CHECK(walk(lines) == strings{"aa", "error"});
  CHECK(walk(lines) == strings{"c"});
}

TEST_CASE("parse_lines and parse_tfrecords: a folder of cached records does not depend on the buffer's size") {
  const temp_folder t, kept;
  t.write("f.tfrecord", plumbline_test::tfrecord_writer().write("a").write("b").bytes());
  const auto records = [&](pl::tfrecord_options how) {
    return collect(pl::files(t / "*.tfrecord") | pl::read_file() | pl::flat_map(pl::parse_tfrecords(how)) |
                       pl::cache(kept / "cache"),
                   1);
  };
  CHECK(records({}) == strings{"a", "b"});
  CHECK(records({.buffer_bytes = 1000}) == strings{"a", "b"});
  CHECK_THROWS_WITH(records({.verify_crc = false}), Contains("belongs to another pipeline"));
}

TEST_CASE("errors in a pipeline name operator, file and element") {
  const temp_folder t;
  const std::string gone = t.write("gone.txt");
  const auto p = pl::files(t / "*.txt") | pl::read_file();
  std::filesystem::remove(gone);
  CHECK_THAT(error_of(p),
             Contains("plumbline: read_file (operator 2 of 2) failed at element 0 of files (" + gone + ")") &&
                 Contains("No such file or directory"));

  std::string damaged = plumbline_test::tfrecord_writer().write("good").write("bad").bytes();
  damaged[20 + 12] = 'B';
  const std::string first = t.write("1.tfrecord", plumbline_test::tfrecord_writer().write("a").write("b").bytes());
  const std::string second = t.write("2.tfrecord", damaged);
  CHECK_THAT(error_of(pl::tfrecords(t / "*.tfrecord")), Contains("element 3 of tfrecords (" + second + ", record 1)") &&
                                                            Contains("record 1 of '" + second + "', at byte 20"));

  t.write("l1.text", "1\n2\n3\n");
  const std::string text = t.write("l2.text", "4\n5\nx\n");
  const auto numbers = pl::lines(t / "*.text") | pl::map([](const std::string& s) { return std::stoi(s); });
  CHECK_THAT(error_of(numbers), Contains("element 5 of lines (" + text + ", line 3)"));
}

TEST_CASE("a sequence of files continues after what it cannot read") {
  const temp_folder t;
  std::string damaged = plumbline_test::tfrecord_writer().write("good").write("bad").write("after").bytes();
  damaged[20 + 12] = 'B';
  const std::string a = t.write("a", damaged), b = t.write("b", "no TFRecord at all"), c = t.write("c"),
                    d = t.write("d", plumbline_test::tfrecord_writer().write("last").bytes());
  const pl::detail::file_sequence<pl::tfrecord_reader> s(pl::file_list(strings{a, b, c, d}), {});
  std::filesystem::remove(c);
  decltype(s)::cursor cursor(s);
  strings got;
  int errors = 0;
  for (pl::byte_tensor record;;) {
    try {
      if (!cursor.next(record)) break;
      got.push_back(text(record));
    } catch (const std::runtime_error&) {
      ++errors;
    }
  }
  CHECK(got == strings{"good", "after", "last"});
  CHECK(errors == 3);
  CHECK(s.locate(2)->first == d);
  CHECK(s.locate(1) == std::pair<std::string, std::uint64_t>(a, 1));
}

TEST_CASE("a sequence of files has the system read the next one meanwhile") {
  const temp_folder t;
  plumbline_test::tfrecord_writer records;
  for (int i = 0; i != 100; ++i) records.write(std::string(1000, 'r'));
  const std::string a = t.write("a", records.bytes()), b = t.write("b", records.bytes()),
                    c = t.write("c", records.bytes());
  plumbline_test::write_to_storage(a);
  for (const auto& path : {a, b, c}) plumbline_test::drop_pages(path);
  if (plumbline_test::pages_of(b).there + plumbline_test::pages_of(c).there > 0) {
    WARN("skipped: the file system keeps files in the page cache");
    return;
  }
  const pl::detail::file_sequence<pl::tfrecord_reader> s(pl::file_list(strings{a, b, c}), {});
  decltype(s)::cursor cursor(s);
  pl::byte_tensor record;
  REQUIRE(cursor.next(record));
  const auto read = [&] { return plumbline_test::pages_of(b).there == plumbline_test::pages_of(b).all; };
  for (int i = 0; i != 1000 && !read(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(read());
  CHECK(plumbline_test::pages_of(c).there == 0);
}
