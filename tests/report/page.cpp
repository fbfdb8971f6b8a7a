// The page and the text of a tuning show the disk if something is known of it; the page is well-formed.
#include <catch2/catch.hpp>
#include <plumbline/report/page.hpp>

#include <model/traces.hpp>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {

pl::tuning tuned(const pl::disk_curve& disk) {
  made_trace t(10, 2);
  t.add({"files <b>", pl::form::source, {}, pl::cardinality::exactly(1000), 0, {.completions = 1000, .bytes = 9000}});
  t.add({"read_file",
         pl::form::element,
         {1},
         pl::cardinality::exactly(1000),
         1,
         {.completions = 1000, .bytes = 100'000'000, .bytes_read = 100'000'000, .cpu_seconds = 1, .wall_seconds = 4}});
  t.add({"map",
         pl::form::element,
         {2},
         pl::cardinality::exactly(1000),
         1,
         {.completions = 1000, .bytes = 400'000'000, .cpu_seconds = 8, .wall_seconds = 8}});
  t.part({1}, true, 0, 100);
  t.part({2}, false, 0, 100);
  t.parts[1].blocks = true;
  t.part({3}, false, 0, 100);
  pl::tuning made;
  made.seen = t;
  made.made = pl::make_plan(t, {.cores = 2, .memory = 1e8, .disk = disk});
  made.attempts = {{"as written", 0, 120, 1, 120}, {"planned", made.made.best.rate, 125, 1, 125}};
  made.kept = 1;
  made.seconds = 2;
  return made;
}
pl::disk_curve measured() {
  auto d = pl::disk_curve::fit({{1, 5e6}, {2, 9e6}, {4, 12e6}, {8, 11.5e6}});
  d.cache = pl::page_cache::bypassed;
  d.how = "past the page cache (O_DIRECT); 3 files of 4 MB in all";
  return d;
}
std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("explain: the disk as measured, and how much of it the plan reads", "[explain]") {
  CHECK_THAT(pl::explain(tuned(measured())).text, Contains(R"(
the disk: past the page cache (O_DIRECT); 3 files of 4 MB in all
reads at a time  measured   fitted
---------------  ---------  ---------
1                5.0 MB/s   5.0 MB/s
2                9.0 MB/s   9.0 MB/s
4                12.0 MB/s  12.0 MB/s
8                11.5 MB/s  12.0 MB/s
The plan reads 12.0 MB/s, 100 % of what the disk gives, with 4 reads at a time.
)"));
  CHECK_THAT(pl::explain(tuned(pl::disk_curve::flat(44e6))).text, Contains(R"(
the disk
however many reads: at most 44.0 MB/s
The plan reads 22.2 MB/s, 51 % of what the disk gives.
)"));
  CHECK_THAT(pl::explain(tuned({})).text, !Contains("disk"));
}

TEST_CASE("page: the disk's curve, the limits, the ladder", "[page]") {
  const auto text = pl::page(tuned(measured()));
  CHECK_THAT(text, Contains("<h2>The disk, bytes a second by reads at a time</h2>") &&
                       Contains("Dots: as measured, past the page cache (O_DIRECT); 3 files") &&
                       Contains(">the plan<") && Contains("files &lt;b&gt;") && Contains("12.0 MB/s of the disk"));
  CHECK(count(text, "<circle") == 5);  // the points and the plan
  const auto none = pl::page(tuned({}));
  CHECK_THAT(none, !Contains("disk,") && !Contains("<circle"));
  // one bar for each limit, operator and attempt
  CHECK(count(none, "class=\"bar") == pl::explain(tuned({})).rows.size() + 2 + tuned({}).made.limits.size());
  CHECK(count(none, "class=\"bar worst\"") == 1);
  for (const auto& page : {text, none, pl::page(tuned(pl::disk_curve::flat(44e6)))}) {
    CHECK(count(page, "<svg") == count(page, "</svg>"));
    CHECK(count(page, "<text") == count(page, "</text>"));
    CHECK(page.find("nan") == std::string::npos);
    CHECK(page.find("inf") == std::string::npos);
  }
}

TEST_CASE("page: caches that keep shares, and what more room would bring", "[page]") {
  auto t = tuned({});
  auto& best = t.made.best;
  best.caches = {2, 3};
  CHECK_THAT(pl::page(t), Contains(">cache, 100 %<") && Contains("The site nearest the end that fits saves most"));
  best.shares = {pl::share(0.35, 0.6), pl::share(0, 0.25)};
  best.on_disk = {pl::share(0, 0), pl::share(0.25, 0.35)};
  best.disk_bytes = {0, 4e7};
  t.made.gain_of_a_gigabyte = 0.09;
  t.made.gain_per_byte = 1e-9;
  const auto text = pl::page(t);
  CHECK(count(text, ">cache, 25 %<") == 1);
  CHECK(count(text, ">cache, 35 %<") == 1);
  CHECK_THAT(text, Contains("Together the caches divide the elements") &&
                       Contains("<p>Rate: one GB more for caches adds 9 %; at first, each MB adds 0.1 %.</p>") &&
                       !Contains("saves most"));
  CHECK_THAT(pl::explain(t).text, Contains("  one GB more for caches adds 9 %; at first, each MB adds 0.1 %\n") &&
                                      !Contains("did not prove"));
  t.made.share.feasible = true;
  t.made.share.proven = false;
  CHECK_THAT(pl::explain(t).text, Contains("  the solver did not prove all its solutions\n"));
}
