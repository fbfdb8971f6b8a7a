#pragma once
/// on_disk: a second level for the caches of optimize: files in a folder, which the next run finds again.
///   auto tuned = pl::optimize(train, {.memory = 8e9}, pl::on_disk("/fast/train", pl::bytes(200_GiB)));
///   auto later = pl::run(train, tuned.plan(), pl::on_disk("/fast/train", pl::bytes(200_GiB)));
/// At each place a cache then keeps one share of the elements in memory and another on disk, whichever the planner
/// finds best together. The rules are those of cache(folder): the folder belongs to one pipeline, elements that cannot
/// be stored stay in memory, as do those of functions and sources that hide what they hold, and `version` must change
/// when what the functions do changes in a way that cannot be seen. The bandwidth of the disk is measured with a file
/// of 64 MiB in the folder, unless its curve is given. Include plumbline/tune_on_disk.hpp.

#include <plumbline/core/bytes.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/model/trace.hpp>
#include <plumbline/tune/optimize.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

struct disk_level_options {
  disk_curve curve{};         ///< of the disk; empty: it is measured, for about half a second
  std::uint64_t version = 0;  ///< of what the functions before the caches do
};

namespace detail {

/// The operators of P whose elements can be stored, by number. O(operators), at compile time.
template <std::uint32_t Before, class Op, class... Ups>
constexpr void list_stored(const node<Op, Ups...>*, auto&& found) {
  using P = node<Op, Ups...>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (list_stored<Before + operators_before<I, Ups...>()>(static_cast<const Ups*>(nullptr), found), ...);
  }
  (std::index_sequence_for<Ups...>{});
  if constexpr (level_keeper<P>::stores) found(Before + operators_in<P>);
}

/// The caches of plans, on two levels (see in_memory).
class two_levels {
 public:
  two_levels(std::string folder, bytes most, disk_level_options how);

  using kept = cache_levels;
  static kept nothing() { return {}; }
  kept of(const plan& by, std::size_t c) const;
  /// Divides the room among the plan's caches. Throws std::invalid_argument if the folder cannot be used.
  void prepare(const plan& by);
  template <class P> std::vector<std::uint32_t> sites() const {
    std::vector<std::uint32_t> numbers;
    list_stored<0>(static_cast<const P*>(nullptr), [&](std::uint32_t n) { numbers.push_back(n); });
    return numbers;
  }
  cache_disk disk(const trace& seen, const run_options& stated) const;

 private:
  std::string folder_of(std::uint32_t after) const { return folder_ + "/after-" + std::to_string(after); }

  std::string folder_;
  std::uint64_t most_;
  disk_level_options how_;
  std::vector<std::uint64_t> room_{};  ///< of each cache of the plan
};

}  // namespace detail

class on_disk : public detail::two_levels {
 public:
  /// `most`: bytes that all files in the folder may take. Throws std::invalid_argument without a folder.
  on_disk(std::string folder, bytes most, disk_level_options how = {})
      : two_levels(std::move(folder), most, std::move(how)) {}
};

/// Runs p according to a plan with caches on disk.
template <std::size_t Sites = detail::default_sites, pipeline P>
PLUMBLINE_CALLS_SETUP stream<typename P::element> run(const P& p, const plan& how, const on_disk& where,
                                                      run_options stated = {}) {
  check(how, layout(p));
  auto s = detail::forms<Sites, P, on_disk>::open(p, how, std::move(stated), where);
  s.record(false);
  return s;
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/on_disk_inl.hpp>
#endif
