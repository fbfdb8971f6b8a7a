#pragma once
/// The output of a benchmark: where it ran, tables, targets. A missed target is reported but is not an error: a
/// benchmark fails only if what it measures does not work.

#include <tbb/version.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <plumbline/model/machine.hpp>
#include <sstream>
#include <string>

#include "support/measure.hpp"

namespace bench {

struct options {
  bool quick = false;
  std::size_t rounds = 0;  ///< 0: the benchmark's default
  std::string json{};

  std::size_t rounds_or(std::size_t full, std::size_t quick_rounds) const {
    return rounds != 0 ? rounds : quick ? quick_rounds : full;
  }
};

/// The options that every benchmark takes.
inline void add_options(CLI::App& app, options& o) {
  app.add_flag("--quick", o.quick, "fewer and shorter rounds");
  app.add_option("--rounds", o.rounds, "number of rounds, whose median is reported")->check(CLI::Range(1, 1000));
  app.add_option("--json", o.json, "also write the figures to this file");
}

inline std::string fixed(double x, int digits) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << x;
  return out.str();
}

class report {
 public:
  report(const std::string& question, const options& o) : options_(o) {
    json_["question"] = question;
    json_["quick"] = o.quick;
    std::cout << question << '\n';
    json_["tables"] = nlohmann::json::array();
    json_["targets"] = nlohmann::json::array();
    note("machine",
         cpu() + ", " + std::to_string(plumbline::machine::here().cores) + " cores; load at the start " + load());
    note("compiler", compiler());
    note("oneTBB", TBB_runtime_version());
  }
  report(const report&) = delete;

  void note(const std::string& what, const std::string& value) {
    json_["notes"][what] = value;
    std::cout << "  " << what << ": " << value << '\n';
  }

  /// One row for each contender: the median, the lowest and highest round, in the table's unit.
  void table(const std::string& title, const std::string& unit, int digits,
             const std::vector<std::pair<std::string, series>>& rows) {
    std::size_t wide = 12;
    for (const auto& [who, s] : rows) wide = std::max(wide, who.size());
    const auto w = static_cast<int>(wide);
    std::cout << '\n' << title << " [" << unit << "]\n";
    std::cout << "  " << std::left << std::setw(w) << "" << std::right << std::setw(10) << "median" << std::setw(10)
              << "lowest" << std::setw(10) << "highest" << std::setw(8) << "rounds" << '\n';
    nlohmann::json entry{{"title", title}, {"unit", unit}, {"rows", nlohmann::json::array()}};
    for (const auto& [who, s] : rows) {
      std::cout << "  " << std::left << std::setw(w) << who << std::right << std::setw(10) << fixed(s.median(), digits)
                << std::setw(10) << fixed(s.low(), digits) << std::setw(10) << fixed(s.high(), digits) << std::setw(8)
                << s.rounds.size() << '\n';
      entry["rows"].push_back({{"who", who}, {"median", s.median()}, {"rounds", s.rounds}});
    }
    json_["tables"].push_back(std::move(entry));
  }

  /// Adds figures to the JSON file that the benchmark prints itself.
  void record(const std::string& what, nlohmann::json figures) { json_["figures"][what] = std::move(figures); }

  /// Reports how quiet the machine was while the last table was measured.
  void quiet(const turns& t) {
    std::cout << "  (other processes used " << fixed(100 * t.disturbed, 1) << " % of a core";
    if (t.repeated != 0) std::cout << "; " << t.repeated << " rounds were measured again because they used more";
    std::cout << ")\n";
    json_["tables"].back()["others_of_a_core"] = t.disturbed;
    json_["tables"].back()["rounds_measured_again"] = t.repeated;
  }

  /// If `from` is given, the target is evaluated only if the machine was quiet during those turns.
  void at_most(const std::string& what, double value, double limit, int digits = 2, const turns* from = nullptr) {
    target(what, value, limit, value <= limit, "at most", digits, from);
  }
  void at_least(const std::string& what, double value, double limit, int digits = 2, const turns* from = nullptr) {
    target(what, value, limit, value >= limit, "at least", digits, from);
  }
  void skipped(const std::string& what, const std::string& why) {
    json_["skipped"].push_back({{"what", what}, {"why", why}});
    std::cout << "\nSKIPPED: " << what << ": " << why << '\n';
  }

  /// Writes the JSON file, if one was requested.
  void finish() const {
    std::cout << std::flush;
    if (options_.json.empty()) return;
    std::ofstream out(options_.json);
    out << json_.dump(2) << '\n';
    if (!out.flush()) throw std::runtime_error("cannot write " + options_.json);
  }

 private:
  void target(const std::string& what, double value, double limit, bool met, const char* relation, int digits,
              const turns* from) {
    const bool evaluated = from == nullptr || from->disturbed < 0.1;
    json_["targets"].push_back({{"what", what},
                                {"value", value},
                                {"limit", limit},
                                {"relation", relation},
                                {"evaluated", evaluated},
                                {"met", met}});
    std::cout << "target: " << what << ' ' << fixed(value, digits) << ", " << relation << ' ' << fixed(limit, digits)
              << ": "
              << (!evaluated ? "not evaluated, other processes were using the cores"
                  : met      ? "met"
                             : "NOT met")
              << '\n';
  }
  static std::string compiler() {
#ifdef __clang__
    std::string name = "clang " __clang_version__;
#else
    std::string name = "g++ " __VERSION__;
#endif
#ifdef PLUMBLINE_BENCH_FLAGS
    name += ", " PLUMBLINE_BENCH_FLAGS;
#endif
    return name;
  }
  static std::string cpu() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown processor";
  }
  static std::string load() {
    std::string one = "unknown";
    std::ifstream("/proc/loadavg") >> one;
    return one;
  }
  options options_;
  nlohmann::json json_;
};

/// Runs a benchmark's main; prints an exception and returns 1.
template <class F> int guarded_main(F&& f) {
  try {
    return f();
  } catch (const std::exception& e) {
    std::cerr << "benchmark failed: " << e.what() << '\n';
    return 1;
  }
}

}  // namespace bench
