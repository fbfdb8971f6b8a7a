#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <plumbline/sources/file_contents.hpp>
#include <plumbline/sources/tfrecord_reader.hpp>

#include "support/real_data.hpp"
#include "support/temp_folder.hpp"
#include "support/tfrecord_writer.hpp"

namespace pl = plumbline;
using Catch::Contains;
using plumbline_test::content_of;
using plumbline_test::real_data;
using plumbline_test::temp_folder;
using plumbline_test::tfrecord_writer;
using strings = std::vector<std::string>;

namespace {

std::string text(const pl::byte_tensor& b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

struct outcome {
  strings records;
  std::string error;  // the first
  bool resumable = false;
  std::uint64_t record = 0, offset = 0;
  strings after;  // records that came after the first error
};

outcome read_all(pl::tfrecord_reader r, const std::string& path) {
  outcome out;
  pl::byte_tensor b;
  for (;;) {
    try {
      if (!r.next(b)) break;
      (out.error.empty() ? out.records : out.after).push_back(text(b));
    } catch (const pl::record_error& e) {
      if (!out.error.empty()) continue;
      out.error = e.what();
      out.resumable = e.resumable();
      out.record = e.record();
      out.offset = e.offset();
      REQUIRE(e.path() == path);
    } catch (const pl::io_error& e) {
      if (out.error.empty()) out.error = e.what();
      REQUIRE(e.path() == path);
    }
  }
  REQUIRE_FALSE(r.next(b));
  return out;
}

// Reads the file, and checks that it is the same if it is in memory.
outcome read_all(const std::string& path, pl::tfrecord_options o = {}) {
  const outcome out = read_all(pl::tfrecord_reader(path, o), path);
  const auto contents = std::make_shared<pl::file_contents>(pl::file_contents{path, pl::read_bytes(path)});
  const outcome again = read_all(pl::tfrecord_reader(contents, o), path);
  REQUIRE(again.records == out.records);
  REQUIRE(again.after == out.after);
  REQUIRE(again.error == out.error);
  REQUIRE(again.resumable == out.resumable);
  REQUIRE(again.record == out.record);
  REQUIRE(again.offset == out.offset);
  return out;
}

tfrecord_writer sample() {
  tfrecord_writer w;
  for (std::size_t i = 0; i < 12; ++i) w.write(std::string(i * 13 % 41, static_cast<char>('a' + i)));
  return w;
}

}  // namespace

TEST_CASE("tfrecords: reads what the writer wrote, wherever the buffer ends") {
  const temp_folder t;
  tfrecord_writer w;
  strings wanted;
  for (std::size_t i = 0; i < 40; ++i) {
    wanted.push_back(std::string(i * 29 % 97, static_cast<char>('a' + i % 26)));
    w.write(wanted.back());
  }
  wanted.push_back(std::string(100000, 'L'));
  w.write(wanted.back());
  const std::string f = t.write("f", w.bytes());
  for (std::size_t buffer = 16; buffer < 260; ++buffer) {
    CAPTURE(buffer);
    const outcome o = read_all(f, {.buffer_bytes = buffer});
    REQUIRE(o.error == "");
    REQUIRE(o.records == wanted);
  }
  CHECK(read_all(f).records == wanted);
  CHECK(read_all(t.write("f", "")).records.empty());
}

TEST_CASE("tfrecords: truncated at any byte, gives all whole records and then an error with the position") {
  const temp_folder t;
  const tfrecord_writer w = sample();
  const strings all = read_all(t.write("f", w.bytes())).records;
  REQUIRE(all.size() == 12);
  for (std::size_t cut = 0; cut < w.bytes().size(); ++cut) {
    CAPTURE(cut);
    const outcome o = read_all(t.write("f", w.bytes().substr(0, cut)), {.buffer_bytes = 16 + cut % 64});
    const auto next = std::upper_bound(w.starts().begin(), w.starts().end(), cut) - w.starts().begin() - 1;
    REQUIRE(o.records == strings(all.begin(), all.begin() + next));
    const std::uint64_t start = w.starts()[static_cast<std::size_t>(next)];
    if (start == cut) {
      REQUIRE(o.error == "");
      continue;
    }
    REQUIRE(o.offset == start);
    REQUIRE(o.record == static_cast<std::uint64_t>(next));
    REQUIRE_FALSE(o.resumable);
    REQUIRE_THAT(o.error, Contains("plumbline: tfrecords: record " + std::to_string(next) + " of '") &&
                              Contains("', at byte " + std::to_string(start) + ", stops in its ") &&
                              Contains("the file is incomplete: write or copy it again"));
  }
}

TEST_CASE("tfrecords: every flipped bit is detected, and only its record is lost if the length is intact") {
  const temp_folder t;
  const tfrecord_writer w = sample();
  const strings all = read_all(t.write("f", w.bytes())).records;
  for (std::size_t bit = 0; bit < w.bytes().size() * 8; bit += 3) {
    CAPTURE(bit);
    std::string damaged = w.bytes();
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const outcome o = read_all(t.write("f", damaged), {.stored = pl::compression::none});
    const auto hit = std::upper_bound(w.starts().begin(), w.starts().end(), bit / 8) - w.starts().begin() - 1;
    REQUIRE(o.records == strings(all.begin(), all.begin() + hit));
    REQUIRE(o.record == static_cast<std::uint64_t>(hit));
    const bool in_header = bit / 8 < w.starts()[static_cast<std::size_t>(hit)] + 12;
    REQUIRE(o.resumable == !in_header);
    REQUIRE(o.after == strings(in_header ? all.end() : all.begin() + hit + 1, all.end()));
    REQUIRE_THAT(o.error, Contains("does not match its checksum"));
  }
}

TEST_CASE("tfrecords: limits and switches") {
  const temp_folder t;
  std::string huge;
  tfrecord_writer::append_number(huge, std::uint64_t{1} << 60U, 8);
  tfrecord_writer::append_number(huge, plumbline_test::slow_masked_crc32c(huge), 4);
  const std::string f = t.write("f", tfrecord_writer().write("good").bytes() + huge + "and a little");
  const outcome limited = read_all(f);
  CHECK(limited.records == strings{"good"});
  CHECK_THAT(limited.error, Contains("record 1 of") &&
                                Contains("at byte 20, claims 1152921504606846976 bytes, more than max_record_bytes"));
  const outcome unlimited = read_all(f, {.max_record_bytes = ~std::uint64_t{0}});
  CHECK_THAT(unlimited.error, Contains("stops in its payload, at most 12 of 1152921504606846976 bytes are there"));

  std::string damaged = tfrecord_writer().write("good").write("bad").bytes();
  damaged[20 + 12] = 'B';
  CHECK(read_all(t.write("f", damaged), {.verify_crc = false}).records == strings{"good", "Bad"});
  CHECK(read_all(t.write("f", "this is no TFRecord file")).error ==
        "plumbline: tfrecords: record 0 of '" + (t / "f") +
            "', at byte 0, has a length that does not match its checksum; is this a TFRecord file?");
  CHECK_THAT(read_all(t.write("f", "short")).error, Contains("stops in its length, 5 of 12 bytes are there"));
  CHECK_THROWS_WITH(pl::tfrecord_reader(t / "gone"),
                    Contains("plumbline: tfrecords cannot open '") && Contains("No such file"));

  // a plain file whose first record is 0x9c78 bytes long begins like a zlib stream
  const std::string record(0x9c78, 'x');
  CHECK(read_all(t.write("f", tfrecord_writer().write(record).bytes())).records == strings{record});
}

TEST_CASE("tfrecords: without zlib, the error says what to link, and plain files can be read") {
  const temp_folder t;
  const auto without = pl::detail::make_inflater.exchange(nullptr);
  const auto error = [&](const std::string& content) -> std::string {
    try {
      (void)read_all(t.write("f", content));
      return "";
    } catch (const pl::io_error& e) {
      return e.what();
    }
  };
  const std::string gzip = error("\x1f\x8b\x08 and so on, at length");
  const std::string zlib = error("\x78\x9c and so on, at length");
  const std::string plain = error(tfrecord_writer().write("plain").bytes());
  pl::detail::make_inflater = without;
  const std::string wanted =
      "plumbline: tfrecords cannot decompress '" + (t / "f") +
      "': it is stored with gzip or zlib, and this program was built without zlib; link plumbline::zlib, or "
      "include plumbline/ext/zlib.hpp and link zlib";
  CHECK(gzip == wanted);
  CHECK(zlib == wanted);
  CHECK(plain == "");
}

#ifdef PLUMBLINE_HAS_ZLIB
TEST_CASE("tfrecords: real files have their known contents", "[data]") {
  const auto list = real_data("tfrecord/inspected.csv");
  if (!list) return;
  std::istringstream rows(content_of(*list));
  std::string row;
  std::getline(rows, row);
  int files = 0;
  while (std::getline(rows, row)) {
    strings cells;
    std::istringstream in(row);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    const std::string path = list->substr(0, list->rfind('/') + 1) + cells.at(0);
    CAPTURE(path);
    const outcome o = read_all(path);
    CHECK(o.error == "");
    REQUIRE(o.records.size() == std::stoull(cells[4]));
    std::size_t least = o.records[0].size(), most = 0, total = 0;
    for (const std::string& r : o.records) {
      least = std::min(least, r.size());
      most = std::max(most, r.size());
      total += r.size() + 16;
    }
    CHECK(least == std::stoull(cells[5]));
    CHECK(most == std::stoull(cells[6]));
    CHECK(total == std::stoull(cells[3]));
    ++files;
  }
  CHECK(files == 34);
}

TEST_CASE("tfrecords: damaged real files give their intact records, and an error that says what is wrong", "[data]") {
  const auto folder = real_data("tfrecord/damaged");
  if (!folder) return;
  const strings all = read_all(*folder + "/good.tfrecord").records;
  REQUIRE(all.size() == 20);
  const auto after = [&](const std::string& name, std::size_t records) {
    const outcome o = read_all(*folder + "/" + name);
    INFO(name << ": " << o.error);
    REQUIRE(o.records == strings(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(records)));
    if (!o.error.empty()) CHECK_THAT(o.error, Contains("'" + *folder + "/" + name + "'"));
    return o;
  };
  const auto start_of = [](std::size_t record) { return record * (3187 + 16); };

  for (const char* name : {"good.tfrecord", "good.tfrecord.gz", "good.tfrecord.zlib", "two_members.tfrecord.gz",
                           "trailing_junk.tfrecord.gz"})
    CHECK(after(name, 20).error == "");
  REQUIRE(start_of(12) == 38436);
  const auto cut = [&](const std::string& name, const std::string& words) {
    const outcome o = after(name, 12);
    CHECK(o.offset == 38436);
    CHECK_THAT(o.error, Contains("record 12 of '") && Contains("at byte 38436, stops in its " + words) &&
                            Contains("incomplete"));
  };
  cut("cut_in_length.tfrecord", "length, 5 of 12 bytes are there");
  cut("cut_in_length_crc.tfrecord", "length's checksum, 10 of 12 bytes are there");
  cut("cut_in_payload.tfrecord", "payload, at most 488 of 3187 bytes are there");
  cut("cut_in_payload_crc.tfrecord", "payload's checksum, 2 of 4 bytes are there");
  for (const char* name : {"payload_bit_flip_record7.tfrecord", "payload_crc_bad_record7.tfrecord"}) {
    const outcome o = after(name, 7);
    CHECK_THAT(o.error, Contains("record 7 of '") &&
                            Contains("at byte 22421, has a payload of 3187 bytes that does not match its checksum"));
    CHECK(o.resumable);
    CHECK(o.after == strings(all.begin() + 8, all.end()));
  }
  CHECK_THAT(after("length_crc_bad_record7.tfrecord", 7).error,
             Contains("record 7 of '") && Contains("at byte 22421, has a length that does not match its checksum"));
  CHECK_THAT(after("huge_length_good_crc_record7.tfrecord", 7).error,
             Contains("record 7 of '") && Contains("at byte 22421, claims ") && Contains("more than max_record_bytes"));
  CHECK(after("empty.tfrecord", 0).error == "");
  const outcome empty = read_all(*folder + "/zero_length_records.tfrecord");
  CHECK(empty.error == "");
  CHECK(empty.records == strings(3));
  CHECK_THAT(after("zeros_padded.tfrecord", 20).error,
             Contains("record 20 of '") && Contains("at byte 64060, is zeros"));
  CHECK_THAT(after("junk_appended.tfrecord", 20).error, Contains("record 20 of '") && Contains("at byte 64060, "));

  for (const char* name : {"cut.tfrecord.gz", "gzip_crc_bad.tfrecord.gz", "gzip_body_flip.tfrecord.gz"}) {
    const outcome o = read_all(*folder + "/" + name);
    INFO(name << ": " << o.records.size() << " records, " << o.error);
    CHECK(o.records == strings(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(o.records.size())));
    CHECK_THAT(o.error, Contains("'" + *folder + "/" + name + "'"));
    // records that can be read after lost ones are intact too
    auto from = all.begin() + static_cast<std::ptrdiff_t>(o.records.size());
    bool good = true;
    for (const std::string& r : o.after) {
      from = std::find(from, all.end(), r);
      good = good && from != all.end();
    }
    CHECK(good);
  }
  CHECK_THAT(read_all(*folder + "/cut.tfrecord.gz").error, Contains("cannot decompress") &&
                                                               Contains("at compressed byte 3040 of 3040") &&
                                                               Contains("incomplete") && Contains("met in record "));
  CHECK(after("gzip_crc_bad.tfrecord.gz", 20).error.find("incorrect data check") != std::string::npos);
}
#endif
