// run_shared in several processes, some of which are killed.
#include "jobs.hpp"

#include <support/watchdog.hpp>

#include <filesystem>
#include <thread>

using namespace plumbline_test;

namespace {

template <class P> void take(const P& p, const work& w, std::ofstream& out) {
  auto batches = pl::run_shared(p, {.name = w.name,
                                    .jobs = w.jobs,
                                    .ahead = w.ahead,
                                    .wait_seconds = w.wait,
                                    .stuck_seconds = w.stuck,
                                    .run = {.threads = 2, .seed = 11}});
  auto waited = 0.0;
  for (std::size_t e = 0; e != w.epochs; ++e)
    for (const auto& b : batches) {
      const auto all = batches.stats().waited_seconds;
      out << "batch " << batches.epoch() << ' ' << hash_of(b) << ' ' << all - std::exchange(waited, all) << ' '
          << now_us() << std::endl;
      if (w.step_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(w.step_us));
    }
  const auto total = batches.stats();
  out << "end " << total.prepared << ' ' << total.copied << std::endl;
}

std::map<std::uint64_t, std::vector<std::uint64_t>> epochs_of(const work& w, std::uint64_t n) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> all;
  for (std::uint64_t e = 0; e != n; ++e)
    all[e] = w.pipeline == "pictures" ? epoch_of(pictures(static_cast<std::int64_t>(w.size)), e)
                                      : epoch_of(rows(static_cast<std::int64_t>(w.size)), e);
  return all;
}

struct killed_job : job {
  using job::job;
  std::int64_t killed_us = 0;
  void kill() {
    killed_us = now_us();
    signal(SIGKILL);
    wait();
  }
};
// Seconds from any kill to the next batch of each job that had one before, or to its own end if that is earlier.
double longest_after_kill(const std::vector<killed_job>& jobs) {
  std::int64_t longest = 0;
  for (const auto& survivor : jobs) {
    const auto taken = survivor.result().taken_us;
    for (const auto& j : jobs) {
      if (taken.empty() || j.killed_us < taken.front() || j.killed_us >= survivor.killed_us) continue;
      const auto next = std::ranges::upper_bound(taken, j.killed_us);
      const auto until = next == taken.end() ? survivor.killed_us : std::min(*next, survivor.killed_us);
      longest = std::max(longest, until - j.killed_us);
    }
  }
  return 1e-6 * static_cast<double>(longest);
}

}  // namespace

TEST_CASE("a job of run_shared", "[.]") {
  const char* stated = std::getenv("PLUMBLINE_TEST_WORK");
  if (stated == nullptr) return;
  work w;
  std::istringstream in(stated);
  in >> w.pipeline >> w.jobs >> w.epochs >> w.size >> w.ahead >> w.step_us >> w.wait >> w.stuck;
  std::getline(in >> std::ws, w.name);
  std::ofstream out(std::getenv("PLUMBLINE_TEST_OUTPUT"));
  try {
    if (w.pipeline == "pictures")
      take(pictures(static_cast<std::int64_t>(w.size)), w, out);
    else
      take(rows(static_cast<std::int64_t>(w.size)), w, out);
  } catch (const std::exception& e) {
    out << "error " << e.what() << std::endl;
  }
}

TEST_CASE("run_shared: each process gets every batch, and each is prepared once") {
  watchdog limit("jobs of run_shared");
  temp_folder folder;
  work w{.name = own_name("all"), .jobs = 3};
  w.pipeline = GENERATE("pictures", "rows");
  INFO(w.pipeline);
  std::vector<job> jobs;
  for (std::size_t k = 0; k != w.jobs; ++k) jobs.emplace_back(w, folder / std::to_string(k));
  const auto wanted = epochs_of(w, w.epochs);
  std::uint64_t prepared = 0, batches = 0;
  for (const auto& [e, all] : wanted) batches += all.size();
  for (auto& j : jobs) {
    j.wait();
    const auto found = j.result();
    CHECK(found.error.empty());
    CHECK(found.ended);
    CHECK(found.epochs == wanted);
    prepared += found.prepared;
    if (w.pipeline == "pictures") CHECK(found.copied == 0);
  }
  CHECK(prepared >= batches);
  CHECK(prepared <= batches + w.ahead + 1);  // the preparer may end first, and another begins its next ones again
  CHECK(names_in_use() == 0);
}

TEST_CASE("run_shared: processes are killed at any moment, and the others get every batch") {
  watchdog limit("jobs of run_shared");
  temp_folder folder;
  pl::rng random(7);
  work w{.name = own_name("killed"), .jobs = 3, .epochs = 100000, .size = 400, .step_us = 300};
  w.pipeline = GENERATE("pictures", "rows");
  w.ahead = w.pipeline == "rows" ? 1 : 8;
  INFO(w.pipeline);
  const int kills =
      std::getenv("PLUMBLINE_TEST_KILLS") != nullptr ? std::atoi(std::getenv("PLUMBLINE_TEST_KILLS")) : 25;
  int number = 0;
  const auto start = [&] { return killed_job(w, folder / std::to_string(number++)); };
  const auto shm_before = names_in_dev_shm();
  std::vector<killed_job> jobs, ended;
  for (std::size_t k = 0; k != w.jobs; ++k) jobs.push_back(start());
  const auto until = [](auto&& holds) {
    while (!holds()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  // how many epochs there were when it took its last batch; 0: it has none yet
  const auto epochs_taken = [](const job& j) {
    const auto all = j.lines();
    return all.empty() ? 0 : 1 + std::stoull(all.back().substr(all.back().find(' ')));
  };
  until([&] { return std::ranges::all_of(jobs, epochs_taken); });
  for (const auto& j : jobs) {  // what they share has no name, not even now
    CHECK(mapped(j.pid(), "/memfd:plumbline") > 0);
    CHECK(mapped(j.pid(), "/dev/shm/") == 0);
  }
  for (int k = 0; k != kills; ++k) {  // the preparer as often as others; newcomers perhaps before they have joined
    std::this_thread::sleep_for(std::chrono::microseconds(1000 + random.below(120'000)));
    auto& victim = jobs[random.below(jobs.size())];
    // one that has joined is left, or the next ones would be the first again
    until(
        [&] { return std::ranges::any_of(jobs, [&](const job& j) { return &j != &victim && epochs_taken(j) != 0; }); });
    victim.kill();
    ended.push_back(std::exchange(victim, start()));
  }
  // two of them are left
  until([&] { return epochs_taken(jobs[1]) + epochs_taken(jobs[2]) != 0; });
  jobs[0].kill();
  const std::uint64_t before = std::max(epochs_taken(jobs[1]), epochs_taken(jobs[2]));
  until([&] { return std::min(epochs_taken(jobs[1]), epochs_taken(jobs[2])) >= before + 12; });
  for (auto& j : jobs)
    if (j.pid() != 0) j.kill();
  for (auto& j : jobs) ended.push_back(std::move(j));

  std::map<std::uint64_t, std::vector<std::uint64_t>> wanted;
  std::size_t whole = 0, began_late = 0;
  double longest = 0;
  for (const auto& j : ended) {
    const auto found = j.result();
    CHECK(found.error.empty());
    longest = std::max(longest, found.longest_wait);
    if (found.epochs.empty()) continue;
    const auto first = found.epochs.begin()->first, last = found.epochs.rbegin()->first;
    CHECK(last - first + 1 == found.epochs.size());
    began_late += first != 0 ? 1 : 0;
    for (const auto& [e, all] : found.epochs) {
      if (!wanted.contains(e))
        wanted[e] = w.pipeline == "pictures" ? epoch_of(pictures(static_cast<std::int64_t>(w.size)), e)
                                             : epoch_of(rows(static_cast<std::int64_t>(w.size)), e);
      const auto& right = wanted[e];
      if (e != last) CHECK(all == right);
      CHECK(all.size() <= right.size());
      CHECK(std::equal(all.begin(), all.end(), right.begin()));
      whole += all == right ? 1 : 0;
    }
  }
  const double after_kill = longest_after_kill(ended);
  const auto said = w.pipeline + ": " + std::to_string(kills) + " kills, " + std::to_string(whole) + " whole epochs, " +
                    std::to_string(began_late) + " jobs that joined later; the longest wait was " +
                    std::to_string(longest) + " s; the longest from a kill to a survivor's next batch " +
                    std::to_string(after_kill) + " s";
  WARN(said);
  // a death costs some 0.1 s, and at most a second, unless the machine is busy with other tests
  const double most = std::getenv("PLUMBLINE_TEST_KILLS") != nullptr ? 1 : 10;
  CHECK(after_kill < most);
  CHECK(longest < most);  // a survivor may have a batch that was ready before: the one after it counts, too
  CHECK(whole > 10);
  CHECK(began_late > 0);
  CHECK(names_in_use() == 0);
  CHECK(names_in_dev_shm() == shm_before);
}
