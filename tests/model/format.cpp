// number_text: what printf gives in the C locale, also in a locale whose decimal separator is a comma.
#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/format.hpp>
#include <plumbline/report/batch_csv.hpp>
#include <plumbline/report/svg.hpp>

#include <catch2/catch.hpp>

#include <support/skip.hpp>
#include <support/temp_folder.hpp>

#include <bit>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace pl = plumbline;
using namespace plumbline_test;

namespace {
std::string printed(double x, const char* format) {
  char text[400];
  std::snprintf(text, sizeof text, format, x);
  return text;
}
}  // namespace

TEST_CASE("format: shares") {
  CHECK(pl::percent_text(0.14) == "14 %");
  CHECK(pl::percent_text(-0.001) == "0 %");
  CHECK(pl::percent_text(-0.02) == "-2 %");
  CHECK(pl::percent_text(0) == "0 %");
}

TEST_CASE("format: numbers as by printf") {
  std::vector<double> all{0.0,
                          -0.0,
                          0.5,
                          1.5,
                          2.5,
                          0.125,
                          999.5,
                          9999.5,
                          99995,
                          1e15,
                          1e300,
                          5e-324,
                          std::numeric_limits<double>::quiet_NaN(),
                          -std::numeric_limits<double>::quiet_NaN()};
  for (int k = -20; k != 20; ++k)
    for (const double x : {1.0, 9.9995, 9.5, 1.25, 4.9999999999999999})
      for (const double sign : {1, -1}) all.push_back(sign * x * std::pow(10, k));
  std::mt19937_64 random(1);
  for (int i = 0; i != 10'000; ++i)
    if (const auto x = std::bit_cast<double>(random()); std::isfinite(x)) all.push_back(x);
  std::uniform_real_distribution<double> usual(-1000, 1000);
  for (int i = 0; i != 10'000; ++i) all.push_back(usual(random));
  for (const char* format : {"%.4g", "%.3g", "%.2g", "%.0f", "%.1f", "%.2f", "%.9f", "%3.0f", "%8.2f", "%10.4g"}) {
    std::size_t others = 0;
    for (const double x : all)
      if (pl::number_text(x, format) != printed(x, format)) others += 1;
    INFO(format);
    CHECK(others == 0);
  }
  CHECK(pl::number_text(12345.678) == "1.235e+04");
  CHECK(pl::short_text(0.1234) == "0.12");
  CHECK(pl::short_text(99.4) == "99");
  CHECK(pl::short_text(99.6) == "100");
  CHECK(pl::short_text(1944) == "1944");
  CHECK(pl::short_text(227471) == "2.3e+05");
  CHECK(pl::number_text(1.5, "%8.2f") == "    1.50");
  CHECK(pl::number_text(std::numeric_limits<double>::infinity(), "%10.4g") == "-");
}

TEST_CASE("format: large numbers stay short, and what a user gave is shown as it is") {
  CHECK(pl::bytes_text(1e300) == "1e+285 PB");
  CHECK(pl::bytes_text(12e15) == "12.0 PB");
  CHECK(pl::bytes_text(9999e15) == "9999 PB");
  using pl::detail::exact_number;
  CHECK(exact_number(1e300) == "1e+300");
  CHECK(exact_number(-1.0) == "-1");
  CHECK(exact_number(0.1) == "0.1");
  CHECK(exact_number(0.1F) == "0.1");
  CHECK(exact_number(1e-9) == "1e-09");
  CHECK(exact_number(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(exact_number(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(exact_number(true) == "1");
}

TEST_CASE("format: a locale with a decimal comma changes nothing", "[host]") {
  const temp_folder at;
  const std::string made = "localedef -i de_DE -f UTF-8 " + (at / "de_DE.UTF-8") + " >/dev/null 2>&1";
  static_cast<void>(std::system(made.c_str()));
  ::setenv("LOCPATH", at.path().c_str(), 1);
  const bool there = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  ::unsetenv("LOCPATH");
  if (!there || printed(0.5, "%.1f") != "0,5") {
    std::setlocale(LC_ALL, "C");
    return skip("localedef cannot make the locale de_DE.UTF-8");
  }
  pl::batch_log log;
  log.batches = {{.ready = 1'500'000'000, .had = 1, .consumed = 1'500'000'001}};
  const auto number = pl::number_text(1234.5, "%.1f"), time = pl::time_text(0.0015), size = pl::bytes_text(1.5e3),
             place = pl::detail::svg::at(0.25), table = pl::write_csv(log);
  std::setlocale(LC_ALL, "C");
  CHECK(number == "1234.5");
  CHECK(time == "1.5 ms");
  CHECK(size == "1.5 kB");
  CHECK(place == "0.2");
  CHECK(table == pl::write_csv(log));
  CHECK(table.find(",1.500000000,") != std::string::npos);
}
