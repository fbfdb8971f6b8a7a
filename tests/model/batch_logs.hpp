#pragma once
// Timelines of batches for the tests of reports and pages.
#include <plumbline/model/batch_report.hpp>

namespace plumbline_test {
namespace pl = plumbline;

// Four batches by two workers; times in ms. Batch 1 is ready before batch 0.
//   batch  worker  prepared   asked-had  consumed  released
//   0      a       0-100      10-100     100       120
//   1      b       0-40       120-120    120       140
//   2      b       40-90      140-140    140       150
//   3      a       100-250    150-250    250       260
inline pl::batch_log four_batches() {
  pl::batch_log log;
  log.operators = {"read", "decode"};
  log.names = {"", "a.jpg", "b.jpg", "c.jpg", "d.jpg"};
  constexpr std::int64_t ms = 1'000'000, at = 1'700'000'000'000 * ms;
  const auto add = [&](std::uint64_t i, const char* worker, std::int64_t begun, std::int64_t ready, std::int64_t asked,
                       std::int64_t had, std::int64_t released, double read, double decode) {
    pl::batch_record b;
    b.index = i;
    b.worker = worker;
    b.begun = at + begun * ms, b.ready = at + ready * ms, b.asked = at + asked * ms, b.had = at + had * ms;
    b.consumed = b.had, b.released = at + released * ms;
    b.size = 1;
    const auto name = static_cast<std::uint32_t>(i + 1);
    b.elements = {{0, name, b.begun, read / 1000}, {1, name, b.begun + ms, decode / 1000}};
    log.batches.push_back(b);
  };
  // in no order: a report sorts them
  add(3, "a", 100, 250, 150, 250, 260, 10, 140);
  add(1, "b", 0, 40, 120, 120, 140, 10, 30);
  add(0, "a", 0, 100, 10, 100, 120, 10, 90);
  add(2, "b", 40, 90, 140, 140, 150, 10, 40);
  return log;
}

// The same batches in three epochs: enough for what explains the variance.
inline pl::batch_log twelve_batches() {
  auto log = four_batches();
  const auto own = log.batches;
  for (const std::uint64_t epoch : {1U, 2U})
    for (auto b : own) {
      b.epoch = epoch;
      log.batches.push_back(b);
    }
  return log;
}

}  // namespace plumbline_test
