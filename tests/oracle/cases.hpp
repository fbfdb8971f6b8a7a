#pragma once
// What the test cases share that write_cases.py writes: runs a chain with each set of parameters, and compares its
// elements with those of tf.data.

#include <plumbline/exec/run.hpp>
#include <plumbline/ops.hpp>

#include <oracle/functions.hpp>
#include <support/streams.hpp>
#include <support/text.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <exception>
#include <span>
#include <sstream>
#include <string>

namespace plumbline_test::oracle {

// q(i): the i-th parameter of a chain.
class parameters {
 public:
  explicit parameters(std::span<const std::int64_t> all) : all_(all) {}
  std::int64_t operator()(std::size_t i) const { return all_[i]; }

 private:
  std::span<const std::int64_t> all_;
};

inline void must_agree(const char* chain, std::span<const std::int64_t> q, std::size_t threads, const texts& got,
                       const char* expected) {
  texts want;
  std::istringstream lines(expected);
  for (std::string line; std::getline(lines, line);) want.push_back(line);
  const auto d = difference(got, want);
  if (d.empty()) return;
  std::string shown;
  for (const auto x : q) shown += (shown.empty() ? "" : ", ") + std::to_string(x);
  FAIL_CHECK(chain << "\nwith q = " << shown << ", threads " << threads << ": " << d);
}

// `expected[k]`: the texts of the elements for the k-th set of parameters, one a line.
template <std::size_t Sets, std::size_t Count, class Make>
void agrees(const char* chain, const std::int64_t (&sets)[Sets][Count], const char* const (&expected)[Sets],
            Make make) {
  for (std::size_t k = 0; k != Sets; ++k)
    for (const std::size_t threads : {0U, 2U}) {
      texts got;
      try {
        pl::run_options how;
        how.threads = threads;
        auto s = pl::run(make(parameters(sets[k])), how);
        while (auto x = s.next()) got.push_back(text(*x));
      } catch (const std::exception& e) {
        got.push_back(std::string("error: ") + e.what());
      }
      must_agree(chain, sets[k], threads, got, expected[k]);
    }
  SUCCEED();
}

}  // namespace plumbline_test::oracle
