// The queue between segments, by itself: what a run shows only in rare orders of its threads.
#include <plumbline/exec/channel.hpp>

#include <support/watchdog.hpp>

#include <catch2/catch.hpp>

#include <functional>

namespace detail = plumbline::detail;

// In a run: stop() closes the channel while the consumer, which has just returned stale messages, notifies the
// producer.
TEST_CASE("channel: closed while a waiting consumer notifies the producer") {
  const plumbline_test::watchdog guard("a channel that is closed");
  const detail::run_flags flags{};
  for (const bool ordered : {true, false}) {
    for (const bool timed : {false, true}) {
      detail::channel c(2, 0, ordered, &flags);
      bool closes = false;
      c.on_credit([&] {
        if (closes) c.close();
      });
      c.begin(0);
      auto* stale = c.acquire();
      REQUIRE(stale != nullptr);
      stale->generation = c.wanted().generation;
      stale->sequence = c.next_sequence();
      c.begin(1);
      c.deposit(stale);
      closes = true;
      if (timed)
        CHECK(c.take_waiting(std::int64_t{1} << 62) == nullptr);
      else
        CHECK(c.take_waiting() == nullptr);
    }
  }
}
