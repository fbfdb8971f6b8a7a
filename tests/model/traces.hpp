#pragma once
// Traces written by hand.
#include <plumbline/model/trace.hpp>

#include <initializer_list>

namespace plumbline_test {

namespace pl = plumbline;

/// A trace built operator by operator, as layout and tracer would record it.
struct made_trace : pl::trace {
  made_trace(double seconds, std::size_t with_threads) {
    wall_seconds = seconds;
    threads = with_threads;
    epochs = 1;
  }
  struct what {
    std::string name;
    pl::form how = pl::form::element;
    std::vector<std::uint32_t> inputs{};
    pl::cardinality count = pl::cardinality::unknown();
    double takes = 0;
    pl::operator_counters did{};
  };
  std::uint32_t add(what w) {
    const auto number = static_cast<std::uint32_t>(operators.size() + 1);
    pl::layout_row row{.number = number, .name = w.name, .element = w.name + "'s"};
    row.facts.count = w.count;
    row.how = w.how;
    row.inputs = w.inputs;
    row.takes = w.takes;
    operators.push_back(row);
    counters.push_back(w.did);
    return number;
  }
  /// Adds a part whose time is that of its operators.
  void part(std::vector<std::uint32_t> numbers, bool serial, double overhead = 0, std::uint64_t messages = 1) {
    pl::part_counters p{.operators = numbers, .serial = serial, .messages = messages, .overhead_seconds = overhead};
    p.cpu_seconds = p.wall_seconds = overhead;
    for (const auto n : numbers) {
      p.cpu_seconds += counters[n - 1].cpu_seconds;
      p.wall_seconds += counters[n - 1].wall_seconds;
    }
    parts.push_back(p);
  }
};

}  // namespace plumbline_test
