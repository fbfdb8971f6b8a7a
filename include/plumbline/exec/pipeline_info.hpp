#pragma once
/// pipeline_info: what a run needs from its pipeline, whatever its type: the numbers of its operators as written, where
/// an element came from, and its fingerprint.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/core/form.hpp>
#include <plumbline/core/op_name.hpp>
#include <plumbline/core/partition.hpp>
#include <plumbline/exec/pipeline_content.hpp>
#include <plumbline/exec/stream_state.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// The source that an element came from, as far as messages need it.
struct origin {
  std::string_view source;
  std::string what;  ///< "photos/x.jpg", if the source describes its elements
};
template <class P> void find_origin(const P& p, std::uint32_t& next, const lineage& at, origin& found) {
  if constexpr (decltype(p.ups)::size == 0) {
    if (next++ != at.source_index) return;
    found.source = p.op.name;
    if constexpr (requires { p.op.describe(at.index); }) found.what = p.op.describe(at.index);
  } else {
    p.ups.apply([&](const auto&... up) { (find_origin(up, next, at, found), ...); });
  }
}

/// How messages and options name an operator.
struct operator_names {
  std::string_view type, shown;  ///< the name of its type, and the one that messages use
  bool works = true;             ///< false: it only changes indices, and no part runs it
};
template <class P> void list_operators(const P& p, std::vector<operator_names>& out) {
  p.ups.apply([&](const auto&... up) { (list_operators(up, out), ...); });
  out.push_back({P::op_type::name, name_of(p.op)});
}
/// Those of all operators, in explain()'s order.
template <class P> std::vector<operator_names> names_of(const P& p) {
  std::vector<operator_names> all;
  list_operators(p, all);
  for (std::size_t i = 0; i != all.size(); ++i) all[i].works = partition_of<P>.operators[i].part != 0;
  return all;
}

/// The number that operator `number` has in the pipeline as written; an operator added by a plan has that of the one
/// before it.
template <class P> constexpr void count_written(std::uint32_t number, std::uint32_t& here, std::uint32_t& written) {
  [&]<class Op, class... Ups>(std::type_identity<node<Op, Ups...>>) {
    (count_written<Ups>(number, here, written), ...);
    if (++here <= number && !requires { Op::is_added; }) ++written;
  }(std::type_identity<P>{});
}
template <class P> constexpr std::uint32_t number_as_written(std::uint32_t number) {
  std::uint32_t here = 0, written = 0;
  count_written<P>(number, here, written);
  return written;
}

/// The number of each source, and how many elements it has.
template <class P>
void add_sources(std::vector<std::pair<std::uint32_t, cardinality>>& to, std::uint32_t& number, const P& p) {
  p.ups.apply([&](const auto&... up) { (add_sources(to, number, up), ...); });
  ++number;
  if constexpr (decltype(p.ups)::size == 0) to.emplace_back(number, p.facts().count);
}

/// "files | read_file | decode"
template <class P> std::string chain_of(const P& p) {
  std::string text;
  for (const auto& op : names_of(p)) text += (text.empty() ? "" : " | ") + std::string(op.shown);
  return text;
}

/// What an operator whose elements outlive the process (`persists`) knows of its upstream.
template <bool ByIndex, bool Now, class P> void add_upstream(replay_context& to, const P& p) {
  const auto content = content_of<ByIndex, Now>(p);
  to.upstream = content.result();
  to.upstream_text = chain_of(p);
  to.upstream_files = {content.operators(), content.files(), {}};
  add_listed(to.upstream_files.text, p);
}

struct pipeline_info {
  virtual ~pipeline_info() = default;
  /// The number of operators as written.
  virtual std::uint32_t operators() const = 0;
  virtual std::uint32_t as_written(std::uint32_t number) const = 0;
  /// The names of the operators, as they are numbered in the run.
  virtual std::vector<operator_names> names() const = 0;
  virtual origin origin_of(const lineage& at) const = 0;
  /// The number of elements in an epoch.
  virtual cardinality count() const = 0;
  virtual pipeline_identity identity() const = 0;
};
template <class P> struct held_pipeline : pipeline_info {
  P pipeline;

  explicit held_pipeline(P p) : pipeline(std::move(p)) {}
  PLUMBLINE_SETUP std::uint32_t operators() const final { return number_as_written<P>(operators_in<P>); }
  PLUMBLINE_SETUP std::uint32_t as_written(std::uint32_t number) const final { return number_as_written<P>(number); }
  PLUMBLINE_SETUP std::vector<operator_names> names() const final { return names_of(pipeline); }
  PLUMBLINE_SETUP origin origin_of(const lineage& at) const final {
    origin found;
    std::uint32_t next = 0;
    find_origin(pipeline, next, at, found);
    return found;
  }
  PLUMBLINE_SETUP cardinality count() const final { return pipeline.facts().count; }
  PLUMBLINE_SETUP pipeline_identity identity() const final {
    const auto h = fingerprint(pipeline);
    pipeline_identity own{h.result(), h.operators(), {}};
    std::uint32_t number = 0;
    add_sources(own.sources, number, pipeline);
    return own;
  }
};

/// Throws a `failure` for an exception in a run of the pipeline: "plumbline: map (operator 3 of 4) failed at element 17
/// of files (photos/x.jpg), epoch 0: why".
[[noreturn]] void throw_failure(const pipeline_info& p, const std::exception_ptr& error);
/// Throws the error of load() for a state that was saved from another pipeline than `here`, which is `of`.
[[noreturn]] void throw_other_pipeline(const pipeline_identity& saved, const pipeline_identity& here,
                                       const pipeline_info& of);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/pipeline_info_inl.hpp>
#endif
