#pragma once
/// What the figures of stream::stalls() cost a run. They cannot be off, so what is done for them is timed by itself,
/// and counted in runs.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/stopwatch.hpp>
#include <plumbline/plumbline.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "support/measure.hpp"
#include "support/report.hpp"

namespace bench {

/// ns of one call of f.
template <class F> double ns_of(F&& f) {
  constexpr int n = 1'000'000;
  return 1e9 / n * seconds([&] {
           for (int i = 0; i != n; ++i) f();
         });
}

struct epoch_figures {
  double wait = 0;     ///< ns of a wait of the consumer: a stopwatch is started and stopped
  double message = 0;  ///< in a run with I/O threads, of a message in a part: its time is added to the part's
  double change = 0;   ///< where an I/O thread begins or ends to work: the time since the last change is added

  epoch_figures(report& to, const options& o) {
    using plumbline::detail::wall_now;
    plumbline::detail::stopwatch waited;
    std::atomic<std::int64_t> busy{0};
    volatile std::int64_t since = wall_now(), any = 0, all = 0;
    const auto t = in_turns({[&] {
                               return ns_of([&] {
                                 waited.start(wall_now());
                                 waited.stop(wall_now());
                               });
                             },
                             [&] {
                               return ns_of([&] {
                                 const auto begun = wall_now();
                                 busy.fetch_add(wall_now() - begun, std::memory_order_relaxed);
                               });
                             },
                             [&] {
                               return ns_of([&] {
                                 const auto now = wall_now();
                                 any = any + now - since;
                                 all = all + 2 * (now - since);
                                 since = now;
                               });
                             }},
                            o.rounds_or(9, 5));
    to.table("what a run does for stream::stalls()", "ns each", 1,
             {{"a wait of the consumer", t[0]},
              {"a message in a part, with I/O threads", t[1]},
              {"an I/O thread begins or ends to work", t[2]}});
    wait = t[0].median(), message = t[1].median(), change = t[2].median();
  }

  /// Runs the pipeline for so many seconds, and reports which share of its processor time these take, at most: as if
  /// the consumer waited for each of its messages, and I/O threads slept after each.
  template <class P>
  void of_run(report& to, const std::string& name, const P& p, const plumbline::run_options& how, double for_seconds) {
    auto s = plumbline::run<plumbline::tracing::counters>(p, how);
    const auto begin = clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
    const double before = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
    while (passed() < for_seconds)
      for (int i = 0; i != 64; ++i)
        if (!s.next()) s.restart();
    const double cpu = processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - before, wall = passed();
    const double asked = ns_of([&, n = 0]() mutable {  // called once in a thousand times: in us
      if (n++ % 1000 == 0) static_cast<void>(s.stalls());
    });
    const auto t = s.traced();
    double all = 0, on_io = 0, to_consumer = 0;
    for (const auto& part : t.parts) {
      const auto n = static_cast<double>(part.messages);
      all += n;
      if (part.blocks) on_io += n;
      const auto root = static_cast<std::uint32_t>(t.operators.size());
      if (std::find(part.operators.begin(), part.operators.end(), root) != part.operators.end()) to_consumer += n;
    }
    const double ns = wait * to_consumer + (on_io > 0 ? message * all + 2 * change * on_io : 0);
    to.note(name, fixed(all / wall, 0) + " messages a second in its parts, " + fixed(to_consumer / wall, 0) +
                      " to the consumer: at most " + fixed(100 * 1e-9 * ns / cpu, 4) +
                      " % of the processor time; a call of stalls() " + fixed(asked, 1) + " us");
  }
};

}  // namespace bench
