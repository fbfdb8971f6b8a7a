#pragma once
/// form_of<Op, Up>: which of its kernels an operator runs with on this upstream. The executor and everything that
/// describes a pipeline ask here, so they cannot disagree.

#include <plumbline/core/node.hpp>

namespace plumbline {

enum class form : unsigned char {
  source,          ///< begins a stream
  renumber,        ///< only numbers change; no element is touched
  index_cache,     ///< keeps elements by number; the segment goes on
  join,            ///< several indexed streams as one: elements made by number
  nest,            ///< opens streams of its own
  element,         ///< one element at a time, in parallel
  scatter,         ///< slots filled in parallel, groups handed on serially
  async_boundary,  ///< a buffer between two parts
  serial,          ///< one stream's state, one thread
  structure        ///< decides which upstream is asked next
};

namespace detail {
/// Can its elements be kept by number?
template <class P> inline constexpr bool keepable = P::type_facts.keyed&& P::type_facts.draws == randomness::none;

template <class P> struct form_at;
template <class Op> struct form_at<node<Op>> { static constexpr form value = form::source; };
template <class Op, class Up> struct form_at<node<Op, Up>> {
  using In = typename Up::element;
  static constexpr form value = index_kernel<Op> && Up::type_facts.indexed ? form::renumber
                                : replays<Op> && keepable<Up>              ? form::index_cache
                                : nesting<Op, In>                          ? form::nest
                                : element_kernel<Op, In>                   ? form::element
                                : in_place_kernel<Op, In>                  ? form::scatter
                                : async_boundary<Op>                       ? form::async_boundary
                                : serial_kernel<Op, In>                    ? form::serial
                                                                           : form::structure;
};
template <class Op, class A, class B, class... More> struct form_at<node<Op, A, B, More...>> {
  static constexpr form value = node<Op, A, B, More...>::type_facts.indexed ? form::join : form::structure;
};
}  // namespace detail

/// The operator that keeps what the pipeline P gives: `keeper<P>::op`. Said where that operator is.
template <class P> struct keeper;

/// An operator that a plan put in: messages keep the numbers of the pipeline as it was written.
template <class Op> struct added : Op { static constexpr bool is_added = true; };

/// The form of the operator at the end of the pipeline P.
template <class P> inline constexpr form form_of = detail::form_at<P>::value;

}  // namespace plumbline
