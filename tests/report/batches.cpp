// The text, table and page of a batch report.
#include <plumbline/timeline.hpp>

#include <catch2/catch.hpp>

#include <model/batch_logs.hpp>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {
std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}
}  // namespace

TEST_CASE("explain: batches") {
  const auto text = pl::explain(pl::report(four_batches(), {.limits = {0.05, 0.1}})).text;
  CHECK_THAT(text, Contains("producer-bound: the consumer waited in 76 % of the time") &&
                       Contains("4 batches of 1 epoch, finished by 2 workers, in 250 ms") &&
                       Contains("2 of 4 batches arrived before their turn") && Contains("above 50 ms") &&
                       Contains("above 100 ms") && Contains("the operators' times explain 100 % of this variance") &&
                       Contains("d.jpg 140 ms in decode"));
  CHECK(text.find("only ") == std::string::npos);
  auto log = four_batches();
  for (auto& b : log.batches) b.size = 10;
  CHECK_THAT(pl::explain(pl::report(log)).text, Contains("only 10 % of the elements were timed"));
  CHECK(pl::explain(pl::report({})).text == "there are no batches\n\n");
}

TEST_CASE("csv: batches in order, with quoted cells") {
  auto log = four_batches();
  log.batches[2].worker = "a, \"b\"";
  const auto text = pl::write_csv(log);
  CHECK(count(text, "\n") == 5);
  CHECK_THAT(text, Contains("\n0,0,\"a, \"\"b\"\"\",1700000000000000000,1700000000100000000,") &&
                       Contains(",1,0.100000000,0.090000000,0.000000000\n"));
}

TEST_CASE("page: batches") {
  const auto text = pl::page(four_batches());
  CHECK(count(text, "<svg") == 3);
  CHECK(count(text, "class=\"prep\"") == 4);
  CHECK(count(text, "class=\"fetch\"") == 2);   // two batches lay there
  CHECK(count(text, "class=\"waited\"") == 2);  // for two the consumer waited
  CHECK(count(text, "class=\"middle\"") == 7);  // preparation, wait, delay, step, kept; two operators
  CHECK_THAT(text, Contains("d.jpg 140 ms in decode"));
  auto log = four_batches();
  log.names[4] = "<d>.jpg";
  log.batches[0].worker = "a&b";
  CHECK_THAT(pl::page(log), Contains("&lt;d&gt;.jpg") && Contains("a&amp;b"));
  // many batches: only those around the longest
  pl::batch_log many;
  for (std::uint64_t i = 0; i != 1000; ++i) {
    pl::batch_record b;
    b.index = i;
    b.begun = std::int64_t(i) * 1000, b.ready = b.begun + (i == 700 ? 900 : 500);
    b.asked = b.had = b.consumed = b.ready;
    many.batches.push_back(b);
  }
  const auto part = pl::page(many);
  CHECK(count(part, "class=\"prep\"") == 300);
  CHECK_THAT(part, Contains("Of 1000 batches, the 300 from number 550 on"));
  for (const auto& page : {text, part, pl::page(pl::batch_log{})}) {
    CHECK(count(page, "<svg") == count(page, "</svg>"));
    CHECK(page.find("nan") == std::string::npos);
    CHECK(page.find("inf") == std::string::npos);
  }
}
