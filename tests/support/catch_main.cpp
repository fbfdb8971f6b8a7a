// Catch2's main, compiled once for all test executables.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "skip.hpp"

int main(int argc, char** argv) {
  const int failed = Catch::Session().run(argc, argv);
  return failed == 0 && plumbline_test::skips > 0 ? plumbline_test::skip_status : failed;
}
