// The library. "inline" is threads = 0: all work happens in the consumer's calls. Otherwise that many workers run
// besides the consumer, and order is kept.
#include <plumbline/plumbline.hpp>

#include "framework/question.hpp"

namespace pl = plumbline;
using namespace framework;

namespace {

template <class P> std::uint64_t drain(P p, std::size_t threads) {
  std::uint64_t total = 0;
  for (const auto& batch : pl::run(std::move(p), {.threads = threads})) total += sum(batch.span());
  return total;
}

std::vector<entry> chain_entries() {
  std::vector<entry> out;
  const auto add_task = [&](const char* name, auto make, std::initializer_list<std::size_t> threads) {
    for (const std::size_t t : threads) {
      const std::string who =
          t == 0 ? "plumbline, inline" : "plumbline, " + std::to_string(t) + (t == 1 ? " worker" : " workers");
      out.push_back({name, who, [make, t] { return drain(make(), t); }});
    }
  };
  const auto all = {std::size_t{0}, std::size_t{1}, std::size_t{2}};
  add_task(
      task::chain,
      [] {
        return pl::range(now().elements) | pl::map(add()) | pl::map(multiply()) | pl::map(flip()) |
               pl::map(subtract()) | pl::filter(keep()) | pl::batch(batch_size);
      },
      all);
  add_task(
      task::slow, [] { return pl::range(now().slow_elements) | pl::map(work) | pl::batch(batch_size); }, all);
  add_task(
      task::batch, [] { return pl::range(now().elements) | pl::batch(batch_size); }, all);
  add_task(
      task::half, [] { return pl::range(now().elements) | pl::filter(keep_half()) | pl::batch(batch_size); }, all);
  add_task(
      task::serial,
      [] {
        return pl::range(now().elements) | pl::filter(keep_all()) |
               pl::take(static_cast<std::uint64_t>(now().elements)) | pl::filter(keep_all()) | pl::batch(batch_size);
      },
      all);
  add_task(
      task::shuffle_buffer, [] { return pl::range(now().elements) | pl::shuffle(10'000, 1) | pl::batch(batch_size); },
      all);
  add_task(
      task::shuffle, [] { return pl::range(now().elements) | pl::shuffle(1) | pl::batch(batch_size); }, all);
  add_task(
      task::repeat, [] { return pl::range(now().elements / 64) | pl::repeat(64) | pl::batch(batch_size); }, all);
  add_task(
      task::repeat_serial,
      [] { return pl::range(now().elements / 64) | pl::filter(keep_all()) | pl::repeat(64) | pl::batch(batch_size); },
      all);
  constexpr auto both = [](const std::tuple<element, element>& x) { return std::get<0>(x) + std::get<1>(x); };
  add_task(
      task::zip,
      [=] {
        return pl::zip(pl::range(now().elements), pl::range(now().elements)) | pl::map(both) | pl::batch(batch_size);
      },
      all);
  add_task(
      task::zip_serial,
      [=] {
        return pl::zip(pl::range(now().elements) | pl::filter(keep_all()),
                       pl::range(now().elements) | pl::filter(keep_all())) |
               pl::map(both) | pl::batch(batch_size);
      },
      all);
  add_task(
      task::interleave,
      [] {
        return pl::range(now().elements / 1000) | pl::interleave([](element i) { return pl::range(i, i + 1000); }) |
               pl::batch(batch_size);
      },
      all);

  for (const std::size_t t : all) {
    const std::string suffix = t == 0 ? ", inline" : ", " + std::to_string(t) + (t == 1 ? " worker" : " workers");
    out.push_back({task::one_by_one, "plumbline, next()" + suffix, [t] {
                     auto s = pl::run(pl::range(now().elements) | pl::map(add()), {.threads = t});
                     std::uint64_t total = 0;
                     while (const auto x = s.next()) total += static_cast<std::uint64_t>(*x);
                     return total;
                   }});
    out.push_back({task::one_by_one, "plumbline, for loop" + suffix, [t] {
                     std::uint64_t total = 0;
                     for (const element x : pl::run(pl::range(now().elements) | pl::map(add()), {.threads = t}))
                       total += static_cast<std::uint64_t>(x);
                     return total;
                   }});
  }
  return out;
}
const bool entered = enter(chain_entries());

}  // namespace
