#pragma once
/// Definitions of model/stalls.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/observed_prep.hpp>
#include <plumbline/model/read_ahead.hpp>
#include <plumbline/model/stalls.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>

namespace plumbline {

namespace detail {

/// The share of the files that so many bytes keep: none if they cannot be kept or have no end, all if none are read.
inline double share_kept(const stall_analysis& of, double memory) {
  if (of.memory_bytes > 0 && std::isfinite(of.memory_bytes)) return std::clamp(memory / of.memory_bytes, 0.0, 1.0);
  return of.bytes_read > 0 ? 0 : 1;
}

/// Throws if a member cannot be. `caller`: for the message.
inline void check_what_if(const what_if& other, const char* caller) {
  const auto need = [&](bool is, const char* member, double value, const char* give) {
    if (!is)
      throw std::invalid_argument(std::string("plumbline: ") + caller + ": what_if." + member + " is " +
                                  exact_number(value) + "; give " + give);
  };
  const auto above_0 = [&](const char* member, double value, const char* give) {
    need(value > 0, member, value, give);  // false for NaN
  };
  above_0("cores", other.cores.value_or(1), "a number of cores above 0, or none for those that were analysed");
  need(other.memory.value_or(0) >= 0, "memory", other.memory.value_or(0), "bytes, 0 or more");
  above_0("storage", other.storage, "how many times the bandwidth, above 0; 1 is as it is");
  above_0("step", other.step, "how many times the speed, above 0; 1 is as it is");
  above_0("jobs", static_cast<double>(other.jobs), "1 or more");
  above_0("servers", static_cast<double>(other.servers), "1 or more");
  above_0("network_bytes_per_second", other.network_bytes_per_second, "bytes a second, above 0");
}

/// What f(point) is with a share x of the files in a cache, by the points that were observed; `without` if there are
/// none.
template <class F> double with_share(const std::vector<cached_rates>& points, double x, double without, F&& f) {
  if (points.empty()) return without;
  auto after = std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.share >= x; });
  if (after == points.end()) return f(points.back());
  if (after == points.begin()) return f(*after);
  const auto &low = *std::prev(after), &high = *after;
  const double part = (x - low.share) / (high.share - low.share);
  return (1 - part) * f(low) + part * f(high);
}
/// The preparation's time with these rates, relative to files in the page cache.
inline double relative_time(const stall_analysis& of, const cached_rates& with) {
  const double t = with.prep > 0 && of.prep > 0 ? of.prep / with.prep : 1;
  return std::isfinite(t) && t > 0 ? t : 1;
}

/// The same of its processor time: reading on I/O threads may be faster, but saves none.
inline double prep_cpu_time(const cached_rates& with, double time) {
  return with.share > 0 ? time : std::max(time, 1.0);
}

/// How the step and the preparation interfere: the measured rate of training relative to what they would allow by
/// themselves. Less than 1 if they lose time to each other (processor caches, wakeups); 1 if it is within 2 %.
/// `prep`: the rate of the preparation; `cpu`: its processor seconds for a batch.
inline double interference_of(const stall_analysis& of, double together, double prep, double cpu) {
  if (!(together > 0)) return 1;
  const double all_cores = std::max(of.all_cores, of.cores);
  const double apart = std::min({of.step, prep, all_cores * inverse(cpu + of.step_cpu_seconds)});
  const double ratio = together * inverse(apart);
  return std::abs(ratio - 1) < run_to_run ? 1 : std::clamp(ratio, 0.1, 2.0);
}

/// The same with a share x of the files in a cache.
inline double interference_with(const stall_analysis& of, double x) {
  const double cpu = prep_cpu(scaled_needs(of)), in_memory = interference_of(of, of.together, of.prep, cpu);
  return with_share(of.cached, x, in_memory, [&](const cached_rates& p) {
    const double time = relative_time(of, p);
    return p.together > 0 ? interference_of(of, p.together, of.prep / time, cpu * prep_cpu_time(p, time)) : in_memory;
  });
}

/// G, F and P of one job on one server. P is that of preparation by itself; less if a step computes on its cores.
struct stall_rates {
  double x = 0, step = 0, prep_alone = 0, prep = 0;
  fetching files{};
  double interference = 1;
  double fetch() const { return files.rate(); }
  double without_fetch() const { return std::min(step, interference * std::min(step, prep)); }
  /// The same if the two lost nothing to each other.
  double apart() const { return interference < 1 ? std::min(step, prep) : without_fetch(); }
};
/// `observed`: the analysis that the interference is taken from.
inline stall_rates stall_rates_of(const stall_analysis& of, const what_if& other, const stall_analysis& observed) {
  const auto jobs = static_cast<double>(other.jobs), servers = static_cast<double>(other.servers);
  // one preparation for all jobs has the whole machine; else each has its part
  const double parts = other.shared_preparation ? 1 : jobs;
  const double cores = other.cores.value_or(of.cores) / parts;
  const double memory = other.memory.value_or(0) / (other.shared_memory ? 1 : parts);
  stall_rates out;
  out.x = share_kept(of, servers * memory);
  out.step = of.step * other.step;
  // of what is in memory, this part is in other machines'
  const double elsewhere = 1 - 1 / servers, network = other.network_bytes_per_second * inverse(of.bytes_read);
  out.files = {.from_memory = inverse((1 - elsewhere) / of.memory_fetch + elsewhere / network) / parts,
               .from_storage = of.storage_fetch * other.storage / parts,
               .misses = 1 - out.x,
               .size_variation = of.size_variation,
               .in_turn = of.fetches_in_turn()};
  const auto time = [&](const cached_rates& p) { return relative_time(of, p); };
  out.prep = out.prep_alone =
      prep_on(of, cores, of.all_cores / parts, out.files.misses) / with_share(of.cached, out.x, 1, time);
  const auto cpu_time = [&](const cached_rates& p) { return prep_cpu_time(p, time(p)); };
  const double step_cpu = of.step_cpu_seconds / other.step, cpu = prep_cpu(scaled_needs(of));
  if (step_cpu > 0) {
    const double steps = jobs / parts;  // for each batch that is prepared
    const double needed =
        steps * step_cpu + cpu * with_share(of.cached, out.x, 1, cpu_time) + out.files.misses * of.storage_cpu_seconds;
    out.prep = std::min(out.prep, std::max(of.all_cores / parts, cores) * inverse(needed));
  }
  out.interference = interference_with(observed, out.x);
  return out;
}

/// predict, without errors.
inline stall_prediction predicted(const stall_analysis& of, const what_if& other, const stall_analysis& observed) {
  const auto r = stall_rates_of(of, other, observed);
  const double without_fetch = r.without_fetch();
  // reading is ahead of the preparation by some files, and of a slower step by more
  auto files = r.files;
  files.ahead = of.files_ahead;
  const double prep = std::max(without_fetch, r.interference * r.prep);
  double rate = rate_with_read_ahead(files, prep);
  if (without_fetch < prep) {
    files.ahead = std::max(of.files_ahead, of.files_ahead_of_step);
    rate = std::min(rate, rate_with_read_ahead(files, without_fetch));
  }
  stall_prediction out;
  out.rate = rate * static_cast<double>(other.servers);
  out.share_in_memory = r.x;
  out.fetch_rate = r.fetch();
  out.prep_rate = r.prep_alone;
  out.compute = rate * inverse(r.step);
  out.prep = rate * (inverse(without_fetch) - inverse(r.step));
  if (rate > 0) out.interference = rate * (inverse(without_fetch) - inverse(r.apart()));
  out.fetch = rate * (inverse(rate) - inverse(without_fetch));
  out.limit = rate < (1 - run_to_run) * without_fetch || r.fetch() < without_fetch ? "fetching"
              : r.prep < r.step                                                    ? "preparation"
                                                                                   : "the step";
  return out;
}

}  // namespace detail

PLUMBLINE_INLINE stall_prediction predict(const stall_analysis& of, const what_if& other) {
  detail::check_what_if(other, "predict");
  auto out = detail::predicted(of, other, of);
  // The errors are independent, so what each changes adds up in squares. Other rates of the parts do not change how
  // they interfere; otherwise an error of P would cancel itself, as the interference is what training has of P.
  enum class of_what { parts, interference };
  const auto vary = [&](double error, auto&& scale, of_what varied = of_what::parts) {
    if (!(error > 0)) return;
    auto low = of, high = of;
    scale(low, 1 - std::min(error, 0.9));
    scale(high, 1 + error);
    const auto then = [&](const stall_analysis& x) {
      return varied == of_what::parts ? detail::predicted(x, other, of) : detail::predicted(of, other, x);
    };
    const auto a = then(low), b = then(high);
    const auto add = [&](double stall_prediction::*to, double stall_prediction::*value) {
      // where another part becomes the limit, only one of the two may change
      const double most = std::max(std::abs(a.*value - out.*value), std::abs(b.*value - out.*value));
      out.*to = std::hypot(out.*to, most);
    };
    add(&stall_prediction::rate_error, &stall_prediction::rate);
    add(&stall_prediction::compute_error, &stall_prediction::compute);
    add(&stall_prediction::prep_error, &stall_prediction::prep);
    add(&stall_prediction::fetch_error, &stall_prediction::fetch);
  };
  vary(of.step_error, [](stall_analysis& a, double times) { a.step *= times; });
  // rates with files elsewhere were measured apart, if their errors are known
  vary(of.prep_error, [](stall_analysis& a, double times) {
    a.prep *= times;
    for (auto& p : a.cached) p.prep *= p.error > 0 ? 1 : times;
  });
  for (std::size_t i = 0; i != of.cached.size(); ++i) {
    vary(of.cached[i].error, [=](stall_analysis& a, double times) { a.cached[i].prep *= times; });
    vary(
        of.cached[i].together_error, [=](stall_analysis& a, double times) { a.cached[i].together *= times; },
        of_what::interference);
  }
  vary(of.memory_error, [](stall_analysis& a, double times) { a.memory_fetch *= times; });
  vary(of.storage_error, [](stall_analysis& a, double times) { a.storage_fetch *= times; });
  vary(of.storage_cpu_error, [](stall_analysis& a, double times) { a.storage_cpu_seconds *= times; });
  vary(
      of.together_error,
      [](stall_analysis& a, double times) {
        a.together *= times;
        for (auto& p : a.cached) p.together *= p.together_error > 0 ? 1 : times;
      },
      of_what::interference);
  // the preparation is the limit, and its rate, by itself and beside the step, was measured too few times
  if (out.limit == "preparation" && !(of.prep_error > 0) && !(of.together_error > 0))
    out.rate_error = out.compute_error = out.prep_error = out.fetch_error = 0;
  return out;
}

PLUMBLINE_INLINE double least_memory(const stall_analysis& of, what_if other) {
  detail::check_what_if(other, "least_memory");
  const auto stalls = [&](double memory) {
    other.memory = memory;
    return detail::predicted(of, other, of).fetch > 0.01;
  };
  const bool one_cache = other.shared_preparation || other.shared_memory;
  double low = 0, high = of.memory_bytes * (one_cache ? 1 : static_cast<double>(other.jobs));
  if (!stalls(low)) return 0;
  if (stalls(high)) return detail::infinite;
  for (int i = 0; i != 60; ++i) (stalls((low + high) / 2) ? low : high) = (low + high) / 2;
  return high;
}
PLUMBLINE_INLINE double lru_hits(double x) {
  if (!(x > 0)) return 0;
  return x < 1 ? 1 - (1 - x) * (1 - std::log1p(-x)) : 1;
}
PLUMBLINE_INLINE double least_cores(const stall_analysis& of, what_if other) {
  detail::check_what_if(other, "least_cores");
  const auto stalls = [&](double cores) {
    other.cores = cores;
    const auto r = detail::stall_rates_of(of, other, of);
    return r.prep < (1 - 1e-9) * r.step;
  };
  double high = 1;
  while (stalls(high)) {
    if (high > 1e6) return detail::infinite;
    high *= 2;
  }
  double low = high / 2;
  while (high - low > 1) (stalls(std::floor((low + high) / 2)) ? low : high) = std::floor((low + high) / 2);
  return high;
}

}  // namespace plumbline
