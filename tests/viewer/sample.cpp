// A small run for ../trace_in_chromium.py and ../trace_in_perfetto.py, saved for Chrome's viewer: three maps on two
// threads, one of them slower now and then, a serial shuffle, batches, and two threads that take them, which takes a
// while for each. Argument: the file.
#include <plumbline/ext/chrome_trace.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/timeline.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace pl = plumbline;

namespace {
template <class T> T after(std::chrono::microseconds d, T x) {
  for (const auto end = std::chrono::steady_clock::now() + d; std::chrono::steady_clock::now() < end;) {
  }
  return x;
}
std::int64_t load(std::int64_t x) { return after(std::chrono::microseconds(50), x); }
pl::tensor<float> decode(std::int64_t x) {
  return after(std::chrono::microseconds(x % 50 == 7 ? 3000 : 300), pl::tensor<float>({2048}, static_cast<float>(x)));
}
pl::tensor<float> resize(pl::tensor<float> t) { return after(std::chrono::microseconds(100), std::move(t)); }
}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto p = pl::range(400) | pl::map(load).named("load") | pl::map(decode).named("decode") |
                 pl::map(resize).named("resize") | pl::shuffle(8, 1) | pl::batch<16>();
  auto s = pl::run<pl::tracing::timeline>(p, {.threads = 2});
  std::atomic<int> taken{0};
  const auto take = [&] {
    while (const auto b = s.next()) {
      after(std::chrono::microseconds(3000), b->data()[0]);
      ++taken;
    }
  };
  {
    const std::jthread other(take);
    take();
  }
  pl::save_chrome_trace(s.timeline(), argv[1]);
  std::printf("%d\n", taken.load());
}
