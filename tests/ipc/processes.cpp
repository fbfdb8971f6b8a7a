// cache(shared_memory) in several processes, some of which are killed.
#include <support/own_process.hpp>
#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>

#include <plumbline/ops/cache_in_shared_memory.hpp>
#include <plumbline/plumbline.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

using namespace plumbline_test;
namespace pl = plumbline;

namespace {

constexpr std::int64_t elements = 600;

pl::tensor<float> picture(std::int64_t i) {
  pl::tensor<float> t({static_cast<std::size_t>(10 + i % 30), 20}, static_cast<float>(i));
  t(3, 4) = static_cast<float>(i * i % 1001);
  return t;
}
// Each element is `step_us` long in the making.
auto pictures(const std::string& name, std::uint64_t bytes, std::uint64_t order, int step_us,
              std::shared_ptr<std::atomic<std::uint64_t>> made) {
  return pl::range(elements) | pl::shuffle(order) | pl::map([step_us, made](std::int64_t i) {
           made->fetch_add(1);
           if (step_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(step_us));
           return std::pair(i, picture(i));
         }) |
         pl::cache(pl::shared_memory(name), pl::bytes(bytes), {.version = 1});
}

}  // namespace

TEST_CASE("a process with a shared cache", "[.]") {
  const char* stated = std::getenv("PLUMBLINE_TEST_WORK");
  if (stated == nullptr) return;
  std::uint64_t bytes = 0, order = 0, epochs = 0;
  int step_us = 0;
  std::string name;
  std::istringstream in(stated);
  in >> bytes >> order >> epochs >> step_us;
  std::getline(in >> std::ws, name);
  std::ofstream out(std::getenv("PLUMBLINE_TEST_OUTPUT"));
  try {
    const auto made = std::make_shared<std::atomic<std::uint64_t>>(0);
    auto s = pl::run(pictures(name, bytes, order, step_us, made), {.threads = 2, .seed = order});
    for (std::uint64_t e = 0; e != epochs; ++e) {
      const auto before = made->load();
      std::uint64_t n = 0, wrong = 0;
      for (const auto& [i, t] : s) ++n, wrong += t == picture(i) ? 0 : 1;
      out << "epoch " << n << ' ' << wrong << ' ' << made->load() - before << std::endl;
    }
    out << "end" << std::endl;
  } catch (const std::exception& e) {
    out << "error " << e.what() << std::endl;
  }
}

namespace {

struct seen {
  std::vector<std::uint64_t> made{};  // by epoch
  bool ended = false;
};
seen result_of(const own_process& p) {
  seen all;
  for (const auto& line : p.lines()) {
    std::istringstream words(line);
    std::string kind;
    std::uint64_t n = 0, wrong = 0, made = 0;
    words >> kind >> n >> wrong >> made;
    if (kind == "error") FAIL(line);
    if (kind == "end") all.ended = true;
    if (kind != "epoch") continue;
    CHECK(n == elements);
    CHECK(wrong == 0);
    all.made.push_back(made);
  }
  return all;
}
own_process start(const std::string& name, std::uint64_t bytes, std::uint64_t order, std::uint64_t epochs, int step_us,
                  const std::string& output) {
  const auto work = std::to_string(bytes) + " " + std::to_string(order) + " " + std::to_string(epochs) + " " +
                    std::to_string(step_us) + " " + name;
  return own_process("a process with a shared cache", work, output);
}
constexpr std::uint64_t enough = 4 << 20;

}  // namespace

TEST_CASE("shared cache: what one process has made, the others find") {
  watchdog limit("processes with a shared cache");
  temp_folder folder;
  const auto name = own_name("found");
  const pl::detail::element_pool kept(name, enough);
  std::uint64_t made = 0;
  for (std::uint64_t k = 0; k != 3; ++k) {  // one after the other, each in an order of its own
    auto p = start(name, enough, k, 1, 0, folder / std::to_string(k));
    p.wait();
    const auto found = result_of(p);
    REQUIRE(found.ended);
    made += found.made[0];
  }
  CHECK(made == elements);
  CHECK(kept.counts().elements == elements);
}

TEST_CASE("shared cache: processes at the same time, and a limit that holds for all of them") {
  watchdog limit("processes with a shared cache");
  temp_folder folder;
  const auto name = own_name("limit");
  constexpr std::uint64_t most = 500'000;  // of 1.2 MB
  const pl::detail::element_pool kept(name, most);
  std::vector<own_process> all;
  for (std::uint64_t k = 0; k != 3; ++k) all.push_back(start(name, most, k, 6, 20, folder / std::to_string(k)));
  for (auto& p : all) p.wait();
  const auto counts = kept.counts();
  CHECK(counts.bytes <= most);
  CHECK(counts.bytes > most * 9 / 10);
  for (auto& p : all) {
    const auto found = result_of(p);
    CHECK(found.ended);
    // in its last epoch, too, it may make an element that a thread of the two others is keeping
    CHECK(found.made.back() >= elements - counts.elements);
    CHECK(found.made.back() <= elements - counts.elements + 4);
  }
}

TEST_CASE("shared cache: processes are killed at any moment, and the others go on") {
  watchdog limit("processes with a shared cache");
  temp_folder folder;
  pl::rng random(7);
  const int kills =
      std::getenv("PLUMBLINE_TEST_KILLS") != nullptr ? std::atoi(std::getenv("PLUMBLINE_TEST_KILLS")) : 25;
  int number = 0;
  std::uint64_t whole = 0, found = 0;
  const auto shm_before = names_in_dev_shm();
  for (int round = 0; round < kills; round += 5) {  // each with a new cache, so that it is often being filled
    const auto name = own_name("killed " + std::to_string(round));
    const auto one_more = [&] {
      const int n = number++;
      return start(name, enough, static_cast<std::uint64_t>(n), 100'000, 2000, folder / std::to_string(n));
    };
    std::vector<own_process> all, ended;
    for (int k = 0; k != 3; ++k) all.push_back(one_more());
    for (int k = 0; k != 5; ++k) {
      std::this_thread::sleep_for(std::chrono::microseconds(1000 + random.below(60'000)));
      auto& victim = all[random.below(all.size())];
      victim.signal(SIGKILL);
      victim.wait();
      ended.push_back(std::exchange(victim, one_more()));
    }
    // those that are left find whole epochs
    for (const auto& p : all)
      while (result_of(p).made.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    {
      const pl::detail::element_pool kept(name, enough);
      found += kept.counts().elements;
      CHECK(kept.counts().bytes <= enough);
      for (const auto& p : all) {  // what they share has no name, not even now
        CHECK(mapped(p.pid(), "/memfd:plumbline") > 0);
        CHECK(mapped(p.pid(), "/dev/shm/") == 0);
      }
    }
    for (auto& p : all) p.signal(SIGKILL), p.wait();
    for (auto& p : all) ended.push_back(std::move(p));
    for (const auto& p : ended) whole += result_of(p).made.size();
  }
  const auto said = std::to_string(kills) + " kills, " + std::to_string(whole) + " whole epochs, " +
                    std::to_string(found) + " elements kept at the end of rounds";
  if (std::getenv("PLUMBLINE_TEST_KILLS") != nullptr) WARN(said);
  INFO(said);
  CHECK(whole > 0);
  CHECK(found > 0);
  CHECK(names_in_use() == 0);
  CHECK(names_in_dev_shm() == shm_before);
}
