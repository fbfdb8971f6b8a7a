// A saved state, loaded into a fresh stream, gives the same remaining elements. The laws of every operator and the
// generated chains check this too (op_laws); here are the cases that they do not cover.
#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <support/temp_folder.hpp>
#ifdef PLUMBLINE_HAS_ZLIB
#include <support/deflate.hpp>
#endif

#include <plumbline/plumbline.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <ranges>
#include <sstream>
#include <thread>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {
pl::run_options saving(std::size_t threads, std::optional<std::size_t> chunk = {}) {
  auto o = with(threads, chunk);
  o.saves = true;
  return o;
}
/// Checks a pipeline that has no reference against its own runs.
template <class P> void goes_on(const P& p) {
  expectation want;
  for (std::uint64_t e = 0; e != 3; ++e) want.epoch[e] = shown(p, ~std::size_t{0}, e);
  states_go_on<typename P::element>([&](const pl::run_options& how) { return pl::run(p, how); }, want, 0);
}
/// The sum of every n elements; with `Saves`, its kernel has a state().
template <bool Saves> struct sum_op : pl::op_base {
  static constexpr std::string_view name = "sum";
  pl::size<pl::dynamic> n;
  static constexpr auto sizes = std::tuple(&sum_op::n);
  template <class In> using output = In;
  static constexpr pl::stream_facts rule(pl::stream_facts in, pl::cardinality n) {
    in.count = grouped(in.count, n, pl::cardinality::exactly(0));
    return in;
  }
  template <class In> struct kernel {
    std::uint64_t n, came = 0;
    In sum{};
    kernel(const sum_op& op, const pl::stream_context&) : n(op.n.value()) {}
    void push(In&& x, const pl::lineage& at, auto&& emit) {
      sum += x;
      if (++came != n) return;
      emit(std::exchange(sum, {}), at);
      came = 0;
    }
    template <class Io> void state(Io& io) requires Saves { io(came, sum); }
  };
};
}  // namespace

TEST_CASE("saving: before an epoch begins, in its middle, at its end") {
  const auto p = pl::range(100) | pl::shuffle(3) | pl::map([](std::int64_t x) { return 2 * x; });
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run(p, with(threads));
    CHECK(s.save().taken() == 0);
    s.restart();
    std::vector<pl::stream_state> states{s.save()};
    std::vector<std::int64_t> all;
    while (auto x = s.next()) {
      all.push_back(*x);
      states.push_back(s.save());
    }
    states.push_back(s.save());
    REQUIRE(all.size() == 100);
    for (std::size_t k = 0; k < states.size(); k += 9) {
      CAPTURE(threads, k);
      CHECK(states[k].epoch() == 0);
      auto fresh = pl::run(p, with(2 - threads));
      fresh.load(states[k]);
      CHECK(fresh.save().taken() == states[k].taken());
      for (auto i = states[k].taken(); i != all.size(); ++i) CHECK(fresh.next() == all[i]);
      CHECK(!fresh.next());
    }
    auto fresh = pl::run(p, with(threads));
    fresh.load(states.back());
    CHECK(!fresh.next());
    CHECK(fresh.epoch() == 1);  // the next one: this one has ended
    s.restart();
    fresh.restart();
    CHECK(fresh.epoch() == 1);
    while (auto x = s.next()) CHECK(fresh.next() == x);
  }
}

TEST_CASE("saving: a loop continues where the state was saved; restart begins the next epoch") {
  const auto p = pl::range(10) | pl::repeat(2);
  auto s = pl::run(p, with(2));
  for (auto& x : s)
    if (x == 6) break;
  const auto state = s.save();
  auto fresh = pl::run(p, with(1));
  fresh.load(state);
  std::int64_t sum = 0;
  for (const auto& x : fresh) sum += x;
  CHECK(sum == 45 + 7 + 8 + 9);
  fresh.load(state);
  CHECK(fresh.epoch() == 0);
  fresh.restart();
  CHECK(fresh.epoch() == 1);
  CHECK(fresh.next() == 0);
}

TEST_CASE("saving: a trainer that resumes runs each epoch once") {
  const auto p = pl::range(4) | pl::shuffle(1);
  std::vector<std::int64_t> whole;
  auto s = pl::run(p, with(2));
  for (int e = 0; e != 3; ++e)
    for (const auto x : s) whole.push_back(x);
  for (std::size_t taken = 0; taken <= whole.size(); ++taken)
    for (const bool at_the_end : {false, true}) {  // or before the loop saw that the epoch has ended
      std::vector<std::int64_t> seen;
      auto first = pl::run(p, with(1));
      pl::stream_state state = first.save();
      for (auto e = first.epoch(); e < 3 && seen.size() != taken; ++e)
        for (const auto x : first) {
          seen.push_back(x);
          state = first.save();
          if (seen.size() == taken && !(at_the_end && taken % 4 == 0)) break;
        }
      if (at_the_end && taken % 4 == 0) state = first.save();
      auto resumed = pl::run(p, with(2));
      resumed.load(state);
      for (auto e = resumed.epoch(); e < 3; ++e)
        for (const auto x : resumed) seen.push_back(x);
      CHECK(seen == whole);
    }
}

TEST_CASE("saving: a state of another pipeline or seed, or of an unordered run, is rejected") {
  auto s = pl::run(pl::range(10) | pl::batch(3), with(0));
  const auto state = s.save();
  auto other = pl::run(pl::range(11) | pl::batch(3), with(0));
  CHECK_THROWS_WITH(other.load(state), Contains("another pipeline"));
  const temp_folder at;
  at.write("a.txt", "a");
  at.write("b.txt", "b");
  const auto texts = [&] { return pl::zip(pl::range(9), pl::files(at.path() + "/*.txt") | pl::shuffle(1)); };
  auto listed = pl::run(texts(), with(1));
  const auto of_two = listed.save();
  at.write("c.txt", "c");
  auto more = pl::run(texts(), with(1));
  CHECK_THROWS_WITH(more.load(of_two),
                    "plumbline: load: files (operator 2) has 3 elements, and had 2 when the state was saved; restore "
                    "the files or other elements that have changed. If this is another pipeline, load the state into a "
                    "stream made as the one that saved it");
  listed.load(of_two);
  CHECK(listed.next());
  auto seed = pl::run(pl::range(10) | pl::batch(3), with(0, {}, 8));
  CHECK_THROWS_WITH(seed.load(state), Contains("seed 7") && Contains("has 8"));
  auto order_free = pl::run(pl::range(10), with(1, {}, 7, pl::unordered));
  CHECK_THROWS_WITH(order_free.save(), Contains("unordered"));
}

TEST_CASE("saving: a state of a pipeline with other parameters is rejected") {
  const auto numbers = pl::range(20) | pl::filter([](std::int64_t x) { return x != 5; });
  const auto refused = [](const auto& saved, const auto& loaded) {
    auto s = pl::run(saved, saving(1));
    s.next();
    const auto state = s.save();
    auto other = pl::run(loaded, with(1));
    CHECK_THROWS_WITH(other.load(state), Contains("another pipeline"));
    auto same = pl::run(saved, with(1));
    same.load(state);
    CHECK(same.next());
  };
  const auto streams = [](std::uint64_t open, std::uint64_t block) {
    return pl::range(20) | pl::interleave([](std::int64_t i) { return pl::range(i % 7); }, {open, block});
  };
  refused(streams(2, 1), streams(6, 1));
  refused(streams(2, 1), streams(2, 3));
  refused(numbers | pl::shuffle(20, 1), numbers | pl::shuffle(4, 1));
  refused(numbers | pl::shuffle(20, 1), numbers | pl::shuffle(20, 2));
  refused(pl::range(20) | pl::shuffle(1), pl::range(20) | pl::shuffle(2));
  refused(numbers | pl::group(4), numbers | pl::group(2));
  refused(numbers | pl::batch(4), numbers | pl::batch(4, pl::remainder::drop));
  refused(pl::range(0, 20) | pl::shard(2, 0), pl::range(0, 20) | pl::shard(2, 1));
  refused(pl::range(0, 20) | pl::group(2), pl::range(100, 120) | pl::group(2));
}

TEST_CASE("saving: elements before a mark are not made again") {
  static std::atomic<std::int64_t> made{0};
  const auto p = pl::range(1'000'000) | pl::map([](std::int64_t x) {
                   ++made;
                   return x;
                 }) |
                 pl::filter([](std::int64_t x) { return x % 3 != 0; }) | pl::shuffle(50, 1) | pl::batch(7);
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run(p, saving(threads));
    for (int i = 0; i != 50'000; ++i) s.next();
    const auto state = s.save();
    const auto want = text(*s.next());
    auto fresh = pl::run(p, with(threads));
    made = 0;
    fresh.load(state);
    CHECK(text(*fresh.next()) == want);
    CHECK(made < 500'000);  // of 525,000
  }
}

TEST_CASE("saving: a state that took long by accident does not put off those after it") {
  struct quick final : pl::detail::restartable {
    bool loses_core = false;
    void begin(std::uint64_t) override {}
    void leave() override {}
    void save(pl::detail::saving& to) override {
      to(loses_core);
      const auto since = pl::detail::cpu_now();
      while (loses_core && pl::detail::cpu_now() - since < 300'000'000) {
      }
    }
    void load(const pl::detail::saved&) override {}
  } part;
  const std::atomic<bool> wanted{true};
  pl::detail::marker marks(&wanted);
  for (const bool late : {false, false, true}) {
    part.loses_core = late;
    CHECK(marks.take(part) != nullptr);
  }
  for (const auto end = pl::detail::wall_now() + 15'000'000'000; !marks.due() && pl::detail::wall_now() < end;)
    std::this_thread::yield();
  CHECK(marks.due());  // not after 30 s
}

TEST_CASE("saving: user-defined kernels, with and without state()") {
  const auto up = pl::range(2000) | pl::filter([](std::int64_t x) { return x % 7 != 0; });
  goes_on(up | sum_op<true>{{}, {5}} | pl::shuffle(20, 3));
  goes_on(up | sum_op<false>{{}, {5}} | pl::shuffle(20, 3));
}

TEST_CASE("saving: readers continue in the file that they were in") {
  const temp_folder t;
  std::string text;
  for (int i = 0; i != 700; ++i) text += std::to_string(i * i) + (i % 11 == 0 ? "\r\n\n" : "\n");
  std::vector<std::string> paths{t.write("a.txt", text), t.write("b.txt", "\xef\xbb\xbf" + text + "end"),
                                 t.write("c.txt", "")};
#ifdef PLUMBLINE_HAS_ZLIB
  paths.push_back(t.write("d.txt.gz", deflated(text)));
#endif
  const pl::line_options small{.keep_empty = false, .buffer_bytes = 64};
  goes_on(pl::lines(paths, small));
  goes_on(pl::lines(paths, small) | pl::batch<10>());
  goes_on(pl::elements(paths) |
          pl::interleave([=](const std::string& path) { return pl::lines(path, small); }, {3, 2}) | pl::shuffle(30, 1));
}

TEST_CASE("saving: a one-pass range behind a cache has to be made anew; if it is not, reading throws") {
  std::deque<std::istringstream> inputs;
  const auto make = [&] {
    return pl::from_range(std::ranges::istream_view<int>(inputs.emplace_back("1 2 3 4 5"))) | pl::cache();
  };
  for (const std::size_t threads : {0U, 2U}) {
    const auto p = make();
    auto s = pl::run(p, saving(threads));
    while (s.next()) {
    }
    s.restart();
    CHECK(s.next() == 1);
    CHECK(s.next() == 2);
    const auto state = s.save();
    auto again = pl::run(p, saving(threads));
    again.load(state);
    CHECK_THROWS_WITH(again.next(), Contains("walked only once"));
    auto fresh = pl::run(make(), saving(threads));
    fresh.load(state);
    CHECK(fresh.epoch() == 1);
    CHECK(fresh.next() == 3);
  }
}

namespace {
struct labelled : std::vector<int> {
  int label = 0;
};
template <class T> struct tagged : std::vector<T> { int tag = 0; };
struct value {
  using value_type = value;
  value* begin() { return this; }
  void clear() {}
  void push_back(value&&) {}
  std::shared_ptr<int> held{};
};
}  // namespace

// A class derived from a container may hold more, and a JSON value's elements are JSON values: both are copied whole.
TEST_CASE("saving: containers are saved element by element, other types as a whole") {
  using pl::detail::as_sequence;
  STATIC_REQUIRE(as_sequence<std::vector<std::string>>);
  STATIC_REQUIRE(as_sequence<std::deque<std::unique_ptr<int>>>);
  STATIC_REQUIRE(as_sequence<std::string>);
  STATIC_REQUIRE_FALSE(as_sequence<std::vector<bool>>);
  STATIC_REQUIRE_FALSE(as_sequence<labelled>);
  STATIC_REQUIRE_FALSE(as_sequence<tagged<int>>);
  STATIC_REQUIRE_FALSE(as_sequence<value>);
  const auto p = serial(10) | pl::map([](std::int64_t x) {
                   labelled l;
                   l.push_back(static_cast<int>(x));
                   l.label = 7;
                   return l;
                 }) |
                 pl::group(4);
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run(p, saving(threads));
    (void)s.next();
    const auto state = s.save();
    auto again = pl::run(p, saving(threads));
    again.load(state);
    for (const auto& group : again)
      for (const auto& l : group) CHECK((l.size() == 1 && l.label == 7));
  }
}

TEST_CASE("saving: a file that has become shorter since is an error, not the end") {
  const temp_folder at;
  std::string text;
  for (int i = 0; i != 1000; ++i) text += "line " + std::to_string(i) + "\n";
  std::vector<std::pair<std::string, std::string>> contents{{text, text.substr(0, 100)}};
#ifdef PLUMBLINE_HAS_ZLIB
  contents.emplace_back(deflated(text), deflated(text.substr(0, 100)));
#endif
  for (const auto& [whole, cut] : contents)
    for (const std::size_t threads : {0U, 2U}) {
      const auto file = at.write("f", whole);
      const auto p = pl::lines(file);
      auto s = pl::run(p, saving(threads, 10));
      for (int i = 0; i != 500; ++i) REQUIRE(s.next() == "line " + std::to_string(i));
      const auto state = s.save();
      auto fresh = pl::run(p, saving(threads, 10));
      fresh.load(state);
      CHECK(fresh.next() == "line 500");
      at.write("f", cut);
      auto late = pl::run(p, saving(threads, 10));
      CHECK_THROWS_WITH((late.load(state), late.next()),
                        (Contains("lines cannot continue '" + file + "' at byte ") && Contains(": it ends before")) ||
                            Contains("load: the epoch has only 14 elements now, and 500 had been taken"));
    }
}

namespace {
/// 0, 1, ..., as many as there are when it is read.
auto numbers_up_to(std::shared_ptr<std::atomic<std::int64_t>> n) {
  return pl::generate([n, i = std::int64_t{0}]() mutable -> std::optional<std::int64_t> {
    return i < *n ? std::optional(i++) : std::nullopt;
  });
}
std::shared_ptr<const pl::detail::saved> state_of(auto& part) {
  pl::detail::saving to;
  to(part);
  return to.take();
}
/// Pumps a part to its end; returns how many elements came.
int pumped(auto& part) {
  int n = 0;
  const auto count = [&](auto&&, const pl::lineage&) { ++n; };
  while (part.pump(count, 100) != pl::pump_result::ended) {
  }
  return n;
}
}  // namespace

TEST_CASE("saving: a source that has become shorter is an error in a part that was further, not its end") {
  using pl::detail::channel;
  const auto n = std::make_shared<std::atomic<std::int64_t>>(10);
  const auto p = numbers_up_to(n);
  const std::atomic<bool> stop{false};
  using source = pl::detail::source_cursor<typename decltype(p)::op_type>;
  using replaying = pl::detail::replaying_cursor<source, pl::detail::sequence_in_memory<std::int64_t>>;
  const auto make = [&] { return source(&p.op, 1, 0, &stop); };
  pl::replay_context cx;
  cx.stop = &stop;
  const auto make_cache = [&] { return replaying("cache", cx, {}, make()); };
  const auto after_six = [&](auto part) {
    *n = 10;
    part.begin(0);
    int left = 6;
    const auto count = [&](auto&&, const pl::lineage&) { --left; };
    while (left != 0) part.pump(count, 1);
    return state_of(part);
  };
  const auto continued = [&](auto part, const std::shared_ptr<const pl::detail::saved>& from) {
    pl::detail::loading io(*from);
    io(part);
    return pumped(part);
  };
  const auto of_source = after_six(make()), of_cache = after_six(make_cache());
  for (const std::int64_t now : {10, 6, 5, 0}) {
    *n = now;
    auto whole = make_cache();
    whole.begin(0);
    CHECK(pumped(whole) == now);
    if (now >= 6) {
      CHECK(continued(make(), of_source) == now - 6);
      CHECK(continued(make_cache(), of_cache) == now - 6);
    } else {
      CHECK_THROWS_AS(continued(make(), of_source), pl::detail::thrown);
      CHECK_THROWS_AS(continued(make_cache(), of_cache), pl::detail::thrown);
      CHECK_THROWS_AS(continued(std::move(whole), of_cache), pl::detail::thrown);
    }
  }
  for (const std::uint64_t taken : {2U, 3U, 4U}) {  // of three, from another segment
    const pl::detail::run_flags flags{};
    pl::detail::chunk_pool<std::int64_t> pool;
    channel c(2, 2, true, &flags);
    c.on_credit([] {});
    pl::detail::channel_cursor<std::int64_t> in(&c);
    in.go_on(0, {{}, taken});
    auto* m = c.acquire();
    REQUIRE(m != nullptr);
    auto* three = pool.get();
    for (std::int64_t i = 0; i != 3; ++i) three->add<false>(i, {});
    m->generation = c.wanted().generation;
    m->sequence = c.next_sequence();
    m->load = three;
    m->last = true;
    c.deposit(m);
    if (taken <= 3)
      CHECK(pumped(in) == 3 - static_cast<int>(taken));
    else
      CHECK_THROWS_AS(pumped(in), pl::detail::thrown);
  }
}

TEST_CASE("saving: where a source has become shorter, the error names a part of the pipeline or the epoch") {
  const auto n = std::make_shared<std::atomic<std::int64_t>>();
  const auto p = numbers_up_to(n) | pl::map([](std::int64_t x) { return x + 1; }) | pl::shuffle(20'000, 1) |
                 pl::filter([](std::int64_t x) { return x % 7 != 0; }) | pl::shuffle(100, 2);
  for (const std::size_t threads : {0U, 2U}) {
    *n = 100'000;
    auto uncut = pl::run(p, saving(threads));
    const auto all = drained(uncut);
    auto s = pl::run(p, saving(threads));
    for (int i = 0; i != 60'000; ++i) REQUIRE(s.next());
    const auto state = s.save();
    for (const std::int64_t now : {100, 60'000}) {
      *n = now;
      auto late = pl::run(p, saving(threads));
      late.load(state);
      CHECK_THROWS_WITH(drained(late),
                        Contains("had been taken when the state was saved; restore the files or other "));
    }
    *n = 100'000;
    auto whole = pl::run(p, saving(threads));
    whole.load(state);
    const auto rest = drained(whole);
    CHECK((rest.size() == all.size() - 60'000 && std::equal(rest.begin(), rest.end(), all.begin() + 60'000)));
  }
}
