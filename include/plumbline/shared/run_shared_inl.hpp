#pragma once
/// Definitions of shared/run_shared.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/core/excerpt.hpp>
#include <plumbline/shared/run_shared.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <unistd.h>

namespace plumbline::detail {

PLUMBLINE_INLINE std::size_t shared_capacity() {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return std::max(sizeof(shared_header) + page, static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * page);
}
PLUMBLINE_INLINE void check_shared(const shared_options& how) {
  const auto invalid = [](const std::string& why) { throw std::invalid_argument("plumbline: run_shared: " + why); };
  if (how.name.empty()) invalid("the jobs have no name in common; set `name`");
  const auto check = [&](const char* option, std::size_t n, std::size_t most) {
    if (n == 0 || n > most)
      invalid(std::string(option) + " is " + std::to_string(static_cast<std::ptrdiff_t>(n)) + "; give 1 to " +
              std::to_string(most));
  };
  check("jobs", how.jobs, most_shared_jobs);
  check("ahead", how.ahead, most_shared_ahead);
  if (!(how.wait_seconds >= 0)) invalid("wait_seconds is " + exact_number(how.wait_seconds) + "; give at least 0");
  if (!(how.stuck_seconds > 0)) invalid("stuck_seconds is " + exact_number(how.stuck_seconds) + "; give more than 0");
  if (how.run.order != output_order::kept)
    invalid(
        "with order = unordered the jobs would not know which batches are left when one ends; use the default order");
}
PLUMBLINE_INLINE std::shared_ptr<shared_reader> join(const shared_options& how, std::uint64_t identity,
                                                     const std::string& pipeline) {
  std::shared_ptr<shared_segment> segment;
  // as much as the header holds, with the "..."
  const auto own = excerpt(pipeline + ", seed " + std::to_string(how.run.seed), sizeof shared_header::pipeline - 4);
  const auto make = [&] {
    segment = std::make_shared<shared_segment>(shared_capacity());
    auto& h = segment->header();
    h.identity = identity;
    h.ahead = how.ahead;
    h.jobs = how.jobs;
    h.first_epoch = how.run.first_epoch;
    std::memcpy(h.pipeline, own.c_str(), own.size() + 1);
  };
  const auto check = [&](const shared_header& h) {
    if (h.identity == identity) return;
    const std::string theirs = h.pipeline;
    throw std::invalid_argument("plumbline: run_shared: the jobs of \"" + how.name +
                                "\" run another pipeline: " + theirs +
                                (theirs == own ? ", with other functions, parameters, elements or sources" : "") +
                                ". This one is " + own + "; give each pipeline a name of its own");
  };
  const auto open = [&](descriptor theirs) -> std::shared_ptr<shared_file> {
    if (theirs.get() < 0)
      make();
    else
      segment = std::make_shared<shared_segment>(std::move(theirs));
    check(segment->header());
    return segment;
  };
  const auto begin = [&](std::size_t number) {
    auto& h = segment->header();
    auto before = h.numbers.load();
    while (before <= number && !h.numbers.compare_exchange_weak(before, static_cast<std::uint32_t>(number) + 1)) {
    }
    auto& job = h.job[number];
    job.part = taking_part::no;
    job.asks = 0;
    job.beat = 0;
    job.pid = static_cast<std::int32_t>(::getpid());
  };
  auto at = std::make_unique<rendezvous>("run_shared", how.name, open, begin);
  return std::make_shared<shared_reader>(std::move(at), std::move(segment), how.stuck_seconds);
}

}  // namespace plumbline::detail
