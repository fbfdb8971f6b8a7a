// The serial part at the beginning of a segment, by itself: how it fills a message.
#include <plumbline/exec/producer.hpp>
#include <plumbline/exec/tracing.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

namespace pl = plumbline;
namespace detail = plumbline::detail;

namespace {

constexpr std::size_t in_batch = 256;
struct pumped {
  std::size_t calls = 0, values = 0;
};

/// Batches of `in_batch` values of 8 bytes, from values that are always there.
struct batches {
  using element = std::vector<std::uint64_t>;
  static constexpr pl::cursor_traits traits{.prompt = true, .gathers = true};
  pumped* seen;

  void begin(std::uint64_t) {}
  void leave() {}
  template <class Io> void state(Io&) {}
  template <class Sink> pl::pump_result pump(Sink&& sink, std::size_t budget) {
    ++seen->calls;
    const auto before = seen->values / in_batch;
    seen->values += budget;
    for (auto made = before; made != seen->values / in_batch; ++made) sink(element(in_batch), pl::lineage{});
    return pl::pump_result::more;
  }
};

}  // namespace

// A message ends at 256 KiB. What it still had room for, in batches, was taken for a number of values: the last batch
// was filled value by value.
TEST_CASE("producer: a message of batches is filled by few calls") {
  const detail::run_flags flags{};
  detail::channel to(2, 0, true, &flags);
  detail::chunk_sizer size(1000);  // batches: more than fit
  const std::atomic<bool> stop{false};
  pumped seen;
  detail::cursor_producer<pl::tracing::off, batches, false> made({&seen}, &to, &size, {.elements = 1000}, &stop);
  to.on_credit([] {});
  to.begin(0);
  auto* m = made.acquire();
  REQUIRE(m != nullptr);
  REQUIRE(made.fill(*m));
  const auto n = m->load->size();
  CHECK(n >= 10);  // about 128; a message also ends once it took too long, as where the thread loses its core
  CHECK(n <= 132);
  CHECK(seen.calls < 300);  // about 40; the first ones are small, and are repeated where the thread loses its core
  m->load->recycle();
  m->load = nullptr;
  to.release(m);
}
