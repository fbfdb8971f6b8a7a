// The page of a stall analysis: what is drawn, and that its figures are those of predict.
#include <plumbline/report/stall_page.hpp>
#include <plumbline/report/svg.hpp>

#include <catch2/catch.hpp>

#include <regex>
#include <string>

#include <model/stall_analyses.hpp>

namespace pl = plumbline;
using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {
std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}
}  // namespace

TEST_CASE("page: data stalls") {
  const auto a = analysed(100, 40, 1000, 20);
  const auto text = pl::page(a);
  CHECK_THAT(text, Contains("20 batches a second, limited by fetching") &&
                       Contains("20 % of the time in the step, 30 % waiting for preparation, 50 % for fetching"));
  CHECK(count(text, "<svg") == 3);
  CHECK(count(text, "class=\"fetch\"") == 5);  // from nothing to 40 % in memory: at 0.495 fetching no longer stalls
  CHECK(count(text, "class=\"step\"") == 11);
  CHECK_THAT(text, Contains("fetch stall at most 1 %: 495 MB") && Contains("no prep stall: 10 cores"));
  CHECK(count(text, "class=\"knee\"") == 4);  // one on each chart, and where cores are enough for the storage
  CHECK(count(text, "fetch stall at most 1 %: 495 MB") == 2);
  // in the first chart between the bars of 40 and 50 %: its left end is 90, and each of the 11 bars has 670 / 11
  const double knee = 90 + 670.0 / 11 * (10 * pl::least_memory(a) / a.memory_bytes + 0.5);
  CHECK_THAT(text, Contains("class=\"knee\" d=\"M" + pl::detail::svg::at(knee) + " "));
  // an epoch of 1,000 batches: 50 s from storage, as with 2 cores or more; 10 s in the step; the axis ends at 3.75 x 50
  CHECK_THAT(text, Contains("An epoch's time by the number of cores") && Contains("no faster from storage: 2 cores") &&
                       !Contains("Batches a second by the number of cores") && Contains(">188 s<"));
  const auto ends_at = [&](const char* line, double seconds) {
    const auto from = text.rfind(std::string("class=\"") + line + "\" d=\"");
    return text.substr(from, text.find("/>", from) - from)
        .ends_with("L760.0 " + pl::detail::svg::at(270 - 240 * seconds / 187.5) + "\"");
  };
  CHECK(ends_at("l0", 50));
  CHECK(ends_at("l1", 10));
  CHECK(ends_at("l2", 10));
  // G, P, C and S; ten what-ifs; each tenth of the files; and the headers
  CHECK(count(text, "<tr>") == 5 + 11 + 12);
  CHECK_THAT(text,
             Contains(">2 servers with half of the files in memory each, 10 Gbit/s between them, together</td><td>") &&
                 Contains(">4 jobs with half of the files in shared memory, each<"));
  // nothing is read: no caches; a serial part: no number of cores suffices
  auto b = analysed(100, 40, 1000, pl::detail::infinite);
  b.bytes_read = b.data_bytes = b.memory_bytes = 0;
  b.needs = needs(0.1, 0.02);
  const auto other = pl::page(b);
  CHECK(count(other, "<svg") == 1);
  CHECK_THAT(other, Contains("Batches a second by the number of cores"));  // how many an epoch has is not known
  CHECK_THAT(other, Contains("cannot keep up with the step on any number of cores"));
  CHECK_THAT(other, Contains("limited by serial: serial, one core"));
  b.step = pl::detail::infinite;
  CHECK_THAT(pl::page(b), Contains("None: the step takes no time"));
  // caches of its own, and what the two lose to each other
  auto own = a;
  own.caches = {{4, "cache(1 GB)"}};
  own.storage_fetch = 1e9, own.together = 30;
  CHECK_THAT(pl::page(own), Contains("<p>operator 4 (cache(1 GB)) is a cache of the pipeline itself: ") &&
                                Contains("as the two slow each other down") &&
                                Contains("which more cores do not change"));
  // files that no cache can keep
  auto c = a;
  c.memory_bytes = 0;
  const auto uncached = pl::page(c);
  CHECK(count(uncached, "<svg") == 1);
  CHECK(count(uncached, "from memory") == 1);  // the row of C: no line of cores with files in memory
  CHECK_THAT(uncached, Contains("no cache(bytes) is possible"));
  // the files of an epoch without end, of known size
  auto e = a;
  e.data_bytes = pl::detail::infinite;
  const auto endless = pl::page(e);
  CHECK(count(endless, "<svg") == 2);
  CHECK_THAT(endless, Contains("Batches a second by the number of cores"));
  for (const auto& page : {text, other, uncached, endless}) {
    CHECK(count(page, "<svg") == count(page, "</svg>"));
    CHECK(page.find("nan") == std::string::npos);
    CHECK(page.find("inf") == std::string::npos);
  }
}

TEST_CASE("page: the measured rates of data stalls with their intervals, and the planner's own") {
  auto a = analysed(100, 40, 1000, 20);
  a.step_error = 0.1, a.prep_error = 0.05, a.storage_error = 0.02;
  a.modelled_prep = 43, a.modelled_storage = 17;
  const auto text = pl::page(a);
  CHECK_THAT(text, Contains("95 % interval") && Contains("90 to 110") && Contains("38 to 42") &&
                       Contains("19.6 to 20.4") && Contains("<td>43</td>") && Contains("<td>17</td>"));
  CHECK_THAT(text, Contains("20 ± 0.4 batches a second"));
  a.step_error = a.prep_error = a.storage_error = 0;  // G and S are stated, P is of too few batches
  const auto other = pl::page(a);
  CHECK_THAT(other, Contains("unknown") && !Contains(" to 110"));
}

TEST_CASE("page: bars of an epoch fit their chart where more memory makes training slower") {
  auto a = analysed(100, 40, 1000, 1000);
  a.cached = {{.share = 0, .prep = 40}, {.share = 1, .prep = 20}};
  const auto text = pl::page(a);
  const auto begin = text.find("An epoch's time by the share"), end = text.find("</svg>", begin);
  REQUIRE(end != std::string::npos);
  const std::regex bar("<rect[^>]* y=\"(-?[0-9.]+)\"");
  std::size_t bars = 0;
  for (std::sregex_iterator it(text.begin() + static_cast<std::ptrdiff_t>(begin),
                               text.begin() + static_cast<std::ptrdiff_t>(end), bar);
       it != std::sregex_iterator(); ++it, ++bars)
    CHECK(std::stod((*it)[1]) >= 23.9);
  CHECK(bars >= 22);
}

TEST_CASE("page: storage that was not measured") {
  auto a = analysed(100, 40, 1000, pl::detail::infinite);
  CHECK_THAT(pl::page(a), Contains("S was not measured, as less than 1 MiB of files was read"));
  a.storage_fetch = 20;
  CHECK_THAT(pl::page(a), !Contains("S was not measured"));
}
