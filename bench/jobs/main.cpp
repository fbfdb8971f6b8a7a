// bench_jobs: k processes train on the same photos, with steps that take no processor. Each with a pipeline of its own
// (run), against one that they share (run_shared): what preparing costs in all, what is read from storage, and the
// batches that all take a second. Then what a batch costs more if it is shared, with one job. And k processes that read
// the same files in orders of their own, with a limit on reading, each with a cache of its own, or with one in shared
// memory that is as large as those together. And what predict says of all this, from the analysis of one job.
#include <plumbline/ops/cache_in_shared_memory.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/shared/run_shared.hpp>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <iostream>
#include <memory>
#include <numeric>
#include <thread>

#include "jobs/what_if.hpp"
#include "support/inputs.hpp"
#include "support/processes.hpp"
#include "support/report.hpp"

namespace {

namespace pl = plumbline;

/// What a process does and reports.
struct meeting : bench::meeting_point {
  std::array<double, bench::most_processes> seconds, cpu, read, taken, prepared;
};
double sum(const std::array<double, bench::most_processes>& of, std::size_t n) {
  return std::accumulate(of.begin(), of.begin() + static_cast<long>(n), 0.0);
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}
/// Bytes that this process has read, from files or the page cache.
double bytes_read() {
  std::ifstream in("/proc/self/io");
  std::string what;
  double n = 0;
  in >> what >> n;
  return n;
}

struct totals {
  double rate = 0;      ///< batches a second that all jobs take
  double cpu = 0;       ///< processor seconds of all
  double read = 0;      ///< bytes
  double prepared = 0;  ///< batches
};
template <class P> totals train(meeting& at, const P& p, std::size_t k, std::size_t epochs, bool shared) {
  const auto name = "bench_jobs " + std::to_string(::getpid());
  bench::in_processes(k, at, [&](std::size_t rank, auto wait) {
    const auto cpu = cpu_seconds(), read = bytes_read();
    double taken = 0;
    const auto go = [&](auto& s) {
      wait();
      at.seconds[rank] = bench::seconds([&] {
        for (std::size_t e = 0; e != epochs; ++e)
          for (const auto& b : s) taken += b.shape()[0] != 0 ? 1 : 0;
      });
    };
    if (shared) {
      auto s = pl::run_shared(p, {.name = name, .jobs = k});
      go(s);
      at.prepared[rank] = static_cast<double>(s.stats().prepared);
      wait();  // before the first to end hands the rest over
    } else {
      auto s = pl::run(p);
      go(s);
      at.prepared[rank] = taken;
    }
    at.cpu[rank] = cpu_seconds() - cpu;
    at.read[rank] = bytes_read() - read;
    at.taken[rank] = taken;
  });
  double slowest = 0;
  for (std::size_t i = 0; i != k; ++i) slowest = std::max(slowest, at.seconds[i]);
  return {sum(at.taken, k) / slowest, sum(at.cpu, k), sum(at.read, k), sum(at.prepared, k)};
}

void together(bench::report& report, meeting& at, const bench::options& o) {
  const auto p = pl::files(bench::photos()) | pl::shuffle(1) | pl::read_file() | pl::map(pl::decode()) |
                 pl::map(pl::random_resized_crop<224, 224>()) | pl::batch<8>();
  const std::size_t epochs = o.quick ? 1 : 3;
  for (const std::size_t k : {2U, 4U, 8U}) {
    bench::series apart, joint, cpu, read, prepared, faster;
    for (std::size_t round = 0; round != o.rounds_or(5, 3); ++round) {
      const auto each = train(at, p, k, epochs, false), one = train(at, p, k, epochs, true);
      apart.rounds.push_back(each.rate), joint.rounds.push_back(one.rate);
      faster.rounds.push_back(one.rate / each.rate / static_cast<double>(k));
      cpu.rounds.push_back(one.cpu / each.cpu * static_cast<double>(k));
      read.rounds.push_back(one.read / each.read * static_cast<double>(k));
      prepared.rounds.push_back(one.prepared / each.prepared * static_cast<double>(k));
    }
    const auto jobs = std::to_string(k) + " jobs";
    report.table(jobs + ": batches that all take", "batches/s", 1, {{"apart", apart}, {"shared", joint}});
    report.at_least(jobs + ": rate, of " + std::to_string(k) + " times that of separate jobs", faster.median(), 0.9);
    report.at_most(jobs + ": batches prepared, of one job's", prepared.median(), 1.0, 3);
    report.at_most(jobs + ": bytes read, of one job's", read.median(), 1.05, 3);
    report.at_most(jobs + ": processor seconds, of one job's", cpu.median(), 1.1, 2);
  }
}

/// What a shared batch costs more than a private one, with one process that prepares and takes. The streams are open
/// together and used in short turns, as the machine's speed changes from one second to the next.
void overhead(bench::report& report, const bench::options& o) {
  constexpr std::size_t most = 1000;  // as many as --rounds may be
  struct figures : bench::meeting_point {
    std::array<std::array<double, 4>, most> as_they_come, ready;
  };
  auto& seen = bench::shared_by_processes<figures>();
  const std::size_t turns = o.rounds_or(200, 40);
  for (const std::size_t side : {8U, 224U}) {
    bench::in_processes(1, seen, [&](std::size_t, auto) {
      const auto p = pl::range(std::int64_t{1} << 40) | pl::map([side](std::int64_t i) {
                       return pl::tensor<float>({3, side, side}, static_cast<float>(i));
                     }) |
                     pl::batch<8>();
      const auto name = "bench_jobs overhead " + std::to_string(::getpid());
      auto two = pl::run(p, {.prefetch = 2}), eight = pl::run(p, {.prefetch = 8});
      auto shared_two = pl::run_shared(p, {.name = name + " 2", .ahead = 2});
      auto shared_eight = pl::run_shared(p, {.name = name + " 8"});
      double sums = 0;
      const auto take = [&](auto& s, int n) {
        return 1e6 / n * bench::seconds([&] {
                 for (int i = 0; i != n; ++i) sums += (*s.next())(0, 0, 0, 0);
               });
      };
      const auto in_loop = [&](auto& s) {
        take(s, 30);  // those that are there, and until it has its pace
        return take(s, 100);
      };
      const auto ready = [&](auto& s) {
        bench::series all;
        for (int i = 0; i != 10; ++i) {  // the step is longer than preparing
          std::this_thread::sleep_for(std::chrono::milliseconds(4));
          all.rounds.push_back(take(s, 1));
        }
        return all.median();
      };
      const auto each = [&](auto&& f) -> std::array<double, 4> {
        return {f(two), f(shared_two), f(eight), f(shared_eight)};
      };
      for (std::size_t turn = 0; turn != turns; ++turn)
        seen.as_they_come.at(turn) = each(in_loop), seen.ready.at(turn) = each(ready);
      if (sums < 0) std::cout << sums;
    });
    const auto size = "batches of 8 x 3 x " + std::to_string(side) + " x " + std::to_string(side) + " floats";
    const auto compare = [&](const std::string& how, const auto& all) {
      const auto of = [&](auto&& f) {
        bench::series x;
        for (std::size_t turn = 0; turn != turns; ++turn) x.rounds.push_back(f(all[turn]));
        return x;
      };
      const auto column = [&](std::size_t i) { return of([i](const auto& each) { return each[i]; }); };
      report.table(size + how, "us a batch", 1,
                   {{"run, two ahead", column(0)},
                    {"run_shared, two ahead", column(1)},
                    {"run, eight ahead", column(2)},
                    {"run_shared, eight ahead", column(3)}});
      for (const std::size_t i : {0U, 2U})
        report.at_most(size + how + ": a shared one more, " + (i == 0 ? "two" : "eight") + " ahead, median of turns",
                       of([i](const auto& each) { return each[i + 1] - each[i]; }).median(), 20, 1);
    };
    compare(", as they come", seen.as_they_come);
    compare(", that are ready", seen.ready);
  }
}

/// Files a second of all processes after the first epoch, and files read in each of these epochs.
struct fetching {
  double rate = 0, read = 0, read_first = 0;
};
struct question {
  pl::file_list files;
  double bytes_per_second;  ///< of each process, from storage
  std::size_t epochs;
};
template <class Cache> fetching fetch(meeting& at, const question& q, std::size_t k, const Cache& cache) {
  bench::in_processes(k, at, [&](std::size_t rank, auto wait) {
    const auto made = std::make_shared<std::atomic<std::size_t>>(0);
    auto s = pl::run(pl::files(q.files) | pl::shuffle(rank) | pl::read_file() | pl::map([made](pl::file_contents f) {
                       made->fetch_add(1, std::memory_order_relaxed);
                       return f;
                     }) | cache,
                     {.threads = 1, .seed = rank, .read_bytes_per_second = q.bytes_per_second});
    wait();
    while (s.next()) {
    }
    const auto first = made->load();
    wait();
    at.seconds[rank] = bench::seconds([&] {
      for (std::size_t e = 0; e != q.epochs; ++e) {
        s.restart();
        while (s.next()) {
        }
      }
    });
    at.taken[rank] = static_cast<double>(first);
    at.read[rank] = static_cast<double>(made->load() - first) / static_cast<double>(q.epochs);
  });
  fetching out{0, sum(at.read, k), sum(at.taken, k)};
  for (std::size_t i = 0; i != k; ++i) out.rate += static_cast<double>(q.files.size() * q.epochs) / at.seconds[i];
  return out;
}
void caches(bench::report& report, meeting& at, const bench::options& o) {
  const pl::file_list files(bench::photos());
  const auto bytes = static_cast<double>(files.bytes()), n = static_cast<double>(files.size());
  const question q{files, bytes / 4, o.quick ? 2U : 4U};  // an epoch that reads everything lasts 4 s
  for (const std::size_t k : {2U, 4U})
    for (const double share : {0.6, 1.1}) {
      const auto memory = static_cast<std::uint64_t>(share * bytes);
      bench::series apart, joint, apart_read, joint_read, first, of_predicted;
      for (std::size_t round = 0; round != o.rounds_or(5, 3); ++round) {
        const auto name = "bench_jobs cache " + std::to_string(::getpid()) + "." + std::to_string(round);
        const auto own = fetch(at, q, k, pl::cache(pl::bytes(memory / k)));
        const auto one = fetch(at, q, k, pl::cache(pl::shared_memory(name), pl::bytes(memory)));
        const auto all = fetch(at, q, k, pl::cache(pl::bytes(2 * static_cast<std::uint64_t>(bytes))));
        apart.rounds.push_back(own.rate), joint.rounds.push_back(one.rate);
        apart_read.rounds.push_back(own.read / n), joint_read.rounds.push_back(one.read / n);
        first.rounds.push_back(one.read_first / n);
        const double jobs = static_cast<double>(k), x = 1 - one.read / n / jobs;
        const double predicted = jobs / (x / (all.rate / jobs) + (1 - x) * bytes / n / q.bytes_per_second);
        of_predicted.rounds.push_back(one.rate / predicted);
      }
      const auto what =
          std::to_string(k) + " processes, memory for " + bench::fixed(100 * share, 0) + " % of the files";
      report.table(what, "files/s", 1, {{"a cache for each", apart}, {"one in shared memory", joint}});
      report.table(what + ": files read in an epoch, of all processes", "times the files", 3,
                   {{"a cache for each", apart_read},
                    {"one in shared memory", joint_read},
                    {"one in shared memory, first epoch", first}});
      report.at_least(what + ": rate with one, of the predicted", of_predicted.median(), 0.9);
    }
}

int measure_all(int argc, char** argv) {
  bench::options o;
  CLI::App app("Measures batches that several processes share.");
  bench::add_options(app, o);
  std::string only;
  app.add_option("--only", only, "one of them: overhead, batches, caches, what-if")
      ->check(CLI::IsMember({"overhead", "batches", "caches", "what-if"}));
  bool each = false;
  app.add_flag("--each", each, "print every setting of what-if");
  CLI11_PARSE(app, argc, argv);
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // sleeps are steps: they must end in time
  const auto wanted = [&](const std::string& name) { return only.empty() || name == only; };
  bench::report report("k jobs on one machine: pipelines of their own, or one that they share", o);
  auto& at = bench::shared_by_processes<meeting>();
  if (wanted("overhead")) overhead(report, o);
  if (wanted("batches")) together(report, at, o);
  if (wanted("caches")) caches(report, at, o);
  if (wanted("what-if")) bench::jobs_what_if(report, o).measure(each);
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure_all(argc, argv); });
}
