// optimize with caches on disk: what the planner puts there, and a second run that finds it.
#include <plumbline/ext/json.hpp>
#include <plumbline/tune_on_disk.hpp>

#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>
#include <tune/decided.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace plumbline_test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

using numbers = std::vector<std::uint32_t>;
constexpr double us = 1e-6;
const auto many = [](std::int64_t x) { return std::vector<std::int64_t>(1000, x); };
const auto jitter = [](const std::vector<std::int64_t>& v, pl::rng& r) {
  return v.back() + static_cast<std::int64_t>(r.below(10));
};
// Works, and counts how often.
struct counting {
  std::shared_ptr<std::atomic<int>> made = std::make_shared<std::atomic<int>>(0);
  std::int64_t operator()(std::int64_t x) const {
    ++*made;
    auto h = static_cast<std::uint64_t>(x);
    for (int i = 0; i != 20'000; ++i) h = pl::hash_combine(h, 1);
    return h == 0 ? 0 : x;
  }
};
pl::optimize_options quick(double seconds) {
  auto o = two_cores();
  o.seconds = seconds;
  return o;
}
double bytes_below(const std::string& folder) {
  double all = 0;
  for (const auto& e : fs::recursive_directory_iterator(folder))
    if (e.is_regular_file() && e.path().extension() == ".elements") all += static_cast<double>(e.file_size());
  return all;
}

}  // namespace

TEST_CASE("on disk: what does not fit into memory, as far as that is worth reading") {
  const auto p =
      pl::range(200) | pl::map([](std::int64_t x) { return x + 1; }) | pl::map(many) | pl::map(jitter) | pl::batch(20);
  const std::vector<double> each{0, 150 * us, us, us, us};  // 1.6 MB after operator 3
  auto o = two_cores();
  o.memory = 0.6e6;
  o.passes = 1;
  const auto decided = [&](const pl::cache_disk& disk, numbers stored) {
    auto t = trials_of<1>(p);
    t.stored = std::move(stored);
    t.disk = disk;
    t.will_run(1, trace_of(p, each));
    return t.decide(o);
  };
  const auto memory_alone = decided({}, {3});
  CHECK(memory_alone.made.best.on_disk.empty());
  const auto both = decided({.bytes = 1e9}, {3});
  const auto& plan = both.made.best;
  REQUIRE(plan.caches == numbers{3});
  REQUIRE(plan.on_disk.size() == 1);
  CHECK(plan.shares[0].from == 0);
  CHECK(plan.shares[0].to > 0.2);
  CHECK(plan.on_disk[0].from == Approx(plan.shares[0].to));
  CHECK(plan.on_disk[0].to == Approx(1));
  CHECK(plan.disk_bytes[0] == Approx(plan.on_disk[0].size() * 1.6e6).epsilon(0.05));
  CHECK(plan.rate > 2 * memory_alone.made.best.rate);
  CHECK(*both.made.gain_of_a_gigabyte > 0);  // memory is faster still
  CHECK(*both.made.gain_of_a_gigabyte_on_disk == Approx(0).margin(1e-3));
  CHECK(!memory_alone.made.gain_of_a_gigabyte_on_disk);
  const auto text = pl::explain(both).text;
  CHECK_THAT(text, Contains("of the elements in memory, ") && Contains("of the elements on disk, ") &&
                       Contains("the disk for caches: 1.0 GB") &&
                       Contains("one GB more for caches on disk adds nothing") && Contains(" on disk after 3 (map("));
  // little room, and a slow disk: each element is read in 8 ms
  const auto little = decided({.bytes = 4e5}, {3});
  CHECK(little.made.best.disk_bytes[0] == Approx(4e5).epsilon(0.02));
  CHECK(*little.made.gain_of_a_gigabyte_on_disk > 0.1);
  CHECK(little.made.gain_per_byte_on_disk > 0);
  CHECK(little.made.gain_per_byte_on_disk < little.made.gain_per_byte);
  const auto slow = decided({.bytes = 1e9, .curve = pl::disk_curve::flat(1e6)}, {3}).made.best;
  CHECK((slow.on_disk.empty() || slow.on_disk[0].size() < 0.05));
  CHECK(decided({.bytes = 1e9, .curve = pl::disk_curve::fit({{1, 1e6}, {2, 2e6}})}, {3}).made.best.on_disk.empty());
  // what cannot be stored, and without shares
  CHECK(decided({.bytes = 1e9}, {}).made.best == memory_alone.made.best);
  o.shares = false;
  CHECK(decided({.bytes = 1e9}, {3}).made.best.on_disk.empty());

  // as JSON and back; refused without a folder, or when it was changed
  CHECK(pl::read_json<pl::plan>(pl::write_json(plan)) == plan);
  CHECK_THROWS_WITH(pl::run<1>(p, plan), Contains("keeps elements on disk"));
  auto changed = plan;
  changed.disk_bytes.clear();
  CHECK_THROWS_WITH(pl::run<1>(p, changed), Contains("changed by hand"));
  changed = plan;
  changed.on_disk[0].to = 2;
  CHECK_THROWS_WITH(pl::run<1>(p, changed), Contains("changed by hand"));
}

TEST_CASE("on disk: a second run begins with what the first has kept") {
  const watchdog guard("optimize: on disk");
  const temp_folder at;
  const counting f;
  const auto p = pl::range(2000) | pl::shuffle(1) | pl::map(f) | pl::map(many) | pl::map(jitter) | pl::batch(20);
  auto o = quick(0.4);
  o.memory = 4e6;  // of 16 MB
  const pl::on_disk where(at / "caches", pl::bytes(40'000'000));
  const auto make_epoch = [&](auto& s, std::uint64_t e) {
    *f.made = 0;
    s.restart(e);
    CHECK(drained(s) == reference_texts(p, {11, e}));
    return static_cast<double>(*f.made);
  };
  // the reference makes every element, too
  pl::plan plan;
  double on_disk = 0;
  {
    auto s = pl::optimize<1>(p, o, where);
    plan = s.plan();
    REQUIRE(plan.on_disk.size() == 1);
    on_disk = plan.on_disk[0].size();
    CHECK(on_disk > 0.5);
    make_epoch(s, 0);
    CHECK(make_epoch(s, 1) - 2000 == Approx(2000 * (1 - on_disk - plan.shares[0].size())).margin(20));
  }
  CHECK(bytes_below(at / "caches") > 16e6 * on_disk * 0.95);
  CHECK(bytes_below(at.path()) < 1.1 * plan.disk_bytes[0] + 1e4);
  {  // another process would do the same
    auto s = pl::run<1>(p, plan, where, with(2, {}, 11));
    CHECK(make_epoch(s, 0) - 2000 == Approx(2000 * (1 - on_disk)).margin(100));
    CHECK(make_epoch(s, 3) - 2000 == Approx(2000 * (1 - on_disk - plan.shares[0].size())).margin(20));
  }
  {  // planned anew, with the folder full
    *f.made = 0;
    auto s = pl::optimize<1>(p, o, where);
    REQUIRE(s.plan().on_disk.size() == 1);
    CHECK(make_epoch(s, 0) - 2000 < 2000 * (1 - on_disk) + 100);
  }
  // no more than the folder may hold, whatever the plan says
  const pl::on_disk small(at / "small", pl::bytes(5'000'000));
  for (int i = 0; i != 2; ++i) {
    auto s = pl::run<1>(p, plan, small, with(2, {}, 11));
    make_epoch(s, 0);
  }
  CHECK(bytes_below(at / "small") > 4'000'000);
  CHECK(bytes_below(at / "small") <= 5'000'000);
  // and not in a folder of another pipeline
  auto theirs = plan;
  const auto longer = pl::range(2000) | pl::shuffle(1) | pl::map(f) |
                      pl::map([](std::int64_t x) { return std::vector<std::int64_t>(999, x); }) | pl::map(jitter) |
                      pl::batch(20);
  theirs.pipeline = pl::signature_of(pl::layout(longer));
  CHECK_THROWS_WITH(pl::run<1>(longer, theirs, where, with(2, {}, 11)), Contains("belongs to another pipeline"));
  CHECK_THROWS_WITH(pl::on_disk("", pl::bytes(1)), Contains("has no name"));
  CHECK_THROWS_WITH(pl::optimize<1>(p, o, pl::on_disk("/proc/none/here", pl::bytes(1'000'000))),
                    Contains("cannot be made"));
}

TEST_CASE("on disk: elements that cannot be stored stay in memory") {
  const watchdog guard("optimize: not on disk");
  const temp_folder at;
  const counting f;
  const auto p =
      pl::range(2000) | pl::map(f) |
      pl::map([](std::int64_t x) { return std::make_shared<std::vector<std::int64_t>>(1000, x); }) |
      pl::map([](const std::shared_ptr<std::vector<std::int64_t>>& v, pl::rng& r) { return jitter(*v, r); }) |
      pl::batch(20);
  using policy = pl::detail::forms<1, std::remove_const_t<decltype(p)>, pl::on_disk>;
  static_assert(policy::compiled[0].after == 3);
  const pl::on_disk where(at / "caches", pl::bytes(40'000'000));
  CHECK(where.sites<std::remove_const_t<decltype(p)>>() == numbers{1, 2, 4, 5});
  auto s = pl::optimize<1>(p, quick(0.2), where);
  CHECK(s.plan().on_disk.empty());
  CHECK(drained(s) == reference_texts(p, {11, 0}));
}

TEST_CASE("on disk: the files for measuring of others are left alone while they live") {
  const watchdog guard("on disk: measuring");
  const temp_folder at;
  const auto folder = at / "caches";
  fs::create_directories(folder);
  // a process in another container may have the same number
  const auto of_number = folder + "/measured-" + std::to_string(::getpid()), in_use = folder + "/.measured-000001",
             left_over = folder + "/.measured-000002";
  for (const auto& path : {of_number, in_use, left_over}) std::ofstream(path) << "theirs";
  const int fd = ::open(in_use.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(fd, LOCK_EX) == 0);
  const auto disk = pl::on_disk(folder, pl::bytes(200'000'000)).disk({}, {.threads = 1});
  CHECK(disk.curve.known());
  for (const auto& path : {of_number, in_use}) {
    std::string text;
    std::ifstream(path) >> text;
    CHECK(text == "theirs");
  }
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 2);  // not left_over, and no own
  ::close(fd);
}
