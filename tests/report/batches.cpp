// The text, table and page of a batch report.
#include <plumbline/ext/json.hpp>
#include <plumbline/report/svg.hpp>
#include <plumbline/timeline.hpp>

#include <catch2/catch.hpp>

#include <model/batch_logs.hpp>
#include <support/temp_folder.hpp>

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
                       Contains("above 100 ms") && Contains("d.jpg 140 ms in decode"));
  CHECK_THAT(text,
             Contains("; 4 batches are too few to say why, 10 are enough") && !Contains("operators' times explain"));
  CHECK_THAT(pl::explain(pl::report(twelve_batches())).text,
             Contains("; the operators' times explain 100 % of this variance") && !Contains("too few"));
  CHECK_THAT(text, !Contains("elements were timed"));
  auto log = four_batches();
  for (auto& b : log.batches) b.size = 10;
  CHECK_THAT(pl::explain(pl::report(log)).text,
             Contains("\n10 % of the elements were timed; slow ones among the others"));
  log.batches[1].consumer = "consumer 2";
  CHECK_THAT(pl::explain(pl::report(log)).text,
             Contains("producer-bound: the 2 consumers waited in 38 % of their time; if every batch"));
  log.batches.resize(1);
  CHECK_THAT(pl::explain(pl::report(log)).text, Contains("; 1 batch is too few to say why, 10 are enough"));
  CHECK(pl::explain(pl::report({})).text == "there are no batches\n\n");
}

TEST_CASE("batches: events that were overwritten are named in text and page") {
  auto log = four_batches();
  const auto check = [&](const std::string& sentence) {
    CHECK_THAT(pl::explain(pl::report(log)).text, Contains(sentence));
    CHECK_THAT(pl::page(log), Contains(sentence));
  };
  CHECK(pl::explain(pl::report(log)).text.find("overwritten") == std::string::npos);
  CHECK(pl::page(log).find("overwritten") == std::string::npos);
  log.dropped = 12;
  check("12 events were overwritten: the report covers batches 0 to 3; raise timeline_bytes");
  log.batches[2].begun_lost = true;
  check(
      "covers batches 0 to 3; of 1 batch preparation may have begun before what was kept, so no figure of preparation "
      "has it; raise");
  log.batches[3].begun_lost = true;
  check("; of 2 batches preparation may have begun before what was kept, so no figure of preparation has them; raise");
  log.batches[2].begun_lost = log.batches[3].begun_lost = false;
  check("; raise timeline_bytes or set timeline_file");
  log.batches.erase(log.batches.begin() + 1);
  check("covers 3 of the batches 0 to 3; raise");
  log.batches[0].epoch = 1;
  check("covers 3 batches, from 0 of epoch 0 to 3 of epoch 1; raise");
  log.batches.resize(1);
  log.dropped = 1;
  check("1 event was overwritten: the report covers batch 3; raise");
  log.batches.clear();
  check("the report covers no batch; raise timeline_bytes");
}

TEST_CASE("csv: batches in order, with quoted cells") {
  auto log = four_batches();
  log.batches[2].worker = "a, \"b\"";
  const auto text = pl::write_csv(log);
  CHECK(count(text, "\n") == 5);
  CHECK_THAT(text, Contains("\n0,0,\"a, \"\"b\"\"\",1700000000000000000,1700000000100000000,") &&
                       Contains(",1,0,,0,0.100000000,0.090000000,0.000000000,0\n"));
}

TEST_CASE("csv: batches and back") {
  auto log = four_batches();
  log.dropped = 17;
  log.batches[0].worker = "a, \"b\"\r\nc";
  log.batches[1].worker = "\"";
  log.batches[1].consumer = "consumer 2";
  log.batches[0].begun_lost = true;
  log.batches[2].early = true, log.batches[2].arrived = log.batches[2].ready + 5;
  log.batches[3].begun = -3, log.batches[3].epoch = std::uint64_t(-1), log.batches[3].pass = 2;
  for (auto& b : log.batches) b.elements.clear();  // these are not in the table
  log.operators.clear(), log.names.resize(1);
  std::sort(log.batches.begin(), log.batches.end(),
            [](auto& a, auto& b) { return std::pair(a.epoch, a.index) < std::pair(b.epoch, b.index); });
  const auto text = pl::write_csv(log);
  CHECK(pl::write_json(pl::read_batch_csv(text)) == pl::write_json(log));
  temp_folder folder;
  CHECK(pl::write_json(pl::load_batch_csv(folder.write("batches.csv", text))) == pl::write_json(log));
  // without operators there is nothing to say of elements
  CHECK_THAT(pl::explain(pl::report(log)).text, Contains("took longest to prepare") && !Contains("elements"));
  CHECK_THAT(pl::explain(pl::report(four_batches())).text, Contains("its slowest elements"));
}

TEST_CASE("explain: names from files cannot control a terminal") {
  auto log = four_batches();
  for (auto& name : log.names) name = "\x1b[2J\xff\xc2\x9b ü\xe2\x82.jpg";
  CHECK_THAT(pl::explain(pl::report(log)).text, Contains("?[2J?? ü??.jpg") && !Contains("\x1b"));
}

TEST_CASE("csv: a table of another program") {
  const auto log = pl::read_batch_csv(
      "\xef\xbb\xbfhad,index,step,begun,ready,asked,consumed\r\n40,7,x, 10,20,30,50\r\n\r\n"
      "80,\"8\",,50,60,70,90");
  REQUIRE(log.batches.size() == 2);
  const auto &a = log.batches[0], &b = log.batches[1];
  CHECK((a.epoch == 0 && a.index == 7 && a.begun == 10 && a.ready == 20 && a.asked == 30 && a.had == 40));
  CHECK((a.consumed == 50 && a.released == 0 && a.arrived == 0 && a.size == 0 && a.worker.empty() && !a.early));
  CHECK((b.index == 8 && b.consumed == 90 && log.dropped == 0));
}

TEST_CASE("csv: what is not such a table is refused, with its name and line") {
  const std::string header = "index,begun,ready,asked,had,consumed,worker,early,size\n",
                    good = "1,1,2,3,4,5,\"a\nb\",0,1\n";
  const auto refused = [](const std::string& text, const std::string& what) {
    CHECK_THROWS_WITH(pl::read_batch_csv(text, "b.csv"), Catch::StartsWith("plumbline: csv: b.csv:" + what));
  };
  CHECK(pl::read_batch_csv(header + good).batches.size() == 1);
  refused("", "1: the column index is missing; the first line must name");
  refused("index,begun,ready,asked,had\n", "1: the column consumed is missing");
  refused("index,index,begun,ready,asked,had,consumed\n", "1: the column index is there twice");
  // the cell of two lines counts as two
  refused(header + good + "1,2,3\n", "4: has 3 cells; it must have 9");
  refused(header + good + "1,1,2,3,4,5,a,0,1,\n", "4: has 10 cells");
  refused(header + good + "-1,1,2,3,4,5,a,0,1\n", "4: index is \"-1\"; it must be a whole number, not negative,");
  refused(header + good + "1,1.5,2,3,4,5,a,0,1\n", "4: begun is \"1.5\"; it must be a whole number of 64 bits");
  refused(header + good + "1,1,99999999999999999999,3,4,5,a,0,1\n", "4: ready is \"99999999999999999999\"");
  refused(header + good + "1,1,2,3,,5,a,0,1\n", "4: had is \"\"");
  refused(header + good + "1,-4611686018427387905,2,3,4,5,a,0,1\n",
          "4: begun is -4611686018427387905; it must be a time between -2^62 and 2^62 ns");
  refused(header + good + "1,1,4611686018427387904,3,4,5,a,0,1\n", "4: ready is 4611686018427387904");
  refused(header + good + "1,1,2,3,4,5,a,2,1\n", "4: early is \"2\"; it must be 0 or 1");
  refused(header + good + "1,1,2,3,4,5,\"a,0,1\n2\n", "4: a cell begins with a quote and does not end");
  CHECK_THROWS_WITH(pl::load_batch_csv("nowhere.csv"),
                    Catch::StartsWith("plumbline: csv: nowhere.csv cannot be read: No such file or directory; give"));
}

TEST_CASE("page: a long label ends with a whole character") {
  using pl::detail::shortened;
  CHECK(shortened("decode", 6) == "decode");
  CHECK(shortened("decodes", 6) == "decod\u2026");
  CHECK(shortened("\u00e4\u20ac\U0001f600", 3) == "\u00e4\u20ac\U0001f600");
  CHECK(shortened("\u00e4\u20ac\U0001f600x", 3) == "\u00e4\u20ac\u2026");
  CHECK(shortened("\u20ac\u20ac", 1) == "\u2026");
  CHECK(shortened("", 1).empty());
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
