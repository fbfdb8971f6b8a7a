#pragma once
// Jobs of run_shared as processes.
#include <support/own_process.hpp>
#include <support/temp_folder.hpp>

#include <plumbline/plumbline.hpp>
#include <plumbline/shared/run_shared.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline_test {

namespace pl = plumbline;

struct row {
  pl::tensor<float> values;
  std::vector<std::int64_t> members;
  std::string name;
};

// Indexed, random, with batches made in place.
inline auto pictures(std::int64_t n) {
  return pl::range(n) | pl::shuffle(3) | pl::map([](std::int64_t i, pl::rng& r) {
           pl::tensor<float> t({40, 40}, static_cast<float>(i));
           t(3, 4) = static_cast<float>(r.uniform());
           return t;
         }) |
         pl::batch<4>();
}
// Not indexed, with elements of several parts, which are made elsewhere.
inline auto rows(std::int64_t n) {
  return pl::range(n) | pl::filter([](std::int64_t i) { return i % 3 != 0; }) | pl::shuffle(5, 20) |
         pl::map([](std::int64_t i) {
           return row{pl::tensor<float>({static_cast<std::size_t>(i % 7)}, static_cast<float>(i)),
                      std::vector<std::int64_t>(static_cast<std::size_t>(i % 5), i), std::to_string(i)};
         });
}
inline std::uint64_t hash_of(const pl::tensor<float>& t) {
  return pl::detail::hash_of(std::string_view(reinterpret_cast<const char*>(t.data()), t.size_bytes()));
}
inline std::uint64_t hash_of(const row& r) {
  return pl::hash_combine(pl::detail::hash_of(r.members),
                          pl::hash_combine(hash_of(r.values), pl::detail::hash_of(r.name)));
}

// What one epoch should be: the hashes of its batches.
template <class P> std::vector<std::uint64_t> epoch_of(const P& p, std::uint64_t epoch) {
  std::vector<std::uint64_t> all;
  for (const auto& b : pl::run(p, {.threads = 2, .seed = 11, .first_epoch = epoch})) all.push_back(hash_of(b));
  return all;
}

struct work {
  std::string name, pipeline = "pictures";
  std::size_t jobs = 1, epochs = 3, size = 200, ahead = 8;
  int step_us = 0;  // how long it takes for each batch
  double wait = 60, stuck = 60;
};

// By a clock that all processes have in common.
inline std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What a job wrote: for each batch its epoch, its hash, how long it waited for it, and when it had it; then its totals.
struct got {
  std::map<std::uint64_t, std::vector<std::uint64_t>> epochs;
  bool ended = false;
  std::vector<std::int64_t> taken_us;
  std::uint64_t prepared = 0, copied = 0;
  double longest_wait = 0;
  std::string error;
};

inline std::string text_of(const work& w) {
  std::ostringstream all;
  all << w.pipeline << ' ' << w.jobs << ' ' << w.epochs << ' ' << w.size << ' ' << w.ahead << ' ' << w.step_us << ' '
      << w.wait << ' ' << w.stuck << ' ' << w.name;
  return all.str();
}
struct job : own_process {
  job(const work& w, const std::string& output) : own_process("a job of run_shared", text_of(w), output) {}
  got result() const {
    got all;
    for (const auto& line : lines()) {
      std::istringstream words(line);
      std::string kind;
      words >> kind;
      if (kind == "batch") {
        std::uint64_t epoch = 0, hash = 0;
        double waited = 0;
        words >> epoch >> hash >> waited >> all.taken_us.emplace_back();
        all.epochs[epoch].push_back(hash);
        all.longest_wait = std::max(all.longest_wait, waited);
      } else if (kind == "end") {
        all.ended = true;
        words >> all.prepared >> all.copied;
      } else if (kind == "error") {
        all.error = line;
      }
    }
    return all;
  }
};

// The message of what f throws; empty if it throws nothing.
std::string error_of(auto&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace plumbline_test
