#pragma once
/// Definitions of report/explain_stalls.hpp.

#include <plumbline/model/format.hpp>
#include <plumbline/model/observed_prep.hpp>
#include <plumbline/model/place_caches.hpp>
#include <plumbline/model/price_list.hpp>
#include <plumbline/report/explain_stalls.hpp>
#include <plumbline/report/table.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace plumbline {

namespace detail {
inline std::string rate_or_none(double rate) { return std::isfinite(rate) ? number_text(rate, "%.4g") : "-"; }
/// "2.0 %"; empty if the error is unknown or too small to show.
inline std::string error_text(double relative) {
  return relative >= 5e-4 ? number_text(100 * relative, relative < 0.095 ? "%.1f" : "%.0f") + " %" : "";
}
/// "24 to 26"; empty if the error is unknown or too small to show.
inline std::string interval_text(double rate, double relative) {
  if (!std::isfinite(rate) || error_text(relative).empty()) return "";
  return number_text(rate * std::max(1 - relative, 0.0), "%.4g") + " to " + number_text(rate * (1 + relative), "%.4g");
}
/// The predicted rate and shares with their errors: "25 ± 1", "25 ± 2 %".
inline std::string rate_and_error(const stall_prediction& p) {
  return number_text(p.rate, "%.4g") + (p.rate_error >= 5e-4 * p.rate ? " ± " + short_text(p.rate_error) : "");
}
inline std::string share_and_error(double x, double error) {
  return number_text(100 * x, "%.0f") + (error >= 0.005 ? " ± " + number_text(100 * error, "%.0f") : "") + " %";
}
/// How much of the waiting for preparation no core changes: " (17 % as the two slow each other down)".
inline std::string interference_text(const stall_prediction& p) {
  return p.interference < 0.005 ? "" : " (" + percent_text(p.interference) + " as the two slow each other down)";
}
inline std::string shares_text(const stall_prediction& p) {
  return share_and_error(p.compute, p.compute_error) + " of the time in the step, " +
         share_and_error(p.prep, p.prep_error) + " waiting for preparation" + interference_text(p) + ", " +
         share_and_error(p.fetch, p.fetch_error) + " for fetching";
}
/// True if cache(bytes) can keep all files; of an endless stream no size is known.
inline bool has_size(const stall_analysis& of) { return of.memory_bytes > 0 && std::isfinite(of.memory_bytes); }
/// True if files are read that cache(bytes) cannot keep.
inline bool reads_uncacheable(const stall_analysis& of) { return of.bytes_read > 0 && of.memory_bytes == 0; }
inline constexpr const char* no_cache_text =
    "no cache(bytes) is possible for these files, as the stream that reads them is not indexed: read whole files with "
    "read_file, and take records out after the cache with flat_map";

/// What the rates are of if the pipeline has caches itself; empty if it has none.
inline std::string own_caches_text(const stall_analysis& of) {
  if (of.caches.empty()) return "";
  std::string all;
  for (const auto& c : of.caches)
    all += (all.empty() ? "operator " : ", operator ") + std::to_string(c.number) + " (" + c.name + ")";
  const bool one = of.caches.size() == 1;
  const std::string are = one ? " is a cache" : " are caches", they = one ? "it" : "they", them = one ? "it" : "them";
  return all + are + " of the pipeline itself: batches were measured with what " + they +
         " held by then, which was neither read nor prepared again, so P, C and S are not those of a first epoch; "
         "analyze the pipeline without " +
         them + " to know these, and what a cache brings";
}
/// How the rate falls with more of the files in memory, if it does; empty if not.
inline std::string fall_text(const stall_analysis& of) {
  double fall = 5e-4, error = 0;
  for (const double x : {0.5, 1.0}) {
    const auto less = predict(of, {.memory = (x - 0.5) * of.memory_bytes}),
               more = predict(of, {.memory = x * of.memory_bytes});
    const double here = 1 - more.rate * inverse(less.rate);
    if (!(here > fall)) continue;
    fall = here;
    error = std::max(run_to_run, std::hypot(less.rate_error, more.rate_error) * inverse(less.rate));
  }
  if (fall <= 5e-4) return "";
  return "with more of the files in memory the rate is up to " + number_text(100 * fall, "%.1f") + " % lower: " +
         (fall <= error ? "less than the error of the measurements"
                        : "files from storage are read on I/O threads, beside the compute threads, and these copy what "
                          "a cache holds");
}

inline std::string count_of_cores(double n) { return number_text(n) + (n == 1 ? " core" : " cores"); }
/// True if storage may matter, but too little was read of it to be measured.
inline bool storage_is_unknown(const stall_analysis& of) {
  return of.data_bytes >= 0x1p20 && !std::isfinite(of.storage_fetch);
}
inline constexpr const char* unknown_storage_text =
    "S was not measured, as less than 1 MiB of files was read in the time allowed: give analyze more seconds, or "
    "the disk's curve; the predictions are for files in memory";

/// G, P, C and S as rows of cells, the first the header: as measured, with their 95 % intervals or errors, and as the
/// planner's model has them.
inline std::vector<std::vector<std::string>> measured_rows(const stall_analysis& of, bool intervals) {
  const auto error = [&](double rate, double relative) {
    return intervals ? interval_text(rate, relative) : error_text(relative);
  };
  std::vector<std::vector<std::string>> rows{
      {"batches a second", "", "measured", intervals ? "95 % interval" : "error", "the planner's model"},
      {"G  the step, on a batch already in memory", "", rate_or_none(of.step), error(of.step, of.step_error), ""},
      {"P  preparation, files in memory", count_of_cores(of.cores), rate_or_none(of.prep),
       of.prep_error > 0 ? error(of.prep, of.prep_error) : "unknown",
       of.modelled_prep > 0 ? rate_or_none(of.modelled_prep) : ""}};
  const auto where = [](double share) -> std::string {
    return share == 0   ? "all files read on I/O threads"
           : share == 1 ? "all files in a cache"
                        : percent_text(share) + " of the files in a cache, others on I/O threads";
  };
  for (const auto& p : of.cached)
    rows.push_back({"   the same, " + where(p.share), "",
                    p.prep == of.prep ? "no difference found" : rate_or_none(p.prep),
                    p.error > 0 ? error(p.prep, p.error) : "", ""});
  if (of.together > 0)
    rows.push_back(
        {"   training, files in memory", "", rate_or_none(of.together), error(of.together, of.together_error), ""});
  for (const auto& p : of.cached)
    if (p.together > 0)
      rows.push_back(
          {"   training, " + where(p.share), "", rate_or_none(p.together), error(p.together, p.together_error), ""});
  rows.push_back({"C  files from memory", bytes_text(of.bytes_read) + " a batch", rate_or_none(of.memory_fetch),
                  error(of.memory_fetch, of.memory_error), ""});
  rows.push_back({"S  files from storage", "", rate_or_none(of.storage_fetch),
                  error(of.storage_fetch, of.storage_error), rate_or_none(of.modelled_storage)});
  return rows;
}
/// With how many cores preparation does not stall.
inline std::string cores_text(const stall_analysis& of) {
  const double cores = least_cores(of);
  if (!std::isfinite(cores)) {
    const auto by = first_limit(of.needs, resources_on(of, 1e6, 0)).text;
    return "preparation stalls with any number of cores" + (by.empty() ? "" : ", limited by " + by);
  }
  const double lost = predict(of).interference;
  return "preparation never stalls with " + count_of_cores(cores) + " or more, without a cache" +
         (lost < 0.005 ? ""
                       : ", but for the " + percent_text(lost) +
                             " of the time that it and the step lose to each other, which more cores do not change");
}
/// Predictions for other hardware and more jobs as rows of cells, the first the header.
inline std::vector<std::vector<std::string>> what_if_rows(const stall_analysis& of) {
  std::vector<std::vector<std::string>> rows{{"what if", "batches a second", "step", "preparation", "fetching"}};
  const auto add = [&](std::string what, const what_if& other) {
    const auto then = predict(of, other);
    rows.push_back({std::move(what), rate_and_error(then), share_and_error(then.compute, then.compute_error),
                    share_and_error(then.prep, then.prep_error), share_and_error(then.fetch, then.fetch_error)});
  };
  const double half = of.memory_bytes / 2;
  add("as it is", {});
  add("twice the cores", {.cores = 2 * of.cores});
  if (has_size(of)) {
    add("half of the files in memory, " + bytes_text(half), {.memory = half});
    add("all of them, " + bytes_text(of.memory_bytes), {.memory = of.memory_bytes});
  }
  if (of.bytes_read > 0) add("twice the storage bandwidth", {.storage = 2});
  add("a step twice as fast", {.step = 2});
  add("4 such jobs at once, each", {.jobs = 4});
  if (has_size(of))
    add("4 jobs with half of the files in shared memory, each", {.memory = half, .jobs = 4, .shared_memory = true});
  add("4 jobs with run_shared, each", {.jobs = 4, .shared_preparation = true});
  if (has_size(of))
    add("2 servers with half of the files in memory each, 10 Gbit/s between them, together",
        {.memory = half, .servers = 2});
  return rows;
}
/// The price list as rows of cells, the first the header.
inline std::vector<std::vector<std::string>> price_rows(const stall_analysis& of, const prices& each) {
  std::vector<std::vector<std::string>> rows{{"in memory", "memory", "cores", "storage", "cost"}};
  for (const auto& o : price_list(of, each))
    rows.push_back({o.what, bytes_text(o.memory), number_text(o.cores), rate_text(o.storage_bytes_per_second),
                    number_text(o.cost, "%.4g")});
  return rows;
}

/// Where memory is best spent, at five sizes of it, as rows of cells, the first the header. Only a header: no cache is
/// possible, or none makes training faster.
inline std::vector<std::vector<std::string>> placement_rows(const stall_analysis& of) {
  std::vector<std::vector<std::string>> rows{{"memory", "batches a second", "a MB more", "with 1 GB more", "kept"}};
  double most = 0;
  for (const auto& site : of.needs.sites) most = std::max(most, site.serial ? 0 : site.bytes);
  if (!(most > 0 && std::isfinite(most))) return rows;
  const auto trained = [&](double memory) { return std::min(of.step, place_caches(of, memory).rate); };
  if (trained(most) <= 1.01 * trained(0)) return rows;
  for (const double part : {0.1, 0.25, 0.5, 0.75, 1.0}) {
    const auto best = place_caches(of, part * most);
    std::string kept;
    for (const auto& c : best.caches)
      kept += (kept.empty() ? "" : ", ") + percent_text(c.kept.size()) + " of " + c.name + " (operator " +
              std::to_string(c.after) + ")";
    rows.push_back({bytes_text(part * most), number_text(best.rate, "%.4g"),
                    "+" + short_text(1e8 * best.gain_per_byte) + " %", number_text(best.with_a_gigabyte_more, "%.4g"),
                    kept.empty() ? "nothing" : kept});
  }
  return rows;
}

}  // namespace detail

PLUMBLINE_INLINE stall_explanation explain(const stall_analysis& of) {
  using namespace detail;
  const auto now = predict(of);
  std::string text = "training: " + rate_and_error(now) + " batches a second, limited by " + now.limit + "; " +
                     shares_text(now) + "\n\n";
  text += table(measured_rows(of, false));
  if (of.prep > 0 && !(of.prep_error > 0))
    text += "P is of too few batches to know its error, and may be off: give analyze more seconds\n";
  if (const auto own = own_caches_text(of); !own.empty()) text += own + "\n";
  text += "\n" + table(what_if_rows(of)) + "\n";
  text += cores_text(of) + "\n";
  if (storage_is_unknown(of)) {
    text += std::string(unknown_storage_text) + "\n";
  } else if (has_size(of)) {
    if (const auto fall = fall_text(of); !fall.empty()) text += fall + "\n";
    const double memory = least_memory(of);
    text += memory == 0 ? "fetching does not stall, without any cache\n"
            : std::isfinite(memory)
                ? "fetching takes at most 1 % of the time with " + bytes_text(memory) + " of files in memory or more\n"
                : "fetching stalls even from memory\n";
  }
  if (!has_size(of) && reads_uncacheable(of)) text += std::string(no_cache_text) + "\n";
  if (const auto places = placement_rows(of); places.size() > 1)
    text += "\nwhere memory is best spent: batches a second of preparation and fetching\n" + table(places);
  auto offers = price_rows(of, {});
  if (offers.size() == 1) {
    text += "\nno machine keeps stalls within 1 % of the time: " + why_no_offer(of) + "\n";
  } else {
    offers.resize(std::min<std::size_t>(offers.size(), 4));
    text +=
        "\nmachines with stalls of at most 1 % of the time, cheapest first (a core costs 1, a GB of memory "
        "0.1, a GB/s from storage 1; "
        "price_list takes yours)\n" +
        table(offers);
  }
  return {std::move(text)};
}

}  // namespace plumbline
