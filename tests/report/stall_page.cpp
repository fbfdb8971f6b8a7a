// The page of a stall analysis: what is drawn, and that its figures are those of predict.
#include <plumbline/report/stall_page.hpp>

#include <catch2/catch.hpp>

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
  CHECK(count(text, "class=\"fetch\"") == 6);  // from nothing to half in memory: at 0.51 fetching no longer stalls
  CHECK(count(text, "class=\"step\"") == 11);
  CHECK_THAT(text, Contains("no fetch stall: 510 MB") && Contains("no prep stall: 10 cores"));
  CHECK(count(text, "class=\"knee\"") == 2);
  CHECK(count(text, "<tr>") == 12);  // the header, and each tenth of the files
  // nothing is read: no caches; a serial part: no number of cores suffices
  auto b = analysed(100, 40, 1000, pl::detail::infinite);
  b.bytes_read = b.data_bytes = b.memory_bytes = 0;
  b.needs = needs(0.1, 0.02);
  const auto other = pl::page(b);
  CHECK(count(other, "<svg") == 1);
  CHECK_THAT(other, Contains("cannot keep up with the step on any number of cores"));
  for (const auto& page : {text, other}) {
    CHECK(count(page, "<svg") == count(page, "</svg>"));
    CHECK(page.find("nan") == std::string::npos);
    CHECK(page.find("inf") == std::string::npos);
  }
}
