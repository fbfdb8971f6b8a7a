#pragma once
/// plan: how a pipeline should run, as plain data that can be printed, saved and loaded (ext/json.hpp). It is for one
/// pipeline, identified by its operators' names and element types, and is refused for any other.

#include <plumbline/core/buffering.hpp>
#include <plumbline/core/exact_number.hpp>
#include <plumbline/core/share.hpp>
#include <plumbline/model/disk_curve.hpp>
#include <plumbline/model/layout.hpp>

#include <stdexcept>

namespace plumbline {

struct part_plan {
  std::vector<std::uint32_t> operators;  ///< their numbers
  bool serial = false;
  bool blocks = false;          ///< it runs on I/O threads
  bool waits = false;           ///< as its functions wait for something else than storage
  std::size_t parallelism = 1;  ///< elements (messages) processed at once, at most
  double cores = 0;             ///< cores that it is expected to keep busy
  friend bool operator==(const part_plan&, const part_plan&) = default;
};

/// Operators are numbered as in the pipeline as written, without the caches that the plan adds.
struct plan {
  std::vector<std::string> pipeline{};  ///< signature_of the layout of its pipeline
  std::size_t threads = 1;              ///< compute threads
  std::size_t io_threads = 0;           ///< 0: nothing blocks
  std::vector<part_plan> parts{};
  std::size_t chunk = 0;                ///< elements per message, at most; 0: chosen at run time by measured cost
  std::size_t prefetch = 2;             ///< minibatches prefetched
  std::vector<std::uint32_t> caches{};  ///< operators after which a cache is put
  std::vector<share> shares{};          ///< what each of these keeps; empty: all of its elements
  std::vector<share> on_disk{};         ///< what each of these keeps in files besides; empty: nothing
  std::vector<double> disk_bytes{};     ///< that each of these may take there
  double rate = 0;                      ///< predicted, minibatches per second
  double memory = 0;                    ///< bytes, at most: caches, messages in flight and buffers of operators
  std::string bottleneck{};             ///< as text
  disk_curve disk{};                    ///< the disk that it was made for; empty: none was known
  friend bool operator==(const plan&, const plan&) = default;
};

/// Operator n's number in the form that runs, with caches after operators `caches`: n plus the number of those before
/// it.
inline std::uint32_t number_in_run(const std::vector<std::uint32_t>& caches, std::uint32_t n) {
  return n + static_cast<std::uint32_t>(
                 std::count_if(caches.begin(), caches.end(), [&](std::uint32_t after) { return after < n; }));
}

/// True if the plan's number of I/O threads is that of its runs. Where caches have to be filled first, they have as
/// many as without a plan: filling reads more than the plan expects later.
inline bool has_io_threads(const plan& p) {
  const bool waits = std::any_of(p.parts.begin(), p.parts.end(), [](const auto& part) { return part.waits; });
  return p.io_threads != 0 && (p.caches.empty() || waits);
}
/// The number of I/O threads of a run of the plan whose options do not state it.
inline std::size_t io_threads_in_run(const plan& p) {
  return has_io_threads(p) ? p.io_threads : buffering::default_io_threads(p.threads);
}

/// True if the plan puts a cache after operator n.
inline bool has_cache(const plan& p, std::uint32_t n) {
  return std::find(p.caches.begin(), p.caches.end(), n) != p.caches.end();
}

/// One string per operator: "map -> image".
inline std::vector<std::string> signature_of(const std::vector<layout_row>& rows) {
  std::vector<std::string> words;
  for (const auto& r : rows) words.push_back(r.name + " -> " + r.element);
  return words;
}

/// Throws std::invalid_argument if the plan is for another pipeline, naming the first difference, or inconsistent.
inline void check(const plan& p, const std::vector<layout_row>& rows) {
  const auto here = signature_of(rows);
  const auto complain = [](const std::string& what) {
    throw std::invalid_argument("plumbline: plan: is for another pipeline: " + what + "; optimize this one");
  };
  for (std::size_t i = 0; i != std::min(here.size(), p.pipeline.size()); ++i)
    if (here[i] != p.pipeline[i])
      complain("operator " + std::to_string(i + 1) + " is " + p.pipeline[i] + " there and " + here[i] + " here");
  if (here.size() != p.pipeline.size())
    complain("it has " + std::to_string(p.pipeline.size()) + " operators, this one " + std::to_string(here.size()));
  const auto changed = [](const std::string& what) {
    throw std::invalid_argument("plumbline: plan: " + what + "; it was changed by hand, optimize again");
  };
  const auto known = [&](std::uint32_t number) {
    if (number == 0 || number > rows.size())
      changed("names operator " + std::to_string(number) + " of " + std::to_string(rows.size()));
  };
  if (p.threads == 0) changed("has no threads");
  for (const auto c : p.caches) {
    known(c);
    if (std::count(p.caches.begin(), p.caches.end(), c) > 1)
      changed("has two caches after operator " + std::to_string(c));
  }
  if (!p.shares.empty() && p.shares.size() != p.caches.size())
    changed("says what " + std::to_string(p.shares.size()) + " of " + std::to_string(p.caches.size()) + " caches keep");
  if (p.on_disk.size() != p.disk_bytes.size() || (!p.on_disk.empty() && p.on_disk.size() != p.shares.size()))
    changed("says of " + std::to_string(p.on_disk.size()) + " of " + std::to_string(p.shares.size()) +
            " caches with shares what they keep on disk");
  for (const double n : p.disk_bytes)
    if (!(0 <= n && n < 1e18)) changed("a cache on disk takes " + detail::exact_number(n) + " bytes");
  for (const auto& kept : p.on_disk)
    if (!(0 <= kept.from && kept.from <= kept.to && kept.to <= 1)) changed("a cache on disk keeps no part of a whole");
  for (const auto& kept : p.shares)
    if (!(0 <= kept.from && kept.from <= kept.to && kept.to <= 1)) changed("a cache of it keeps no part of a whole");
  for (const auto& part : p.parts) {
    if (part.operators.empty()) changed("a part of it names no operator");
    if (part.parallelism == 0) changed("a part of it has parallelism 0");
    for (const auto o : part.operators) known(o);
  }
}

}  // namespace plumbline
