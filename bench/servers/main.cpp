// bench_servers: one cache on the memory of several memcached servers (cache(servers)), all on the loopback, for as
// many training processes, each with its shard of a shuffled epoch and a limit on its reads from storage. What is read
// from storage once the cache is filled, and the rate of the following epochs against the predicted one:
//   1 / (x / C + (1 - x) / S + 1 / P)
// C is measured directly: the rate at which as many processes and threads find the same elements on such servers,
// without a pipeline. S follows from the limit on reading. x is the share of elements that the servers hold. P is the
// rate of preparation by itself, with the shards in memory. All share the cores of one machine, servers included, so
// where nothing is read from storage the processor is the limit, and the times for C and P add; with `chunk` 4 there
// are fewer messages. Then the rate while a server is dead or stopped, and how soon it is back.
#include <plumbline/plumbline.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "support/processes.hpp"
#include "support/report.hpp"

#ifdef PLUMBLINE_HAS_MEMCACHED
#include <plumbline/ext/memcached.hpp>

#include <unistd.h>

#include <array>
#include <atomic>
#include <numeric>
#include <optional>
#include <thread>

#include "servers/faults.hpp"
#include "servers/what_if.hpp"
#include "tests/support/memcached_servers.hpp"

namespace {

namespace pl = plumbline;
namespace fs = std::filesystem;
using plumbline_test::memcached_servers;

constexpr std::size_t io_threads = 4;
/// The messages in flight in a pipeline with one compute thread.
constexpr std::size_t messages = pl::buffering::default_messages<std::size_t>(true, true, 1, io_threads);

/// What the processes of a measurement share.
struct meeting : bench::meeting_point {
  std::array<double, bench::most_processes> figures;
  std::array<double, bench::most_processes> read, failed;
};

struct question {
  std::string files;
  std::size_t elements = 0, epochs = 0;
  double element_bytes = 0, bytes_per_second = 0;  ///< the limit of each process
};
struct observed {
  double first = 0, later = 0,
         in_fours = 0;          ///< elements a second of all processes: in epoch 0; after it; with `chunk` 4
  double read = 0, failed = 0;  ///< elements read from storage in an epoch after epoch 0; requests that failed
};

/// Trains in as many processes as there are servers: an epoch that fills them, then several as one stream.
observed train(meeting& shared, const question& q, std::size_t processes, int megabytes) {
  const memcached_servers at(static_cast<int>(processes), megabytes, PLUMBLINE_SOURCE_DIR);
  observed out;
  for (auto* rate : {&out.first, &out.later, &out.in_fours}) {
    const std::uint64_t epochs = rate == &out.first ? 1 : q.epochs;
    pl::run_options how{.threads = 1, .io_threads = io_threads, .read_bytes_per_second = q.bytes_per_second};
    if (rate == &out.in_fours) how.chunk = 4;
    bench::in_processes(processes, shared, [&](std::size_t rank, auto wait) {
      const auto kept = pl::cache(pl::servers(at.addresses()), {.timeout = std::chrono::seconds(5)});
      const auto p = pl::files(q.files) | pl::shuffle(1) | pl::shard(processes, rank) | pl::repeat(epochs) |
                     pl::read_file() | kept;
      auto s = pl::run(p, how);
      wait();
      shared.figures[rank] = bench::seconds([&] {
        for (const auto& x : s) (void)x;
      });
      shared.read[rank] = shared.failed[rank] = 0;
      for (const auto& c : kept.counts()) {
        shared.read[rank] += static_cast<double>(c.missing + c.not_asked) / static_cast<double>(epochs);
        shared.failed[rank] += static_cast<double>(c.failed);
      }
    });
    const auto sum = [&](const auto& of) {
      return std::accumulate(of.begin(), of.begin() + static_cast<long>(processes), 0.0);
    };
    // each process gets the same number of elements in an epoch, but for one
    for (std::size_t i = 0; i != processes; ++i)
      *rate += static_cast<double>(q.elements * epochs) / static_cast<double>(processes) / shared.figures[i];
    out.read = sum(shared.read);
    out.failed += sum(shared.failed);
  }
  return out;
}

/// Elements that as many processes and I/O threads find a second, on servers that hold all of them.
double found_directly(meeting& shared, const question& q, std::size_t processes) {
  const memcached_servers at(static_cast<int>(processes), 512, PLUMBLINE_SOURCE_DIR);
  bench::in_processes(processes, shared, [&](std::size_t rank, auto wait) {
    const auto kept = pl::cache(pl::servers(at.addresses()), {.timeout = std::chrono::seconds(5)});
    const auto store = kept.open_store<pl::file_contents>(q.elements, {});
    std::vector<std::uint64_t> mine;
    for (std::uint64_t i = rank; i < q.elements; i += processes) mine.push_back(i);
    {
      auto s = pl::run(pl::files(q.files) | pl::shard(processes, rank) | pl::read_file(), {.threads = 0});
      for (auto i = mine.begin(); auto& x : s) store->keep(*i++, x);
    }
    const auto read_all = [&] {
      std::atomic<std::size_t> next{0}, lost{0};
      std::vector<std::thread> threads;
      for (std::size_t t = 0; t != io_threads; ++t)
        threads.emplace_back([&] {
          const auto together = std::max<std::size_t>(1, store->at_once());  // in one round trip, as in a pipeline
          // as many are in flight as in a pipeline, so their memory is not that of the last one, still in the
          // processor's cache
          std::vector<std::optional<pl::file_contents>> found(messages * together / io_threads);
          std::size_t i = 0;
          std::vector<std::uint64_t> wanted;
          for (const auto n = mine.size() * q.epochs;;) {
            const auto first = next.fetch_add(together);
            if (first >= n) break;
            wanted.clear();
            for (auto k = first; k != std::min(first + together, n); ++k) wanted.push_back(mine[k % mine.size()]);
            if (together > 1) store->ask_ahead(wanted);
            for (const auto index : wanted) lost += (found[i++ % found.size()] = store->find(index)) ? 0 : 1;
          }
        });
      for (auto& t : threads) t.join();
      if (lost != 0) throw std::runtime_error("an element was not found");
    };
    wait();
    shared.figures[rank] = bench::seconds(read_all);
  });
  double rate = 0;
  for (std::size_t i = 0; i != processes; ++i)
    rate += static_cast<double>(q.elements * q.epochs) / static_cast<double>(processes) / shared.figures[i];
  return rate;
}

/// P: elements a second of as many processes that have their shards in their own memory.
double prepared_in_memory(meeting& shared, const question& q, std::size_t processes) {
  double rate = 0;
  bench::in_processes(processes, shared, [&](std::size_t rank, auto wait) {
    const auto p = pl::files(q.files) | pl::shard(processes, rank) | pl::read_file() |
                   pl::cache(pl::bytes(static_cast<std::uint64_t>(2 * q.element_bytes) * q.elements)) |
                   pl::repeat(q.epochs + 1);
    auto s = pl::run(p, {.threads = 1, .io_threads = io_threads});
    const auto mine = q.elements / processes + (rank < q.elements % processes ? 1 : 0);
    const auto take = [&](std::size_t n) {
      while (n-- != 0) (void)s.next();
    };
    take(mine);
    wait();
    shared.figures[rank] = bench::seconds([&] { take(mine * q.epochs); }) / static_cast<double>(mine);
  });
  for (std::size_t i = 0; i != processes; ++i) rate += static_cast<double>(q.epochs) / shared.figures[i];
  return rate;
}

void measure(bench::report& report, meeting& shared, const bench::options& o, question q) {
  std::cout << "\nfiles of " << bench::fixed(q.element_bytes / 1000, 0) << " kB, " << q.elements
            << " of them, each process reads " << bench::fixed(q.bytes_per_second / 1e6, 0)
            << " MB/s from storage; elements a second of all processes, median of rounds\n"
            << "  servers    MB each  held %  read again  epoch 0   later  predicted  ratio  chunk 4  ratio\n";
  const double data = q.element_bytes * static_cast<double>(q.elements) / (1 << 20);
  const std::size_t few = o.quick ? 3 : 10, many = 20;
  for (const std::size_t n : {2U, 3U, 4U})
    for (const double share : {0.5, 1.25, 2.0}) {
      const int megabytes = static_cast<int>(share * data / static_cast<double>(n));
      q.epochs = share < 1 ? few : many;  // a second or more, with and without reading from storage
      bench::series first, later, in_fours, directly, prepared, predicted, held, read;
      for (std::size_t round = 0; round != o.rounds_or(5, 3); ++round) {
        const double c = found_directly(shared, q, n), p = prepared_in_memory(shared, q, n);
        const auto seen = train(shared, q, n, megabytes);
        if (seen.failed != 0) throw std::runtime_error("a request failed");
        const double x = 1 - seen.read / static_cast<double>(q.elements);
        const double s = q.bytes_per_second * static_cast<double>(n) / q.element_bytes;
        const double f = 1 / (x / c + (1 - x) / s + 1 / p);
        first.rounds.push_back(seen.first), later.rounds.push_back(seen.later),
            in_fours.rounds.push_back(seen.in_fours), directly.rounds.push_back(c), prepared.rounds.push_back(p);
        predicted.rounds.push_back(f), held.rounds.push_back(100 * x);
        read.rounds.push_back(seen.read);
      }
      const auto cell = [](const bench::series& x, int width, int digits) {
        const auto text = bench::fixed(x.median(), digits);
        return std::string(static_cast<std::size_t>(std::max(0, width - static_cast<int>(text.size()))), ' ') + text;
      };
      std::cout << "  " << n << std::string(11, ' ') << (megabytes < 100 ? " " : "") << megabytes << cell(held, 10, 1)
                << cell(read, 12, 1) << cell(first, 9, 0) << cell(later, 8, 0) << cell(predicted, 11, 0)
                << cell(bench::ratio(later, predicted), 7, 2) << cell(in_fours, 9, 0)
                << cell(bench::ratio(in_fours, predicted), 7, 2) << std::endl;
      const auto name = std::to_string(n) + " servers, " + bench::fixed(q.element_bytes / 1000, 0) +
                        " kB, memory for " + bench::fixed(100 * share, 0) + " %";
      report.record(name, {{"first", first.rounds},
                           {"later", later.rounds},
                           {"in_fours", in_fours.rounds},
                           {"directly", directly.rounds},
                           {"prepared", prepared.rounds},
                           {"predicted", predicted.rounds},
                           {"held", held.rounds},
                           {"read_again", read.rounds}});
      // chance gives a server more than its part of few elements
      if (share == 2 || (share > 1 && q.elements >= 1000))
        report.at_most("elements read again from storage: " + name, read.high(), 0, 0);
      report.at_least("rate, of the predicted: " + name, bench::ratio(later, predicted).median(), 0.9);
    }
}

void measure_servers(bench::report& report, const bench::options& o, const std::string& only, bool each) {
  if (!memcached_servers::available()) {
    report.skipped("cache on servers", "memcached is not installed");
    return;
  }
  auto& shared = bench::shared_by_processes<meeting>();
  const auto with_files = [](std::size_t size, auto&& f) {
    const std::size_t n = 100'000'000 / size;
    const auto folder = fs::temp_directory_path() / ("plumbline_servers_" + std::to_string(::getpid()));
    fs::create_directory(folder);
    for (std::size_t i = 0; i != n; ++i)
      std::ofstream(folder / (std::to_string(10'000 + i) + ".bin"), std::ios::binary)
          << std::string(size, static_cast<char>('a' + i % 26));
    f((folder / "*.bin").string(), n);
    fs::remove_all(folder);
  };
  if (only.empty() || only == "rates")
    for (const std::size_t size : {20'000U, 100'000U, 1'000'000U})
      with_files(size, [&](const std::string& files, std::size_t n) {
        measure(report, shared, o,
                {.files = files,
                 .elements = n,
                 .element_bytes = static_cast<double>(size),
                 .bytes_per_second = size == 20'000 ? 20e6 : 50e6});
      });
  if (only.empty() || only == "faults")
    with_files(100'000, [&](const std::string& files, std::size_t n) {
      bench::server_faults(report, files, n, 1e5, 50e6).measure(o.rounds_or(5, 3), o.quick ? 2 : 4);
    });
  if (only.empty() || only == "what-if")
    with_files(100'000, [&](const std::string& files, std::size_t n) {
      bench::servers_what_if(report, files, n, 1e5).measure(o.rounds_or(3, 1), o.quick ? 3 : 4, each);
    });
}

}  // namespace
#else
namespace {
void measure_servers(bench::report& report, const bench::options&, const std::string&, bool) {
  report.skipped("cache on servers", "libmemcached was not found (libmemcached-dev)");
}
}  // namespace
#endif

int main(int argc, char** argv) {
  return bench::guarded_main([&] {
    bench::options o;
    CLI::App app("Measures a cache on the memory of several memcached servers.");
    bench::add_options(app, o);
    std::string only;
    app.add_option("--only", only, "one of them: rates, faults, what-if")
        ->check(CLI::IsMember({"rates", "faults", "what-if"}));
    bool each = false;
    app.add_flag("--each", each, "print every setting of what-if");
    CLI11_PARSE(app, argc, argv);
    bench::report report("cache on servers: rate against the predicted one", o);
    measure_servers(report, o, only, each);
    report.finish();
    return 0;
  });
}
