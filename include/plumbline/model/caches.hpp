#pragma once
/// cache_sites: where a cache may be put and whether it fits: for each operator a verdict and its reason as text.
/// Plumber, sections 4.3 (memory) and B.1: random or endless streams have no size; of the rest, the place nearest the
/// root that fits saves most.

#include <plumbline/model/cacheable.hpp>
#include <plumbline/model/format.hpp>
#include <plumbline/model/rates.hpp>
#include <plumbline/model/sizes.hpp>

namespace plumbline {

struct cache_site {
  std::uint32_t after = 0;  ///< the operator's number
  cache_verdict verdict = cache_verdict::unknown_size;
  std::string reason;            ///< as text
  double bytes = 0, error = 0;   ///< as in `materialised`
  double saved_cpu_seconds = 0;  ///< per minibatch
  double saved_bytes_read = 0;   ///< per minibatch
  bool serial = true;            ///< one thread replays its elements; else the stages do, by index
};

/// The share of the memory that caches may take; the rest is for elements in flight.
inline constexpr double cache_share_of_memory = 0.9;

/// Thrown if the caches that a pipeline has as written hold more than the memory allows.
class cache_too_big : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

inline bool is_cache(const layout_row& row) {
  return row.how == form::index_cache || row.replays || row.persists || row.keeps_most > 0 || row.keeps_share > 0;
}

/// Upper estimate of a size: twice the standard error is added.
inline double surely(double bytes, double error) { return bytes + (std::isinf(error) ? 0 : 2 * error); }

inline void set_verdict(cache_site& c, const trace& t, std::size_t i, bool steady, double room) {
  const auto& rows = t.operators;
  const auto& row = rows[i];
  const auto say = [&](cache_verdict v, std::string why) {
    c.verdict = v;
    c.reason = std::move(why);
  };
  if (const auto rule = may_be_cached(rows, i); rule.verdict != cache_verdict::fits)
    return say(rule.verdict, rule_text(rule) + (rule.verdict == cache_verdict::not_copyable
                                                    ? ""
                                                    : " since operator " + std::to_string(rule.since->number) + " (" +
                                                          rule.since->name + ")"));
  if (!steady || row.replays) return say(cache_verdict::saves_nothing, "there is a cache here or downstream already");
  if (!(c.bytes > 0)) return say(cache_verdict::unknown_size, "no element of it was seen");
  if (!(c.saved_cpu_seconds > 0) && !(c.saved_bytes_read > 0))
    return say(cache_verdict::saves_nothing, "what it would save costs nothing");
  std::string size = bytes_text(c.bytes);
  if (c.error > 5e-4 * c.bytes)  // a smaller error would not show in the digits
    size += std::isinf(c.error) ? " (variance not known)" : " +- " + bytes_text(2 * c.error);
  if (surely(c.bytes, c.error) > room) return say(cache_verdict::too_big, size + " of " + bytes_text(room));
  say(cache_verdict::fits, size + " of " + bytes_text(room));
}

}  // namespace detail

/// Returns one entry per operator. `memory`: bytes that the process may use. O(operators squared) at most.
inline std::vector<cache_site> cache_sites(const trace& t, const pipeline_rates& r,
                                           const std::vector<materialised>& size, double memory) {
  std::vector<cache_site> all;
  for (std::size_t i = 0; i != size.size(); ++i) {
    const auto& o = r.operators[i];
    cache_site c{.after = t.operators[i].number, .reason = {}, .bytes = size[i].bytes, .error = size[i].error};
    c.serial = !t.operators[i].facts.keyed;
    if (o.steady) {
      c.saved_cpu_seconds = o.cpu_seconds;
      c.saved_bytes_read = o.bytes_read;
    }
    for (const auto from : t.operators[i].inputs) {
      c.saved_cpu_seconds += all[from - 1].saved_cpu_seconds;
      c.saved_bytes_read += all[from - 1].saved_bytes_read;
    }
    detail::set_verdict(c, t, i, o.steady, cache_share_of_memory * memory);
    all.push_back(std::move(c));
  }
  return all;
}

namespace detail {
/// The elements of operator i that epochs ask for: fewer than it has if an operator after it leaves some out by their
/// number, the same in each epoch, as take(n) does; more if one before it leaves out others in each epoch. `by`:
/// downstream_of.
inline double asked_of(const trace& t, const pipeline_rates& r, const std::vector<materialised>& size,
                       const std::vector<std::size_t>& by, std::size_t i) {
  double asked = size[i].count, each = 1;  // for one of operator j
  for (auto j = by[i]; j != by.size(); j = by[j]) {
    const auto& row = t.operators[j];
    if (is_cache(row)) return size[i].count;  // what it holds is not asked for
    if (row.inputs.size() != 1 || !row.facts.count.exact() || row.facts.order != ordering::fixed) break;
    if (row.takes > 0)
      each *= row.takes;
    else if (row.how != form::renumber)  // a serial skip makes what it leaves out, which its count does not show
      each *= r.operators[row.inputs.front() - 1].visits * inverse(r.operators[j].visits);
    asked = std::min(asked, each * size[j].count);
  }
  for (auto j = i; t.operators[j].inputs.size() == 1;) {
    const auto from = t.operators[j].inputs.front() - 1;
    if (t.operators[j].varies && size[j].count > 0) asked *= size[from].count / size[j].count;
    j = from;
  }
  return asked;
}
}  // namespace detail

/// Returns the bytes of the files that epochs ask for, as cache(bytes) after their readers keeps them; 0 if it cannot
/// be put after one of these, as the stream there is not indexed. O(operators squared).
inline double bytes_in_cache(const trace& t, const pipeline_rates& r, const std::vector<materialised>& size) {
  const auto by = detail::downstream_of(t.operators);
  double all = 0;
  for (std::size_t i = 0; i != t.operators.size(); ++i) {
    const auto& row = t.operators[i];
    if (!(t.counters[i].bytes_read > 0) || detail::is_cache(row)) continue;
    if (!row.facts.keyed || row.facts.draws != randomness::none || !row.copyable) return 0;
    const double asked = detail::asked_of(t, r, size, by, i);
    // if some are left out, those that were read are the ones that are asked for
    const auto& seen = t.counters[i];
    const double each = asked < size[i].count ? static_cast<double>(seen.bytes) / static_cast<double>(seen.completions)
                                              : size[i].bytes_each;
    if (each > 0) all += asked * each;
  }
  return all;
}

/// Returns the bytes that the caches in the pipeline as written hold once they are full. Throws cache_too_big if that
/// is more than caches may take of `memory`. O(operators).
inline double held_by_caches(const trace& t, const std::vector<materialised>& size, double memory) {
  const double room = cache_share_of_memory * memory;
  double held = 0;
  for (std::size_t i = 0; i != size.size(); ++i) {
    const auto& row = t.operators[i];
    if ((!row.replays && row.keeps_most == 0 && row.keeps_share == 0) || row.persists) continue;
    const double all = detail::surely(size[i].bytes, size[i].error);
    held += row.keeps_most > 0 ? std::min(all, row.keeps_most) : row.keeps_share > 0 ? row.keeps_share * all : all;
    if (held > room)
      throw cache_too_big("plumbline: plan: with the cache that is operator " + std::to_string(i + 1) +
                          ", caches would hold " + bytes_text(held) + ", but may take only " + bytes_text(room) +
                          "; remove it (optimize puts one where it fits), or allow more memory");
  }
  return held;
}

}  // namespace plumbline
