// Code written by hand, without a library: plain loops over vectors; with two threads, std::thread with an atomic
// counter and a ring of results that the consumer takes in order.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <utility>

#include "framework/question.hpp"

using namespace framework;

namespace {

using batch = std::vector<element>;

/// Collects elements into batches and passes them to the consumer.
struct batcher {
  std::uint64_t total = 0;
  batch open{};
  void operator()(element x) {
    if (open.empty()) open.reserve(batch_size);
    open.push_back(x);
    if (open.size() == batch_size) hand_on();
  }
  std::uint64_t finish() {
    if (!open.empty()) hand_on();
    return total;
  }

 private:
  void hand_on() {
    const batch full = std::exchange(open, {});
    total += sum(full);
  }
};

/// Calls f(first, last) -> vector for each chunk of [0, n) on `threads` threads, and `use` with the vectors in order on
/// the calling thread.
template <class F, class Use>
void ordered_chunks(element n, element chunk, std::size_t threads, const F& f, const Use& use) {
  struct slot {
    std::vector<element> made{};
    bool full = false;
  };
  const element chunks = (n + chunk - 1) / chunk;
  std::vector<slot> ring(2 * threads + 2);
  const auto size = static_cast<element>(ring.size());
  std::mutex mutex;
  std::condition_variable made, taken;
  element used = 0;
  std::atomic<element> next{0};
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      for (element c; (c = next.fetch_add(1)) < chunks;) {
        {
          std::unique_lock lock(mutex);
          taken.wait(lock, [&] { return c < used + size; });
        }
        auto result = f(c * chunk, std::min(n, (c + 1) * chunk));
        {
          const std::scoped_lock lock(mutex);
          ring[static_cast<std::size_t>(c % size)] = {std::move(result), true};
        }
        made.notify_one();
      }
    });
  }
  for (element c = 0; c < chunks; ++c) {
    std::vector<element> got;
    {
      auto& s = ring[static_cast<std::size_t>(c % size)];
      std::unique_lock lock(mutex);
      made.wait(lock, [&] { return s.full; });
      got = std::move(s.made);
      s.full = false;
      ++used;
    }
    taken.notify_all();
    use(std::move(got));
  }
  for (auto& w : workers) w.join();
}

std::uint64_t chain_alone() {
  const add a;
  const multiply m;
  const flip f;
  const subtract s;
  const keep k;
  batcher out;
  for (element i = 0; i < now().elements; ++i) {
    const element x = s(f(m(a(i))));
    if (k(x)) out(x);
  }
  return out.finish();
}
std::uint64_t chain_threads(std::size_t threads) {
  const add a;
  const multiply m;
  const flip f;
  const subtract s;
  const keep k;
  batcher out;
  ordered_chunks(
      now().elements, 4096, threads,
      [&](element first, element last) {
        std::vector<element> made;
        made.reserve(static_cast<std::size_t>(last - first));
        for (element i = first; i < last; ++i) {
          const element x = s(f(m(a(i))));
          if (k(x)) made.push_back(x);
        }
        return made;
      },
      [&](const std::vector<element>& made) {
        for (const element x : made) out(x);
      });
  return out.finish();
}
std::uint64_t slow_alone() {
  batcher out;
  for (element i = 0; i < now().slow_elements; ++i) out(work(i));
  return out.finish();
}
std::uint64_t slow_threads(std::size_t threads) {
  std::uint64_t total = 0;
  ordered_chunks(
      now().slow_elements, batch_size, threads,
      [](element first, element last) {
        std::vector<element> made;
        made.reserve(batch_size);
        for (element i = first; i < last; ++i) made.push_back(work(i));
        return made;
      },
      [&](const std::vector<element>& made) { total += sum(made); });
  return total;
}

std::uint64_t range_batch() {
  batcher out;
  for (element i = 0; i < now().elements; ++i) out(i);
  return out.finish();
}
std::uint64_t one_by_one() {
  const add a;
  std::uint64_t total = 0;
  for (element i = 0; i < now().elements; ++i) total += static_cast<std::uint64_t>(a(i));
  return total;
}
std::uint64_t filters() {
  const keep_all k;
  batcher out;
  element left = now().elements;
  for (element i = 0; i < now().elements && left != 0; ++i) {
    if (!k(i)) continue;
    --left;
    if (k(i)) out(i);
  }
  return out.finish();
}
std::uint64_t half() {
  const keep_half k;
  batcher out;
  for (element i = 0; i < now().elements; ++i)
    if (k(i)) out(i);
  return out.finish();
}
std::uint64_t shuffle_buffer() {
  std::mt19937_64 random(1);
  std::vector<element> held;
  batcher out;
  for (element i = 0; i < now().elements; ++i) {
    if (held.size() < 10'000) {
      held.push_back(i);
    } else {
      auto& slot = held[std::uniform_int_distribution<std::size_t>(0, held.size() - 1)(random)];
      out(slot);
      slot = i;
    }
  }
  std::shuffle(held.begin(), held.end(), random);
  for (const element x : held) out(x);
  return out.finish();
}
std::uint64_t shuffle_all() {
  std::vector<element> order(static_cast<std::size_t>(now().elements));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  batcher out;
  for (const element x : order) out(x);
  return out.finish();
}
std::uint64_t repeat() {
  batcher out;
  for (int round = 0; round < 64; ++round)
    for (element i = 0; i < now().elements / 64; ++i) out(i);
  return out.finish();
}
std::uint64_t repeat_filtered() {
  const keep_all k;
  batcher out;
  for (int round = 0; round < 64; ++round)
    for (element i = 0; i < now().elements / 64; ++i)
      if (k(i)) out(i);
  return out.finish();
}
std::uint64_t zip() {
  batcher out;
  for (element i = 0, j = 0; i < now().elements; ++i, ++j) out(i + j);
  return out.finish();
}
std::uint64_t zip_filtered() {
  const keep_all k;
  batcher out;
  element i = 0, j = 0;
  for (const element n = now().elements;;) {
    while (i < n && !k(i)) ++i;
    while (j < n && !k(j)) ++j;
    if (i >= n || j >= n) break;
    out(i++ + j++);
  }
  return out.finish();
}
std::uint64_t interleave() {
  struct open_stream {
    element at, end;
  };
  batcher out;
  const element streams = now().elements / 1000;
  element next = 0;
  std::vector<open_stream> open;
  for (; next < std::min<element>(4, streams); ++next) open.push_back({next, next + 1000});
  for (std::size_t k = 0; !open.empty();) {
    auto& s = open[k];
    if (s.at != s.end) {
      out(s.at++);
      k = (k + 1) % open.size();
    } else if (next < streams) {
      s = {next, next + 1000};
      ++next;
    } else {
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(k));
      if (k == open.size()) k = 0;
    }
  }
  return out.finish();
}

const bool entered = enter({
    {task::chain, "by hand, 1 thread", chain_alone},
    {task::chain, "by hand, 2 threads", [] { return chain_threads(2); }},
    {task::slow, "by hand, 1 thread", slow_alone},
    {task::slow, "by hand, 2 threads", [] { return slow_threads(2); }},
    {task::batch, "by hand", range_batch},
    {task::half, "by hand", half},
    {task::one_by_one, "by hand", one_by_one},
    {task::serial, "by hand", filters},
    {task::shuffle_buffer, "by hand, std::mt19937_64", shuffle_buffer},
    {task::shuffle, "by hand, std::shuffle of all numbers", shuffle_all},
    {task::repeat, "by hand", repeat},
    {task::repeat_serial, "by hand", repeat_filtered},
    {task::zip, "by hand", zip},
    {task::zip_serial, "by hand", zip_filtered},
    {task::interleave, "by hand", interleave},
});

}  // namespace
