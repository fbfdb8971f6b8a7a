// cache(servers): the elements are those of an uncached run, whatever happens to the servers.
#include <support/skip.hpp>

#include <catch2/catch.hpp>

#ifndef PLUMBLINE_HAS_MEMCACHED
TEST_CASE("cache on servers", "[host]") { plumbline_test::skip("cache(servers): libmemcached was not found"); }
#else

#include <plumbline/ext/memcached.hpp>

#include <plumbline/exec/run.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/report/explain.hpp>
#include <plumbline/sources.hpp>

#include <support/memcached_servers.hpp>
#include <support/memory_use.hpp>
#include <support/op_laws.hpp>
#include <support/pulled.hpp>
#include <support/watchdog.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

namespace plumbline_test {
// What is cached is the same in every epoch, so a cache does not change the elements.
template <class Up> auto pulled(const pl::node<pl::cache_on_servers_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}
}  // namespace plumbline_test

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

bool missing() {
  if (memcached_servers::available()) return false;
  skip("cache(servers): memcached is not installed");
  return true;
}
constexpr pl::server_options quick{.timeout = 10s, .retry = 300ms};
auto on(const memcached_servers& s, pl::server_options how = quick) {
  return pl::cache(pl::servers(s.addresses()), how);
}

// Counts how often elements are made: the text of the number, and so many bytes.
struct make_text {
  std::size_t size = 0;
  std::shared_ptr<std::atomic<int>> made = std::make_shared<std::atomic<int>>(0);
  std::string operator()(std::int64_t x) const {
    ++*made;
    return std::to_string(x) + std::string(size, static_cast<char>('a' + x % 26));
  }
};
constexpr auto square = [](std::int64_t x) { return x * x; };

// Runs an epoch, which must give the texts 0 to n - 1; returns how many were made. `at`, if there is one, is called
// before element n / 2.
template <class S, class F = decltype([] {})> int made_in_epoch(S& s, const make_text& f, std::int64_t n, F at = {}) {
  const int before = *f.made;
  std::int64_t i = 0;
  for (const auto& x : s) {
    if (i == n / 2) at();
    if (x != make_text{f.size}(i)) FAIL("element " << i << " is " << x.substr(0, 20));
    ++i;
  }
  CHECK(i == n);
  return *f.made - before;
}
// True if an epoch comes in which nothing is made. While one request tries a server that failed, others still miss it.
template <class S> bool recovers(S& s, const make_text& f, std::int64_t n) {
  for (int epoch = 0; epoch != 20; ++epoch)
    if (made_in_epoch(s, f, n) == 0) return true;
  return false;
}
template <class Cache> pl::server_counts sum_of(const Cache& c) {
  pl::server_counts all{};
  for (const auto& s : c.counts()) {
    all.found += s.found, all.missing += s.missing, all.damaged += s.damaged, all.kept += s.kept;
    all.refused += s.refused, all.failed += s.failed;
  }
  return all;
}

struct setting {
  std::size_t threads, size;
  std::int64_t n;
};
// A value as the group wants it, with room for the head of a piece.
std::vector<std::uint8_t> with_room(std::size_t n, std::uint8_t salt = 0) {
  std::vector<std::uint8_t> x(sizeof(pl::detail::piece_head), std::uint8_t{0});
  x.reserve(x.size() + n);
  for (std::size_t i = 0; i != n; ++i) x.push_back(static_cast<std::uint8_t>(i * i / 7 + salt));
  return x;
}
bool holds(const std::vector<std::uint8_t>& got, const std::vector<std::uint8_t>& sent) {
  return std::equal(got.begin(), got.end(), sent.begin() + sizeof(pl::detail::piece_head), sent.end());
}
auto group_of(const memcached_servers& s) {
  return std::make_unique<pl::detail::server_group>(pl::servers(s.addresses()).addresses(), 10s, 300ms);
}

sockaddr_in loopback(std::uint16_t port = 0) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  return at;
}

// Accepts connections on the loopback, calls serve(connection) after each, and closes all in the end.
template <class Serve> class listener {
 public:
  explicit listener(Serve serve) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    auto at = loopback();
    socklen_t size = sizeof at;
    REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&at), size) == 0);
    REQUIRE(::listen(socket_, 50) == 0);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size);
    address = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    thread_ = std::thread([this, serve = std::optional(std::move(serve))]() mutable {
      std::vector<int> open;
      for (int c = 0; (c = ::accept(socket_, nullptr, nullptr)) >= 0; (*serve)(c)) open.push_back(c);
      for (const int c : open) ::shutdown(c, SHUT_RDWR);
      serve.reset();  // its threads end
      for (const int c : open) ::close(c);
    });
  }
  ~listener() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  listener(const listener&) = delete;
  std::string address;

 private:
  int socket_;
  std::thread thread_;
};
// Replies to anything with the text, or with nothing if there is none; with `others`, once they have a connection too.
auto strange_server(std::string reply, std::latch* others = nullptr) {
  return listener([=](int c) {
    if (others != nullptr) others->arrive_and_wait();
    if (!reply.empty()) (void)::send(c, reply.data(), reply.size(), MSG_NOSIGNAL);
  });
}
// Passes on what clients and a server send. What the server sends is late, and in pieces.
auto slow_server(const std::string& server, std::chrono::milliseconds late) {
  const auto port = static_cast<std::uint16_t>(std::stoi(server.substr(server.rfind(':') + 1)));
  const auto pass_on = [](int from, int to, std::chrono::milliseconds after, std::size_t piece) {
    std::vector<char> bytes(1 << 16);
    for (ssize_t n = 0; (n = ::recv(from, bytes.data(), bytes.size(), 0)) > 0;) {
      std::this_thread::sleep_for(after);
      for (std::size_t sent = 0, all = static_cast<std::size_t>(n); sent != all;) {
        const auto m = ::send(to, bytes.data() + sent, std::min(piece, all - sent), MSG_NOSIGNAL);
        if (m <= 0) break;
        sent += static_cast<std::size_t>(m);
      }
    }
    ::shutdown(to, SHUT_RDWR);
  };
  struct passing {
    std::vector<int> sockets{};
    std::vector<std::thread> threads{};
    ~passing() {
      for (auto& t : threads) t.join();
      for (const int s : sockets) ::close(s);
    }
  };
  return listener([=, all = std::make_shared<passing>()](int c) {
    const int behind = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    all->sockets.push_back(behind);
    const auto at = loopback(port);
    if (::connect(behind, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return;
    ::setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    all->threads.emplace_back([=] { pass_on(c, behind, 0ms, 1 << 16); });
    all->threads.emplace_back([=] { pass_on(behind, c, late, 1000); });
  });
}

}  // namespace

TEST_CASE("cache on servers: laws", "[host]") {
  if (missing()) return;
  const memcached_servers at(2);
  std::vector<pl::cache_on_servers_op> used;
  const auto fresh = [&] {
    used.push_back(on(at, {.version = used.size(), .timeout = quick.timeout, .retry = quick.retry}));
    return used.back();
  };
  op_laws(pl::range(40) | fresh());
  op_laws(pl::range(40) | pl::map(square) | fresh() | pl::map(square));
  op_laws(pl::range(40) | pl::shuffle(1) | pl::map(square) | fresh() | pl::batch(7));
  op_laws(pl::range(40) | pl::map(square) | fresh() | pl::shuffle(2) | pl::repeat(2));
  op_laws(pl::range(40) | pl::map(square) | fresh() |
          pl::map([](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(9)); }));
  for (const auto& op : used) CHECK((sum_of(op).kept >= 40 && sum_of(op).failed == 0));
}

TEST_CASE("cache on servers: another epoch, run, process makes nothing", "[host]") {
  if (missing()) return;
  const memcached_servers at(3);
  const make_text f;
  const auto kept = on(at);
  const auto p = pl::range(300) | pl::map(f) | kept;
  auto s = pl::run(p, {.threads = 2});
  CHECK(made_in_epoch(s, f, 300) == 300);
  CHECK(made_in_epoch(s, f, 300) == 0);
  auto other = pl::run(pl::range(300) | pl::map(f) | on(at), {.threads = 0});
  CHECK(made_in_epoch(other, f, 300) == 0);
  const std::vector reversed(at.addresses().rbegin(), at.addresses().rend());
  auto listed = pl::run(pl::range(300) | pl::map(f) | pl::cache(pl::servers(reversed), quick), {.threads = 2});
  CHECK(made_in_epoch(listed, f, 300) == 0);
  auto shuffled = pl::run(pl::range(300) | pl::shuffle(4) | pl::map(f) | on(at), {.threads = 3});
  const int before = *f.made;
  std::size_t n = 0;
  for (const auto& x : shuffled) n += x.empty() ? 0 : 1;
  CHECK((n == 300 && *f.made == before));
  for (const auto& c : kept.counts()) {
    CHECK(c.found >= 20);  // each owns some
    CHECK((c.found == c.missing && c.kept == c.missing && c.failed == 0 && c.refused == 0));
  }
  CHECK_THAT(pl::explain(p).text, Contains("cache(3 servers) (operator 3):\nserver") && Contains(at.addresses()[1]) &&
                                      Contains("I/O threads: kept by index"));
  // a child of fork() does not use the parent's connections
  const auto child = ::fork();
  if (child == 0) {
    auto c = pl::run(p, {.threads = 0});
    ::_exit(made_in_epoch(c, f, 300) == 0 ? 0 : 1);
  }
  auto parent = pl::run(p, {.threads = 2});
  CHECK(made_in_epoch(parent, f, 300) == 0);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK(made_in_epoch(parent, f, 300) == 0);
  CHECK(sum_of(kept).failed == 0);
}

TEST_CASE("cache on servers: pipelines do not meet", "[host]") {
  if (missing()) return;
  const memcached_servers at(2);
  const auto made = [&](const auto& source, const auto& f, pl::server_options how = quick) {
    const auto kept = on(at, how);
    for (const auto& x : pl::run(source | pl::map(f) | kept, {.threads = 1})) (void)x;
    CHECK(sum_of(kept).failed == 0);
    return sum_of(kept).kept;
  };
  struct add {
    std::int64_t what;
    std::int64_t operator()(std::int64_t x) const { return x + what; }
  };
  CHECK(made(pl::range(9), add{1}) == 9);
  CHECK(made(pl::range(9), add{1}) == 0);
  CHECK(made(pl::range(9) | pl::shard(3, 1), add{1}) == 0);  // the same elements
  CHECK(made(pl::range(9), add{2}) == 9);
  CHECK(made(pl::range(8), add{1}) == 8);
  CHECK(made(pl::range(9), [](std::int64_t x) { return x + 1; }) == 9);
  CHECK(made(pl::range(9), add{1}, {.version = 1}) == 9);
  CHECK(made(pl::range(9), add{1}, {.version = 1}) == 0);
}

TEST_CASE("cache on servers: small elements are requested together", "[host]") {
  if (missing()) return;
  memcached_servers at(2);
  using pl::detail::looked_up;
  {
    const auto group = group_of(at);
    std::vector<std::string> keys;
    std::vector<std::vector<std::uint8_t>> sent;
    for (std::uint8_t i = 0; i != 20; ++i) {
      keys.push_back("key" + std::to_string(i));
      sent.push_back(with_room(i == 7 ? 600'000 : 100U + i, i));
      if (i % 3 != 0) group->keep(keys.back(), sent.back());
    }
    keys.push_back(keys[1]);
    sent.push_back(sent[1]);
    std::vector<looked_up> replies(keys.size());
    group->find_several(keys, replies);
    REQUIRE(replies.size() == 21);
    std::size_t found = 0;
    for (std::size_t i = 0; i != 20; ++i) {
      INFO(i);
      const auto want = i % 3 == 0 ? looked_up::missing : i == 7 ? looked_up::unknown : looked_up::found;  // 7: pieces
      CHECK(replies[i].state == want);
      if (want == looked_up::found) CHECK(holds(replies[i].bytes, sent[i]));
      found += want == looked_up::found ? 1 : 0;
    }
    std::uint64_t counted = 0, missed = 0;
    for (const auto& c : group->counts()) counted += c.found, missed += c.missing;
    CHECK((counted >= found && counted <= found + 1 && missed >= 7 && missed <= 8));
    // what a server has that does not answer is missing; it is asked once
    at.signal(0, SIGKILL);
    const pl::detail::key_owners owners(pl::servers(at.addresses()).addresses());
    const auto is_dead = [&](const std::string& key) { return owners.owner(key) == 0; };
    for (const bool again : {false, true}) {
      group->find_several(keys, replies);
      for (std::size_t i = 0; i != keys.size(); ++i) {
        INFO(i);
        CHECK((replies[i].state == looked_up::missing) == (is_dead(keys[i]) || (i < 20 && i % 3 == 0)));
      }
      const auto dead = group->counts().at(0);
      CHECK(dead.failed == 1);
      CHECK(dead.not_asked ==
            (again ? static_cast<std::uint64_t>(std::count_if(keys.begin(), keys.end(), is_dead)) : 0));
    }
    at.restart(0);
  }
  // what was requested is used, though the servers lose it then
  const auto kept = on(at);
  const auto store = kept.open_store<std::string>(100, {});
  CHECK(store->at_once() == 1);  // sizes are not known
  for (std::uint64_t i = 0; i != 100; ++i) store->keep(i, std::to_string(i) + std::string(10'000, 'x'));
  CHECK(store->at_once() == 32);
  const std::vector<std::uint64_t> some{3, 50, 4, 99, 3};
  const auto behind = kept.open_store<std::string>(100, {});  // of the same thread and type
  store->ask_ahead(some);
  behind->ask_ahead(std::vector<std::uint64_t>{60, 61});
  CHECK((!store->lacks(50) && !behind->lacks(60)));
  for (const std::size_t s : {0U, 1U}) {
    at.signal(s, SIGKILL);
    at.restart(s);
  }
  for (const auto i : {3, 50, 4, 99}) {
    const auto x = store->find(static_cast<std::uint64_t>(i));
    REQUIRE(x);
    CHECK(*x == std::to_string(i) + std::string(10'000, 'x'));
  }
  CHECK(behind->find(61) == std::to_string(61) + std::string(10'000, 'x'));
  CHECK(!store->find(3));  // used up
  CHECK(!store->find(5));
  store->ask_ahead(some);
  CHECK((store->lacks(50) && !store->lacks(7)));
  CHECK(!store->find(50));
  store->keep(1, std::string(1'000'000, 'x'));
  CHECK(store->at_once() == 1);
  // whole epochs in messages of many elements, with repetitions within a message
  const make_text f{1000};
  auto s = pl::run(pl::range(200) | pl::shuffle(3) | pl::map(f) | on(at), {.threads = 2, .chunk = 64});
  std::set<std::string> made;
  for (int epoch = 0; epoch != 3; ++epoch) {
    for (const auto& x : s) made.insert(x);
    CHECK(made.size() == 200);
    s.restart();
  }
  CHECK(*f.made == 200);
  auto twice =
      pl::run(pl::range(5) | pl::shuffle(3) | pl::repeat(20) | pl::map(f) | on(at), {.threads = 2, .chunk = 64});
  for (int epoch = 0; epoch != 2; ++epoch) {
    const int before = *f.made;
    std::size_t n = 0;
    for (const auto& x : twice) n += x.empty() ? 0 : 1;
    CHECK(n == 100);
    if (epoch == 1) CHECK(*f.made == before);
    twice.restart();
  }
}

TEST_CASE("cache on servers: behind a cache in memory", "[host]") {
  if (missing()) return;
  const memcached_servers at(2);
  const make_text f{100};
  const auto p = [&](const auto& kept) {
    return pl::range(300) | pl::map(f) | kept | pl::map([](std::string&& x) { return x + "."; }) |
           pl::cache(pl::bytes(15'000)) | pl::map([](std::string&& x) { return x.substr(0, x.size() - 1); });
  };
  const auto kept = on(at);
  auto first = pl::run(p(kept), {.threads = 2, .chunk = 64});
  CHECK(made_in_epoch(first, f, 300) == 300);
  CHECK(made_in_epoch(first, f, 300) == 0);
  const auto own = on(at);  // of another process
  auto s = pl::run(p(own), {.threads = 2, .chunk = 64});
  CHECK(made_in_epoch(s, f, 300) == 0);
  CHECK(sum_of(own).found == 300);
  CHECK(made_in_epoch(s, f, 300) == 0);
  const auto found = sum_of(own).found - 300;
  CHECK((found > 150 && found < 250));  // what does not fit in memory, of about 140 bytes each
}

TEST_CASE("cache on servers: large elements are kept in pieces", "[host]") {
  if (missing()) return;
  const memcached_servers at(2, 200);
  constexpr auto piece = pl::detail::piece_bytes;
  const auto group = group_of(at), reader = group_of(at);
  std::vector<std::uint8_t> got;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, piece - 1, piece, piece + 1, 2 * piece, 5 * piece + 3,
                              16 * piece, 17 * piece, 18 * piece + 1}) {
    INFO(n << " bytes");
    auto sent = with_room(n);
    const auto copy = sent;
    const auto name = "size" + std::to_string(n);
    CHECK_FALSE(group->find(name, got));
    group->keep(name, sent);
    CHECK(sent.size() == copy.size());
    CHECK(reader->find(name, got));
    CHECK(holds(got, copy));
  }
  const make_text f{3'000'000};
  const auto kept = on(at);
  auto s = pl::run(pl::range(12) | pl::map(f) | kept, {.threads = 2});
  CHECK(made_in_epoch(s, f, 12) == 12);
  CHECK(made_in_epoch(s, f, 12) == 0);
}

TEST_CASE("cache on servers: servers own equal parts, and one more takes its part from each") {
  constexpr std::size_t n = 20'000;
  const auto owners = [](const std::vector<std::string>& addresses) {
    const pl::detail::key_owners c(pl::servers(addresses).addresses());
    std::vector<std::string> owner;
    for (std::size_t i = 0; i != n; ++i) owner.push_back(addresses[c.owner("key:" + std::to_string(i))]);
    return owner;
  };
  std::vector<std::string> addresses{"a:1"};
  auto before = owners(addresses);
  for (const auto* fresh : {"b:1", "10.0.0.3:11211", "[::1]:5", "a:2", "b:2"}) {
    addresses.insert(addresses.begin(), fresh);  // the order does not count
    const auto after = owners(addresses);
    std::map<std::string, std::size_t> owned;
    std::size_t moved_elsewhere = 0;
    for (std::size_t i = 0; i != n; ++i) {
      ++owned[after[i]];
      moved_elsewhere += after[i] != before[i] && after[i] != fresh ? 1 : 0;
    }
    CHECK(moved_elsewhere == 0);
    for (const auto& a : addresses) {
      const double part = static_cast<double>(n) / static_cast<double>(addresses.size());
      CHECK(static_cast<double>(owned[a]) == Approx(part).margin(5 * std::sqrt(part)));
    }
    before = after;
  }
}

TEST_CASE("cache on servers: what is damaged is not found", "[host]") {
  if (missing()) return;
  const memcached_servers at(1);
  const auto group = group_of(at);
  pl::detail::memcached_client raw(pl::servers(at.addresses()).addresses().at(0), 10s);
  std::vector<std::uint8_t> got, value;
  const auto read = [&](const std::string& key) {
    std::vector<std::uint8_t> out;
    const std::string keys[] = {key};
    CHECK(raw.get(keys, [&](auto, auto v) { out.assign(v.begin(), v.end()); }) == pl::detail::reply::done);
    return out;
  };
  const auto refused = [&](const std::string& of, const std::string& key, const std::vector<std::uint8_t>& other) {
    REQUIRE(raw.set(key, other) == pl::detail::reply::done);
    const auto before = group->counts().at(0).damaged;
    CHECK_FALSE(group->find(of, got));
    CHECK(group->counts().at(0).damaged == before + 1);
  };
  auto small = with_room(200), large = with_room(3 * pl::detail::piece_bytes - 5),
       other = with_room(3 * pl::detail::piece_bytes - 5, 1);
  group->keep("small", small);
  value = read("small");
  REQUIRE(value.size() == small.size());
  for (std::size_t i = 0; i != value.size(); ++i) {  // any byte, any end
    auto bad = value;
    bad[i] = static_cast<std::uint8_t>(bad[i] ^ 0x20U);
    refused("small", "small", bad);
    refused("small", "small", {value.begin(), value.begin() + static_cast<std::ptrdiff_t>(i)});
  }
  refused("another", "another", value);  // of another key
  auto longer = value;
  longer.push_back(0);
  refused("small", "small", longer);
  CHECK(raw.set("small", value) == pl::detail::reply::done);
  CHECK(group->find("small", got));

  group->keep("large", large);
  group->keep("other", other);
  const std::vector pieces{read("large"), read("large.1"), read("large.2")};
  for (std::size_t k = 0; k != 3; ++k) {
    const auto name = k == 0 ? std::string("large") : "large." + std::to_string(k);
    INFO(name);
    refused("large", name, {});
    refused("large", name, read(k == 0 ? std::string("other") : "other." + std::to_string(k)));
    refused("large", name, pieces[(k + 1) % 3]);
    auto bad = pieces[k];
    bad.back() ^= 1U;
    refused("large", name, bad);
    CHECK(raw.set(name, pieces[k]) == pl::detail::reply::done);
    CHECK(group->find("large", got));
  }
  CHECK(raw.remove("large.1") == pl::detail::reply::done);
  CHECK_FALSE(group->find("large", got));
  group->keep("large", large);  // as the next epoch does
  CHECK(group->find("large", got));
  CHECK(group->counts().at(0).failed == 0);

  // a sound value of another type
  const auto op = on(at);
  const pl::replay_context cx{};
  op.open_store<std::string>(9, cx)->keep(3, "text");
  CHECK_FALSE(op.open_store<std::vector<std::string>>(9, cx)->find(3).has_value());
  CHECK(op.open_store<std::string>(9, cx)->find(3) == "text");
  CHECK((op.counts().at(0).damaged == 1 && op.counts().at(0).found == 1));
}

TEST_CASE("cache on servers: several are asked at the same time", "[host]") {
  if (missing()) return;
  const watchdog guard("cache on servers: asked at the same time");
  std::latch all_asked(3);
  const auto a = strange_server("END\r\n", &all_asked), b = strange_server("END\r\n", &all_asked),
             c = strange_server("END\r\n", &all_asked);
  pl::detail::server_group group(pl::servers{a.address, b.address, c.address}.addresses(), 2s, 300ms);
  std::vector<std::string> keys;
  for (int i = 0; i != 50; ++i) keys.push_back("key" + std::to_string(i));
  std::vector<pl::detail::looked_up> replies(keys.size());
  group.find_several(keys, replies);  // asked one after the other, the first would never reply
  for (const auto& r : replies) CHECK(r.state == pl::detail::looked_up::missing);
  for (const auto& s : group.counts()) CHECK((s.missing > 0 && s.failed == 0));
}

TEST_CASE("cache on servers: copies that are stored at once are never mixed", "[host]") {
  if (missing()) return;
  const memcached_servers at(1);
  const watchdog guard("cache on servers: stored at once");
  constexpr std::size_t size = 3 * pl::detail::piece_bytes;
  std::atomic<int> found{0}, wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      const auto group = group_of(at);  // as a process of its own
      std::vector<std::uint8_t> got;
      for (int i = 0; i != 60; ++i) {
        if (t < 2) {
          auto mine = with_room(size);
          std::fill(mine.begin() + sizeof(pl::detail::piece_head), mine.end(), static_cast<std::uint8_t>('a' + t));
          group->keep("same", mine);
        } else if (group->find("same", got)) {
          ++found;
          wrong += got.size() == size && std::count(got.begin(), got.end(), got[0]) == static_cast<long>(size) ? 0 : 1;
        }
      }
    });
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  INFO(found << " found");
}

TEST_CASE("cache on servers: servers that die, stop and come back", "[host]") {
  if (missing()) return;
  const watchdog guard("cache on servers: servers that die");
  memcached_servers at(3);
  for (const auto& [threads, size, n] : {setting{0, 2000, 400}, {2, 2000, 400}, {2, 1'200'000, 60}}) {
    INFO(threads << " threads, elements of " << size << " bytes");
    const make_text f{size};
    const auto kept = on(at, {.version = threads, .timeout = 3s, .retry = 300ms});
    auto s = pl::run(pl::range(n) | pl::map(f) | kept, {.threads = threads});
    CHECK(made_in_epoch(s, f, n, [&] { at.signal(0, SIGKILL); }) == n);  // while it is filled
    CHECK(made_in_epoch(s, f, n) < n);
    for (const std::size_t k : {0U, 1U, 2U}) CHECK((kept.counts().at(k).failed > 0) == (k == 0));
    at.restart(0);
    std::this_thread::sleep_for(400ms);
    CHECK(recovers(s, f, n));
    CHECK(made_in_epoch(s, f, n, [&] { at.signal(1, SIGSTOP); }) < n);  // while it is read
    CHECK(made_in_epoch(s, f, n) < n);
    CHECK(sum_of(kept).failed > 0);
    at.signal(1, SIGCONT);
    std::this_thread::sleep_for(400ms);
    CHECK(recovers(s, f, n));
    // restarted between two requests: nothing fails, as it is asked once more
    at.signal(2, SIGKILL);
    at.restart(2);
    const auto failed = kept.counts().at(2).failed;
    CHECK(made_in_epoch(s, f, n) > 0);
    CHECK(made_in_epoch(s, f, n) == 0);
    CHECK(kept.counts().at(2).failed == failed);
    // restarted while it is read: what it had is made again
    CHECK(made_in_epoch(s, f, n, [&] { at.signal(2, SIGKILL), at.restart(2); }) < n);
    std::this_thread::sleep_for(400ms);
    CHECK(recovers(s, f, n));
  }
}

TEST_CASE("cache on servers: a slow server costs only time", "[host]") {
  if (missing()) return;
  const watchdog guard("cache on servers: a slow server");
  const memcached_servers at(2);
  const auto& addresses = at.addresses();
  const auto slow = slow_server(addresses.at(1), 20ms);
  for (const auto& [threads, size, n] : {setting{0, 2000, 100}, {2, 2500, 400}, {2, 1'200'000, 20}}) {
    INFO(threads << " threads, elements of " << size << " bytes");
    const make_text f{size};
    const auto kept =
        pl::cache(pl::servers{addresses.at(0), slow.address}, {.version = size, .timeout = 3s, .retry = 300ms});
    auto s = pl::run(pl::range(n) | pl::map(f) | kept, {.threads = threads});
    CHECK(made_in_epoch(s, f, n) == n);
    CHECK(made_in_epoch(s, f, n) == 0);
    for (const auto& one : kept.counts()) CHECK((one.failed == 0 && one.found > 0 && one.not_asked == 0));
  }
}

TEST_CASE("cache on servers: no server, or none of memcached's", "[host]") {
  if (missing()) return;
  const watchdog guard("cache on servers: no server");
  const auto mute = strange_server(""), other = strange_server("HTTP/1.1 400 Bad Request\r\n\r\n");
  for (const auto& address :
       {mute.address, other.address, std::string("127.0.0.1:1"), std::string("no-such-host.invalid:1")}) {
    INFO(address);
    const make_text f;
    const auto kept = pl::cache(pl::servers{address}, {.timeout = 100ms, .retry = 10s});
    const auto p = pl::range(100) | pl::map(f) | kept;
    auto s = pl::run(p, {.threads = 2});
    CHECK(made_in_epoch(s, f, 100) == 100);
    CHECK(made_in_epoch(s, f, 100) == 100);
    const auto c = kept.counts().at(0);
    CHECK((c.failed >= 1 && c.found == 0 && c.down && !c.problem.empty()));
    CHECK(c.not_asked >= 100);  // the second epoch did not wait for it
    CHECK_THAT(pl::explain(p).text, Contains("down: " + c.problem));
  }
}

TEST_CASE("cache on servers: a full server", "[host]") {
  if (missing()) return;
  const watchdog guard("cache on servers: a full server");
  memcached_servers at(2, 8);
  for (const std::size_t size : {100'000U, 1'500'000U}) {  // the larger ones are in pieces
    const auto n = static_cast<std::int64_t>(40'000'000 / size);
    const make_text f{size};
    const auto kept = on(at, {.timeout = 10s, .retry = 1ms});
    auto s = pl::run(pl::range(n) | pl::map(f) | kept, {.threads = 2});
    CHECK(made_in_epoch(s, f, n) == n);
    const int made = made_in_epoch(s, f, n);
    CHECK(made < n);
    CHECK(made > 0);
    CHECK(made_in_epoch(s, f, n) <= made);  // nothing is evicted
    const auto c = sum_of(kept);
    CHECK((c.refused > 0 && c.failed == 0 && c.damaged == 0 && c.found > 0));
    for (const std::size_t server : {0U, 1U}) at.signal(server, SIGKILL);
    at.restart(0);
    at.restart(1);
  }
}

TEST_CASE("cache on servers: a server without room for a large element is sent smaller ones", "[host]") {
  if (missing()) return;
  const memcached_servers at(1, 8);
  pl::detail::server_group group(pl::servers(at.addresses()).addresses(), 10s, 1h);
  auto small = with_room(100), large = with_room(300'000);
  for (int i = 0; group.counts()[0].refused == 0; ++i) {
    group.keep("large" + std::to_string(i), large);
    REQUIRE(i < 100);
  }
  const auto kept = group.counts()[0].kept;
  group.keep("small", small);
  CHECK(group.counts()[0].kept == kept + 1);
  group.keep("one more", large);
  CHECK(group.counts()[0].refused == 2);
}

TEST_CASE("cache on servers: a thread's buffer does not keep a large element's memory", "[host]") {
  if (missing()) return;
  const memcached_servers at(1, 128);
  pl::detail::server_store<std::string> store(group_of(at), "large");
  const std::string large(40'000'000, 'x');
  auto before = allocated_bytes();
  store.keep(1, large);
  CHECK(allocated_bytes() < before + 16'000'000);
  before = allocated_bytes();
  CHECK(store.find(1) == large);
  CHECK(allocated_bytes() < before + 16'000'000);
}

TEST_CASE("cache on servers: while a failure is written to stderr, others are not held up", "[host]") {
  const int before = ::dup(STDERR_FILENO);
  std::array<int, 2> full{};
  REQUIRE(::pipe2(full.data(), O_CLOEXEC | O_NONBLOCK) == 0);
  const std::array<char, 4096> page{};
  while (::write(full[1], page.data(), page.size()) > 0) continue;
  ::fcntl(full[1], F_SETFL, 0);  // what is written now waits until the pipe is read
  ::dup2(full[1], STDERR_FILENO);
  pl::detail::server_group group(pl::servers{"127.0.0.1:1"}.addresses(), 10s, 1h);
  std::jthread writes([&] {
    std::vector<std::uint8_t> to;
    (void)group.find("key", to);
  });
  std::promise<void> seen;
  std::jthread looks([&] {
    for (int i = 0; i != 60'000 && group.counts()[0].failed == 0; ++i) std::this_thread::sleep_for(1ms);
    seen.set_value();
  });
  const auto was = seen.get_future().wait_for(30s);
  ::close(full[1]);
  std::string text(std::size_t{1} << 20, '\0');
  std::size_t n = 0;  // whatever comes, so that the thread goes on
  while (text.find("127.0.0.1:1: ") == text.npos && n < text.size()) {
    pollfd there{full[0], POLLIN, 0};
    if (::poll(&there, 1, 30'000) <= 0) break;
    const auto got = ::read(full[0], text.data() + n, text.size() - n);
    if (got > 0) n += static_cast<std::size_t>(got);
    if (got == 0) break;
  }
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  CHECK(was == std::future_status::ready);
  CHECK_THAT(text, Contains("plumbline: cache(servers): 127.0.0.1:1: "));
  writes.join();
  looks.join();
  ::close(full[0]);
}

TEST_CASE("cache on servers: options that mean nothing", "[host]") {
  CHECK_THROWS_WITH(pl::cache(pl::servers{"a"}, {.timeout = 0ms}), Contains("timeout must be from 1 ms"));
  for (const auto retry : {-1ms, 0ms, std::chrono::milliseconds::max()})
    CHECK_THROWS_WITH(pl::cache(pl::servers{"a"}, {.retry = retry}), Contains("retry from 1 ms to a year"));
}

#endif
