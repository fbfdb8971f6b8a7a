#pragma once
/// fingerprint(p), content_of(p): numbers that differ between pipelines, for what is kept outside the process: a state
/// that is resumed, a cache on disk. The same on every machine of a kind, for a program that one compiler built.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/fields.hpp>
#include <plumbline/core/form.hpp>
#include <plumbline/core/op_name.hpp>
#include <plumbline/core/operator_traits.hpp>
#include <plumbline/core/rng.hpp>
#include <plumbline/core/type_name.hpp>
#include <plumbline/data/content_hash.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace plumbline::detail {

class hasher {
 public:
  void add(std::uint64_t x) {
    add_to_all(x);
    operators_ = hash_combine(operators_, x);
  }
  void add(std::string_view text) { add(hash_of(text)); }
  void add(const cardinality& count) { add_to_all(count.least), add_to_all(count.most), add_to_all(count.endless); }
  /// The content of the files that a source lists.
  void add_files(std::uint64_t x) {
    add_to_all(x);
    files_ = hash_combine(files_, x);
  }
  std::uint64_t result() const { return hash_; }
  /// Of all but files and counts, which change with files; and of files alone.
  std::uint64_t operators() const { return operators_; }
  std::uint64_t files() const { return files_; }

 private:
  void add_to_all(std::uint64_t x) { hash_ = hash_combine(hash_, x); }
  std::uint64_t hash_ = 0, operators_ = 0, files_ = 0;
};

/// What an operator states of its run-time values: its `sizes` and `parameters()` (seeds and the like).
template <class Op> void add_values(hasher& h, const Op& op) {
  if constexpr (requires { Op::sizes; }) std::apply([&](auto... n) { (h.add((op.*n).now().most), ...); }, Op::sizes);
  if constexpr (requires { op.parameters(); })
    std::apply([&](auto... x) { (h.add(static_cast<std::uint64_t>(x)), ...); }, op.parameters());
}

template <class P> void add_counts(hasher& h, const P& p) {
  h.add(p.facts().count);
  add_values(h, p.op);
  p.ups.apply([&](const auto&... up) { (add_counts(h, up), ...); });
}
/// The pipeline's type and, for each operator and source, its count and values. It does not cover what functions hold
/// or what sources contain.
template <class P> hasher fingerprint(const P& p) {
  hasher h;
  h.add(spelled<P>());
  add_counts(h, p);
  return h;
}

/// A type and those of its parts, so that a struct whose members change is another type. `Within`: the types that T is
/// found in, which it may hold in turn.
template <class T, class... Within> void add_layout(hasher& h) {
  h.add(spelled<T>());
  h.add(sizeof(T));
  if constexpr ((std::same_as<T, Within> || ...))
    return;
  else if constexpr (is_std_array<T>)
    add_layout<typename T::value_type, T, Within...>(h);
  else if constexpr (composite<T>)
    [&]<class... Parts>(std::type_identity<std::tuple<Parts...>>) {
      (add_layout<Parts, T, Within...>(h), ...);
    }(std::type_identity<parts_t<T>>{});
  else if constexpr (requires { typename T::value_type; })
    add_layout<typename T::value_type, T, Within...>(h);
}
template <bool ByIndex, bool Now, class Op, class... Ups> void add_content(hasher& h, const node<Op, Ups...>& p) {
  constexpr bool of_a_plan = requires { Op::is_added; };  // a cache that changes no element
  if constexpr (!of_a_plan && (!ByIndex || form_of<node<Op, Ups...>> != form::renumber)) {
    h.add(spelled<Op>());
    h.add(sizeof(Op));
    add_layout<typename node<Op, Ups...>::element>(h);
    if constexpr (!ByIndex || sizeof...(Ups) == 0) h.add(p.facts().count);
    add_values(h, p.op);
    std::apply([&](const auto&... x) { (h.add(content_hash(x)), ...); }, held_by(p.op));
    if constexpr (lists_files<Op>)
      h.add_files(p.op.content());
    else if constexpr (requires { p.op.content(); })
      h.add(p.op.content());
    if constexpr (Now && requires { p.op.content_now(); }) h.add(p.op.content_now());
  }
  p.ups.apply([&](const auto&... up) { (add_content<ByIndex, Now>(h, up), ...); });
}
/// What the pipeline's elements depend on, as far as it can be seen: its operators, their values, functions and
/// elements, and what its sources contain (`std::uint64_t content() const`). `ByIndex`: elements are known by the index
/// of their source element, so what only changes indices does not count. `Now`: also what distinguishes a source's
/// files from others of the same names and sizes (`std::uint64_t content_now() const`).
template <bool ByIndex, bool Now = false, class P> hasher content_of(const P& p) {
  hasher h;
  add_content<ByIndex, Now>(h, p);
  return h;
}
/// What sources list: "files: 40 files, 12345 bytes".
template <class P> void add_listed(std::string& text, const P& p) {
  if constexpr (lists_files<typename P::op_type>)
    text += (text.empty() ? "" : "; ") + std::string(name_of(p.op)) + ": " + p.op.listed().summary();
  p.ups.apply([&](const auto&... up) { (add_listed(text, up), ...); });
}

}  // namespace plumbline::detail
