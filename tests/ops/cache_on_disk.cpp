// cache(folder): what is kept is found again, by this process and others, and nothing else is.
#include <plumbline/ops/cache_on_disk.hpp>

#include <plumbline/core/evaluate.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/model/layout.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/ops/cache_levels.hpp>
#include <plumbline/sources.hpp>

#include <ops/reference/cache_on_disk.hpp>
#include <support/memory_use.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <variant>

using namespace plumbline_test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

struct sample {
  std::int64_t number, other;
  std::string name;
  pl::tensor<float> values;
};
struct tree {
  std::int64_t number;
  std::vector<tree> below;
  bool operator==(const tree&) const = default;
};
struct even_levels;
struct odd_levels {
  std::vector<even_levels> below;
};
struct even_levels {
  std::string name;
  std::optional<odd_levels> below;
  std::shared_ptr<int> no_bytes;
};
struct with_own_codec {
  std::shared_ptr<int> held;
  bool operator==(const with_own_codec& o) const { return *held == *o.held; }
};
class json_like {  // as nlohmann::json, it is a container of its own type
 public:
  using value_type = json_like;
  explicit json_like(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  bool operator==(const json_like&) const = default;

 private:
  std::string text_;
};
class own_values {  // as a JSON value without a codec: a number is its own and only value
 public:
  std::size_t size() const { return 1; }
  const own_values* begin() const { return this; }
  const own_values* end() const { return this + 1; }

 private:
  int number_ = 0;
};
// Counts how often elements are made.
struct counting_map {
  std::shared_ptr<std::atomic<int>> made = std::make_shared<std::atomic<int>>(0);
  std::int64_t operator()(std::int64_t x) const {
    ++*made;
    return x * x;
  }
};
template <class P>
std::vector<typename P::element> taken(const P& p, std::size_t threads = 2, std::size_t most = 100'000) {
  auto s = pl::run(p, {.threads = threads});
  std::vector<typename P::element> all;
  while (all.size() != most) {
    auto x = s.next();
    if (!x) break;
    all.push_back(std::move(*x));
  }
  return all;
}
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& e : fs::directory_iterator(folder))
    if (e.path().filename() != "pipeline") all.push_back(e.path());
  std::sort(all.begin(), all.end());
  return all;
}
template <class T> T there_and_back(const T& x) {
  std::vector<std::uint8_t> bytes;
  pl::byte_writer to(bytes);
  pl::codec<T>::encode(x, to);
  for (std::size_t n = 0; n != bytes.size(); ++n) {  // cut anywhere, it is refused
    pl::byte_reader cut(bytes.data(), n);
    CHECK_THROWS_AS(pl::codec<T>::decode(cut), std::runtime_error);
  }
  pl::byte_reader from(bytes.data(), bytes.size());
  auto y = pl::codec<T>::decode(from);
  CHECK(from.left() == 0);
  return y;
}

}  // namespace

template <> struct pl::codec<with_own_codec> {
  static void encode(const with_own_codec& x, pl::byte_writer& to) { pl::codec<int>::encode(*x.held, to); }
  static with_own_codec decode(pl::byte_reader& from) { return {std::make_shared<int>(pl::codec<int>::decode(from))}; }
};
template <> struct pl::codec<json_like> {
  static void encode(const json_like& x, pl::byte_writer& to) { pl::codec<std::string>::encode(x.text(), to); }
  static json_like decode(pl::byte_reader& from) { return json_like(pl::codec<std::string>::decode(from)); }
};

TEST_CASE("codec: elements are read as they were written") {
  const auto same = [](const auto& x) { CHECK(there_and_back(x) == x); };
  same(42);
  same(-1.5);
  same(std::string("a\0b", 3));
  same(std::vector<std::string>{"", "x", "longer"});
  same(std::vector<bool>{true, false, true});
  same(std::vector<std::int16_t>{1, -2});
  same(std::optional<int>());
  same(std::optional<std::string>("x"));
  same(std::tuple(1, std::string("x"), std::pair(2.0F, 'c')));
  same(std::array<std::string, 2>{"a", "b"});
  same(std::array<std::uint8_t, 300>{1, 2});
  same(std::array<std::optional<char>, 300>{'a'});
  same(std::array<long double, 2>{1.5L, -2});
  same(pl::tensor<float>({2, 3}, 1.5F));
  same(pl::tensor<int>({0, 3}));
  same(pl::image(2, 3, 3));
  same(pl::fixed_tensor<int, 2, 2>());
  same(pl::columns<std::pair<int, std::string>>{{pl::tensor<int>({2}, 1), {"a", "b"}}});
  same(pl::columns<std::tuple<float>>{{pl::tensor<float>({3}, 1.0F)}});
  const auto s = there_and_back(sample{1, 2, "one", pl::tensor<float>({2}, 1.0F)});
  CHECK((s.number == 1 && s.name == "one" && s.values == pl::tensor<float>({2}, 1.0F)));
  same(std::vector<std::pair<int, with_own_codec>>{{1, {std::make_shared<int>(2)}}});
  static_assert(!pl::storable<std::shared_ptr<int>> && !pl::storable<int*>);
}

TEST_CASE("codec: a long double has the same hash wherever it is") {
  static_assert(pl::storable<pl::tensor<long double>>);
  if constexpr (std::numeric_limits<long double>::digits == 64) {  // it has padding
    std::set<std::uint64_t> all;
    for (const int padding : {0, 0x55, 0xff}) {
      const long double number = 1.5L;
      long double x = 0;
      std::memset(&x, padding, sizeof x);
      std::memcpy(&x, &number, 10);
      all.insert(pl::detail::hash_of(x));
    }
    CHECK(all.size() == 1);
  }
}

TEST_CASE("codec and cache: elements that hold elements of their own type") {
  const tree oak{1, {{2, {}}, {3, {{4, {}}}}}};
  CHECK(there_and_back(oak) == oak);
  CHECK(there_and_back(std::vector{oak}) == std::vector{oak});
  static_assert(!pl::storable<odd_levels> && !pl::storable<even_levels> && !pl::storable<std::vector<odd_levels>>);
  static_assert(!pl::detail::uncounted<tree>() && !pl::detail::uncounted<even_levels>());
  const auto grow = [](std::int64_t x) { return tree{x, {{x + 1, {}}}}; };
  const temp_folder at;
  const auto p = pl::range(20) | pl::map(grow) | pl::cache(at / "indexed");
  CHECK(taken(p) == taken(pl::range(20) | pl::map(grow)));
  CHECK(taken(p) == taken(serial(20) | pl::map(grow) | pl::cache(at / "serial")));
  CHECK(taken(pl::range(20) | pl::map(grow) | pl::cache(pl::bytes(2000))) == taken(p));
  const auto text = [](std::int64_t x) { return json_like(std::to_string(x)); };
  const auto q = pl::range(20) | pl::map(text) | pl::cache(at / "values");
  CHECK(taken(q) == taken(pl::range(20) | pl::map(text)));
  CHECK(taken(q | pl::skip(19)) == std::vector{json_like("19")});
}

TEST_CASE("cache on disk: laws") {
  const temp_folder at;
  int n = 0;
  const auto fresh = [&] { return at / std::to_string(n++); };
  const auto square = [](std::int64_t x) { return x * x; };
  op_laws(pl::range(40) | pl::map(square) | pl::cache(fresh()));
  op_laws(pl::range(40) | pl::shuffle(1) | pl::map(square) | pl::cache(fresh()) | pl::batch(7));
  op_laws(pl::range(40) | pl::map(square) | pl::cache(fresh()) | pl::shuffle(2) | pl::repeat(2));
  op_laws(serial(40) | pl::map(square) | pl::cache(fresh()) | pl::batch(7));
  op_laws(serial(10) | pl::repeat(2) | pl::cache(fresh()) |
          pl::map([](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(9)); }));
}

TEST_CASE("cache on disk: a second run makes nothing") {
  const temp_folder at;
  for (const bool indexed : {true, false}) {
    const auto folder = at / (indexed ? "indexed" : "serial");
    const counting_map f;
    const auto check = [&](const auto& source) {
      const auto p = source | pl::map(f) | pl::cache(folder);
      const auto first = taken(p);
      CHECK(*f.made == 50);
      CHECK(taken(p) == first);
      CHECK(taken(p, 0) == first);
      CHECK(*f.made == 50);
      CHECK(taken(p | pl::skip(10), 2, 5) == std::vector(first.begin() + 10, first.begin() + 15));
      CHECK(*f.made == 50);
    };
    if (indexed)
      check(pl::range(50));
    else
      check(serial(50));
    for (const auto& file : files_in(folder)) CHECK(file.extension() == ".elements");
  }
}

TEST_CASE("cache on disk: an epoch that is left early keeps what it made") {
  const temp_folder at;
  const counting_map f;
  const auto p = pl::range(50) | pl::map(f) | pl::cache(at.path());
  CHECK(taken(p, 0, 20).size() == 20);
  const int made = *f.made;
  CHECK(made >= 20);
  CHECK(taken(p, 0).size() == 50);
  CHECK(*f.made == 50);
  const counting_map g;  // one after another, an epoch must be whole
  const auto q = serial(50) | pl::map(g) | pl::cache(at / "serial");
  CHECK(taken(q, 0, 20).size() == 20);
  CHECK(taken(q, 0).size() == 50);
  CHECK(taken(q, 0).size() == 50);
  CHECK(*g.made <= 50 + 20 + 32);
}

TEST_CASE("cache on disk: another pipeline is refused") {
  const temp_folder at;
  const auto folder = at.path();
  const auto f = [](std::int64_t x) { return x + 1; };
  const auto g = [](std::int64_t x) { return static_cast<double>(x); };
  CHECK(taken(pl::range(9) | pl::map(f) | pl::cache(folder)).size() == 9);
  CHECK_NOTHROW(pl::run(pl::range(9) | pl::map(f) | pl::cache(folder) | pl::batch(2)));
  CHECK_THROWS_WITH(pl::run(pl::range(10) | pl::map(f) | pl::cache(folder)), Contains("belongs to another pipeline") &&
                                                                                 Contains("range | map") &&
                                                                                 Contains("delete the folder"));
  CHECK_THROWS_AS(pl::run(pl::range(9) | pl::map(g) | pl::cache(folder)), std::invalid_argument);
  CHECK_THROWS_AS(pl::run(pl::range(9) | pl::map(f) | pl::cache(folder, {.version = 2})), std::invalid_argument);
  const auto named = at / "elements";
  CHECK(taken(pl::elements({1, 2, 3}) | pl::cache(named)).size() == 3);
  CHECK_THROWS_WITH(pl::run(pl::elements({1, 2, 4}) | pl::cache(named)), Contains("with other functions"));
  CHECK_THROWS_WITH(pl::run(pl::range(3) | pl::cache("")), Contains("the folder has no name"));
}

TEST_CASE("cache on disk: if it was filled from other files, the error says so") {
  const temp_folder at, kept, other;
  at.write("a.txt", "one\n");
  at.write("b.txt", "two\n");
  const auto name = [](const pl::file& f) { return f.path; };
  const auto p = [&](pl::cache_options how = {}) {
    return pl::files(at.path() + "/*.txt") | pl::map(name) | pl::cache(kept.path(), how);
  };
  const auto lines = [&] { return pl::lines(at.path() + "/*.txt") | pl::cache(other.path()); };
  CHECK(taken(p()).size() == 2);
  CHECK(taken(lines()).size() == 2);
  CHECK_NOTHROW(pl::run(p()));
  CHECK_THROWS_WITH(pl::run(p({.version = 2})), Contains("belongs to another pipeline: files | map, with other "));
  at.write("b.txt", "three\n");
  CHECK_THROWS_WITH(pl::run(p()), "plumbline: cache(\"" + kept.path() +
                                      "\") was filled from other files, by name or size; then files: 2 files, 8 "
                                      "bytes, and now files: 2 files, 10 bytes; delete the folder, and its elements "
                                      "are made again, or give these files a folder of their own");
  CHECK_THROWS_WITH(pl::run(lines()), Contains("lines: 2 files, 8 bytes, and now lines: 2 files, 10 bytes"));
  at.write("b.txt", "two\n");
  CHECK(taken(p()).size() == 2);
  at.write("c.txt", "");
  CHECK_THROWS_WITH(pl::run(p()), Contains("and now files: 3 files, 8 bytes"));
  CHECK_THROWS_WITH(pl::run(pl::files(at.path() + "/*.txt") | pl::map(name) |
                            pl::filter([](const auto& x) { return !x.empty(); }) | pl::cache(kept.path())),
                    Contains("belongs to another pipeline: files | map. This one is files | map | filter;"));
}

TEST_CASE("cache on disk: a damaged file is an error that names it") {
  const temp_folder at;
  const auto p = pl::range(50) | pl::map([](std::int64_t x) { return std::to_string(x); }) | pl::cache(at.path());
  const auto whole = taken(p);
  const auto file = files_in(at.path()).at(0);
  std::string bytes;
  {
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto with = [&](const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
    return taken(p);
  };
  int refused = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    auto other = bytes;
    other[i] = static_cast<char>(other[i] ^ 0x10);
    try {
      (void)with(other);
    } catch (const std::exception& e) {
      ++refused;
      const std::string what = e.what();
      CHECK((what.find(file.string()) != what.npos || what.find("another pipeline") != what.npos));
    }
  }
  CHECK(refused == static_cast<int>((bytes.size() + 6) / 7));
  for (std::size_t n = 0; n < bytes.size(); n += 97) CHECK_THROWS(with(bytes.substr(0, n)));
  CHECK(with(bytes) == whole);
}

TEST_CASE("cache on disk: processes that are killed, and several at once") {
  const temp_folder at;
  const auto folder = at.path();
  const auto p = pl::range(3000) | pl::map([](std::int64_t x) {
                   ::usleep(50);
                   return std::string(2000, static_cast<char>('a' + x % 26));
                 }) |
                 pl::cache(folder);
  const auto child = [&](std::size_t elements) {
    const auto id = ::fork();
    if (id == 0) {
      try {
        ::_exit(taken(p, 0, elements).size() == elements ? 0 : 1);
      } catch (...) {
        ::_exit(2);
      }
    }
    return id;
  };
  const auto killed = ::fork();  // while a file is being written
  if (killed == 0) {
    auto s = pl::run(p, {.threads = 0});
    for (int i = 0; i != 700; ++i) (void)s.next();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(killed, &status, 0) == killed);
  CHECK(WIFSIGNALED(status));
  std::size_t unfinished = 0;
  for (const auto& f : files_in(at.path())) unfinished += f.filename().string().starts_with(".unfinished") ? 1U : 0U;
  CHECK(unfinished == 1);

  const auto a = child(3000), b = child(3000), c = child(1500);
  for (const auto id : {a, b, c}) {
    REQUIRE(::waitpid(id, &status, 0) == id);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }
  for (const auto& f : files_in(at.path())) CHECK(f.extension() == ".elements");
  const auto all = taken(p);
  REQUIRE(all.size() == 3000);
  for (std::size_t i = 0; i != all.size(); ++i) CHECK(all[i] == std::string(2000, static_cast<char>('a' + i % 26)));
}

TEST_CASE("cache on disk: a process sees what others finish meanwhile") {
  const temp_folder at;
  const counting_map f;
  const auto p = pl::range(20) | pl::map(f) | pl::cache(at.path());
  auto waiting = pl::run(p, {.threads = 0});
  CHECK(waiting.next() == 0);
  CHECK(taken(p, 0).size() == 20);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const int before = *f.made;
  while (waiting.next()) {
  }
  CHECK(*f.made <= before + 1);
}

TEST_CASE("cache on disk: what is stated of a pipeline makes it another") {
  const temp_folder at;
  auto refused = [&, n = 0](const auto& p, const auto& other) mutable {
    const auto folder = at / std::to_string(n++);
    (void)taken(p | pl::cache(folder), 0);
    CHECK_NOTHROW(pl::run(p | pl::cache(folder)));
    CHECK_THROWS_AS(pl::run(other | pl::cache(folder)), std::invalid_argument);
  };
  const auto rows =
      pl::range(9) | pl::map([](std::int64_t x) { return std::vector<int>(static_cast<std::size_t>(x)); });
  refused(rows | pl::padded_batch(2, pl::pad(0)), rows | pl::padded_batch(2, pl::pad(-1)));
  const auto file = at.write("a.txt", "one\n\ntwo\n");
  refused(pl::lines(file), pl::lines(file, {.keep_empty = false}));
  struct add {
    std::int64_t what;
    std::int64_t operator()(std::int64_t x) const { return x + what; }
  };
  refused(pl::range(9) | pl::map(add{1}), pl::range(9) | pl::map(add{2}));
  const auto sum = [](std::int64_t s, std::int64_t x) { return std::pair(s + x, s + x); };
  refused(pl::range(4) | pl::scan(std::int64_t{0}, sum), pl::range(4) | pl::scan(std::int64_t{10}, sum));
  struct rest_of {
    std::int64_t m;
    std::int64_t operator()(std::int64_t x) const { return x % m; }
  };
  refused(pl::range(8) | pl::unique(rest_of{2}), pl::range(8) | pl::unique(rest_of{3}));
  refused(pl::range(8) | pl::group_by_window(rest_of{2}, 2), pl::range(8) | pl::group_by_window(rest_of{3}, 2));
  refused(rows | pl::bucket_by_length({.tokens = 9}, pl::pad(0)),
          rows | pl::bucket_by_length({.tokens = 9}, pl::pad(-1)));
  const auto samples = pl::elements(std::vector<sample>(3));
  refused(samples | pl::map(&sample::number), samples | pl::map(&sample::other));
  refused(samples | pl::sort_within(2, &sample::number), samples | pl::sort_within(2, &sample::other));
  struct scaled {  // one member that cannot be stored does not hide the others
    std::shared_ptr<std::mutex> unseen;
    std::shared_ptr<std::int64_t> by;
    std::int64_t operator()(std::int64_t x) const { return x * *by; }
  };
  const auto by = [](std::int64_t n) { return scaled{nullptr, std::make_shared<std::int64_t>(n)}; };
  refused(pl::range(9) | pl::map(by(1)), pl::range(9) | pl::map(by(2)));
  struct lookup {  // none of these can be stored
    std::map<std::string, std::unordered_map<std::int64_t, std::string_view>> table;
    std::filesystem::path file;
    std::chrono::milliseconds wait;
    std::variant<std::int64_t, std::string_view> choice;
    std::int64_t operator()(std::int64_t x) const { return x; }
  };
  const auto found = [](auto change) {
    lookup f{{{"a", {{1, "one"}, {2, "two"}}}}, "labels.txt", std::chrono::milliseconds(2), std::string_view("x")};
    change(f);
    return pl::range(9) | pl::map(f);
  };
  const auto as_it_is = found([](lookup&) {});
  refused(as_it_is, found([](lookup& f) { f.table["a"][2] = "zwei"; }));
  refused(as_it_is, found([](lookup& f) { f.table["b"]; }));
  refused(as_it_is, found([](lookup& f) { f.file = "other.txt"; }));
  refused(as_it_is, found([](lookup& f) { f.wait = std::chrono::milliseconds(3); }));
  refused(as_it_is, found([](lookup& f) { f.choice = std::string_view("y"); }));
  refused(as_it_is, found([](lookup& f) { f.choice = std::int64_t{0}; }));
  const auto text = [](std::string_view x) { return std::string(x); };
  refused(pl::elements({"a", "b"}) | pl::map(text), pl::elements({"a", "c"}) | pl::map(text));
  // what only changes indices does not: each element is known by its index
  const auto folder = at / "indices";
  CHECK(taken(pl::range(9) | pl::shard(3, 1) | pl::map(add{1}) | pl::cache(folder), 0) ==
        std::vector<std::int64_t>{2, 5, 8});
  CHECK(taken(pl::range(9) | pl::shuffle(1) | pl::map(add{1}) | pl::cache(folder) | pl::take(4), 0).size() == 4);
}

TEST_CASE("cache on disk: what hides its content is no part of a pipeline that is compared") {
  const auto seen = [](const auto& p) { return pl::detail::comparable_content<std::remove_cvref_t<decltype(p)>>; };
  const auto all = [](const auto&... x) { return pl::elements(std::vector{x...}); };
  CHECK(seen(all(1, 2)));
  CHECK(seen(all(std::string("a"))));
  CHECK(seen(all(json_like("a"))));  // by its codec
  CHECK(seen(all(std::variant<int, std::string>(1))));
  CHECK(seen(all(tree{})));
  CHECK_FALSE(seen(all(own_values())));
  CHECK_FALSE(seen(all(std::variant<int, own_values>(1))));
  CHECK_FALSE(seen(all(std::pair(1, std::vector<own_values>()))));
  CHECK_FALSE(seen(all(std::shared_ptr<float[]>())));
  struct hides {
    float by[3];
    float operator()(std::int64_t x) const { return by[0] * static_cast<float>(x); }
  };
  const auto hidden = pl::range(9) | pl::map(hides{{1, 2, 3}});
  CHECK_FALSE(seen(hidden));
  CHECK_FALSE(seen(pl::zip(pl::range(9), hidden)));
  // a function's may be private: that is its version's business
  CHECK(seen(pl::range(9) | pl::map([values = own_values()](std::int64_t x) { return x; })));
  struct with_own_values {
    own_values values;
    std::int64_t operator()(std::int64_t x) const { return x; }
  };
  const temp_folder at;
  CHECK(taken(pl::range(9) | pl::map(with_own_values{}) | pl::cache(at.path())).size() == 9);
  CHECK(pl::evaluate(pl::range(9) | pl::batch<3>() | pl::cache("unused") | pl::take(1)).size() == 1);
}

TEST_CASE("cache on disk: a child of fork leaves the parent's file alone") {
  const temp_folder at;
  const auto p = pl::range(100) | pl::map([](std::int64_t x) { return std::to_string(x); }) | pl::cache(at.path());
  {
    auto s = pl::run(p, {.threads = 0});
    for (int i = 0; i != 40; ++i) (void)s.next();
    const auto id = ::fork();
    if (id == 0) {
      int n = 40;
      while (s.next()) ++n;
      s = pl::any_stream<std::string>();
      ::_exit(n == 100 ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(id, &status, 0) == id);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    int n = 40;
    while (s.next()) ++n;
    CHECK(n == 100);
  }
  const auto all = taken(p);
  REQUIRE(all.size() == 100);
  for (std::size_t i = 0; i != all.size(); ++i) CHECK(all[i] == std::to_string(i));
}

TEST_CASE("cache on disk: more files than may be open, and a folder named from elsewhere") {
  const temp_folder at;
  const counting_map f;
  const auto p = pl::range(600) | pl::map(f) | pl::cache(at.path());
  for (std::size_t n = 2; n <= 600; n += 2) CHECK(taken(p | pl::skip(n - 2), 0, 2).size() == 2);  // each adds a file
  CHECK(files_in(at.path()).size() > 256);
  const int made = *f.made;
  std::size_t open = 0;
  auto s = pl::run(p, {.threads = 0});
  for (std::int64_t i = 0; i != 600; ++i) CHECK(s.next() == i * i);
  for (const auto& e : fs::directory_iterator("/proc/self/fd")) open += e.is_regular_file() ? 1U : 0U;
  CHECK(open < 300);
  CHECK(*f.made == made);
  // a file that is removed while it is used is made again
  for (const auto& file : files_in(at.path())) fs::remove(file);
  auto again = pl::run(p, {.threads = 0});
  while (again.next()) {
  }
  CHECK(*f.made > made);
}

TEST_CASE("cache on disk: a folder that cannot be made is an error; what is lost is made again") {
  CHECK_THROWS_AS(pl::run(pl::range(3) | pl::cache("/dev/null/cache")), pl::io_error);
  const temp_folder at;
  const auto p = serial(20) | pl::cache(at.path());
  CHECK(taken(p).size() == 20);
  for (const auto& f : files_in(at.path())) fs::remove(f);
  CHECK(taken(p).size() == 20);
  CHECK(taken(p).size() == 20);
}

TEST_CASE("cache on disk: a file that cannot be written frees its space at once") {
  const temp_folder at;
  const counting_map f;
  const auto p = pl::range(30) | pl::map(f) |
                 pl::map([](std::int64_t x) { return std::string(400'000, static_cast<char>('a' + x % 26)); }) |
                 pl::cache(at.path());
  const auto held = [&] {  // files in the folder, and removed ones that are still open
    auto n = files_in(at.path()).size();
    for (const auto& e : fs::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      n += fs::read_symlink(e.path(), gone).string().find(at.path() + "/.unfinished") == 0 ? 1U : 0U;
    }
    return n;
  };
  struct small_files {  // the same as a full disk
    rlimit before{};
    void (*handler)(int) = std::signal(SIGXFSZ, SIG_IGN);
    small_files() {
      ::getrlimit(RLIMIT_FSIZE, &before);
      const rlimit small{3'000'000, before.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &small);
    }
    ~small_files() {
      ::setrlimit(RLIMIT_FSIZE, &before);
      std::signal(SIGXFSZ, handler);
    }
  };
  auto s = pl::run(p, {.threads = 0});
  const auto epoch = [&] {
    const int before = *f.made;
    std::size_t n = 0;
    for (const auto& x : s) n += x.size() == 400'000 ? 1U : 0U;
    CHECK(n == 30);
    return *f.made - before;
  };
  {
    const small_files full;
    for (int i = 0; i != 2; ++i) {
      CHECK_THROWS_WITH(epoch(), Contains("cache cannot write"));
      CHECK(held() == 0);
      s.restart();
    }
  }
  CHECK(epoch() == 30);
  s.restart();
  CHECK(epoch() == 0);
  auto other = pl::any_stream<std::string>(std::move(s));
  other = pl::any_stream<std::string>();  // which finishes the file
  const int made = *f.made;
  CHECK(taken(p, 0).size() == 30);
  CHECK(*f.made == made);
}

TEST_CASE("cache on disk: a thread's buffer does not keep a large element's memory") {
  const temp_folder at;
  const auto large = [] { return pl::range(1) | pl::map([](std::int64_t) { return std::string(40'000'000, 'x'); }); };
  const auto epochs = [](const auto& p) {
    auto s = pl::run(p, {.threads = 0});
    for (int e = 0; e != 2; ++e)
      for (const auto& x : s) CHECK(x.size() == 40'000'000);
  };
  const auto before = allocated_bytes();
  epochs(large() | pl::cache(at / "by index"));
  CHECK(allocated_bytes() < before + 16'000'000);
}

TEST_CASE("cache(folder, share): only that share is written, and all that is there is read") {
  const temp_folder at;
  const counting_map f;
  const auto p = [&](double from, double to) {
    return pl::range(1000) | pl::shuffle(3) | pl::map(f) | pl::cache(at.path(), pl::share(from, to)) | pl::shuffle(1);
  };
  const auto held = [](double from, double to) {
    int n = 0;
    for (std::uint64_t i = 0; i != 1000; ++i) n += pl::share(from, to).holds(i) ? 1 : 0;
    return n;
  };
  op_laws(p(0, 0.3));
  const auto made = [&](auto&& q) {
    const int before = *f.made;
    CHECK(taken(q).size() == 1000);
    return *f.made - before;
  };
  CHECK(made(p(0, 0.3)) == 1000 - held(0, 0.3));  // as the laws have kept it
  CHECK(made(p(0.1, 0.5)) == 1000 - held(0, 0.3));
  CHECK(made(p(0, 0)) == 1000 - held(0, 0.5));
  const auto rows = pl::layout(p(0.25, 0.5));
  CHECK(rows[3].name == "cache(" + at.path() + ", 25 % to 50 %)");
  CHECK((rows[3].persists && !rows[3].replays && rows[3].keeps_share == 0.25));
  static_assert(!pl::share_cache_on_disk_op::accepts<decltype(serial(3))>);
}

TEST_CASE("cache of two levels: shares in memory and on disk, and a second run with other shares") {
  const temp_folder at;
  const counting_map f;
  const auto cache = [&](pl::share memory, pl::share disk, std::uint64_t most = ~std::uint64_t{0}) {
    return pl::detail::level_cache_op{{}, memory, disk, at.path(), most, 0};
  };
  const auto with = [&](const auto& op) {
    return pl::node<pl::detail::level_cache_op, decltype(pl::range(9) | pl::map(f))>(op, pl::range(1000) | pl::map(f)) |
           pl::shuffle(2);
  };
  const auto held = [](double to) {
    int n = 0;
    for (std::uint64_t i = 0; i != 1000; ++i) n += pl::share(to).holds(i) ? 1 : 0;
    return n;
  };
  const auto epoch = [&](auto& s) {
    const int before = *f.made;
    std::set<std::int64_t> all;
    for (const auto x : s) all.insert(x);
    CHECK(all.size() == 1000);
    return *f.made - before;
  };
  {
    auto s = pl::run(with(cache(pl::share(0.2), pl::share(0.2, 0.6))), {.threads = 2});
    CHECK(epoch(s) == 1000);
    CHECK(epoch(s) == 1000 - held(0.6));
  }
  {  // what was in memory is made again; what is on disk now belongs to memory, too, and stays there without the files
    auto s = pl::run(with(cache(pl::share(0.4), pl::share(0.6, 0.7))), {.threads = 2});
    CHECK(epoch(s) == 1000 - (held(0.6) - held(0.2)));
    for (const auto& file : files_in(at.path()))
      if (file.extension() == ".elements") fs::remove(file);
    const auto left = epoch(s);
    CHECK((left >= 1000 - held(0.7) && left <= 1000 - held(0.4)));
  }
  {  // nothing on disk: the folder is not used
    const temp_folder other;
    auto op = cache(pl::share(0.5), pl::share(0, 0));
    op.folder = other / "unused";
    auto s = pl::run(with(op), {.threads = 0});
    CHECK(epoch(s) == 1000);
    CHECK(epoch(s) == 1000 - held(0.5));
    CHECK(!fs::exists(op.folder));
  }
  {
    const temp_folder other;
    auto op = cache(pl::share(0, 0), pl::share(1), 20'000);
    op.folder = other.path();
    auto s = pl::run(with(op), {.threads = 2});
    CHECK(epoch(s) == 1000);
    const auto left = epoch(s);
    CHECK((left > 300 && left < 900));  // as 20 kB are full
    s.stop();
  }
}
