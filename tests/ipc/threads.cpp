// element_pool: many threads of several users.
#include "pools.hpp"

#include <support/own_process.hpp>
#include <support/watchdog.hpp>

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

using namespace plumbline_test;

TEST_CASE("shared file: memory is reserved, however often signals interrupt it") {
  watchdog limit("memory that is reserved");
  const plumbline::detail::shared_file file("a test", std::size_t{16} << 20);
  struct sigaction ignore {};
  ignore.sa_handler = [](int) {};
  struct sigaction before {};
  REQUIRE(::sigaction(SIGUSR1, &ignore, &before) == 0);
  std::atomic<bool> done{false};
  const auto target = ::pthread_self();
  std::thread signals([&] {  // more often than a mebibyte takes
    while (!done) {
      ::pthread_kill(target, SIGUSR1);
      std::this_thread::sleep_for(std::chrono::microseconds(1));
    }
  });
  CHECK(file.reserve(0, file.size()));
  done = true;
  signals.join();
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("element_pool: many threads of several users; the limit holds, and each element is kept once") {
  watchdog limit("threads of pools");
  constexpr std::uint64_t n = 5000;
  const bool endless = GENERATE(false, true);  // then they are anywhere in a stream
  const std::uint64_t size = endless ? ~std::uint64_t{0} : n;
  for (const std::uint64_t most : {20'000U, 2'000'000U}) {
    CAPTURE(most, size);
    const auto name = own_name("threads " + std::to_string(most) + " " + std::to_string(size));
    element_pool pools[] = {{name, most}, {name, most}, {name, most}};
    const auto index = [&](std::uint64_t k) { return endless ? pl::hash_combine(2, k) >> k % 40 : k; };
    std::vector<std::thread> all;
    std::atomic<bool> wrong{false};
    for (auto& pool : pools)
      for (std::uint64_t t = 0; t != 3; ++t)
        all.emplace_back([&, t] {
          const auto in = pool.open(1, size);
          for (std::uint64_t k = 0; k != n; ++k) {
            const auto i = index((k * 7 + t * 1111) % n);
            const auto known = pool.find(in, i);
            const auto wanted = element(i);
            if (known && !std::equal(known->begin(), known->end(), wanted.begin(), wanted.end())) wrong = true;
            if (!known) pool.keep(in, i, wanted);
          }
        });
    for (auto& t : all) t.join();
    CHECK(!wrong);
    const auto in = pools[0].open(1, size);
    std::uint64_t kept = 0, bytes = 0;
    for (std::uint64_t k = 0; k != n; ++k)
      if (holds(pools[0], in, index(k))) ++kept, bytes += element(index(k)).size();
    const auto counts = pools[1].counts();
    CHECK(counts.elements == kept);
    CHECK(counts.bytes <= most);
    CHECK(kept > 50);
    if (most == 20'000) continue;
    CHECK(kept == n);
    // two threads may make a list's slot at once, and one of the two stays unused
    CHECK(counts.bytes < bytes + 31 * n + 10'000 + (endless ? 3 * 32 * n : 0));
  }
}
