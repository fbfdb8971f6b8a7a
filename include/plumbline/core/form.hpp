#pragma once
/// form_of<P>: which of its kernels the last operator of P uses with its upstream. The executor and everything that
/// describes a pipeline read it here, so they cannot disagree.

#include <plumbline/core/node.hpp>

namespace plumbline {

enum class form : unsigned char {
  source,          ///< begins a stream
  renumber,        ///< only indices change; no element is touched
  index_cache,     ///< keeps elements by index; the segment continues
  join,            ///< several indexed streams as one: elements made by index
  nest,            ///< opens streams of its own
  element,         ///< one element at a time, in parallel
  scatter,         ///< slots filled in parallel, groups passed on serially
  async_boundary,  ///< a buffer between two parts
  serial,          ///< one stream's state, one thread
  structure        ///< decides which upstream is read next
};

namespace detail {
/// True if the elements of P can be kept by index.
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

/// The operators that cache the elements of the pipeline P: `op` all of them, `share_op` a share. keeping() makes the
/// one, keeping(share) the other. Defined with those operators.
template <class P> struct keeper;

/// An operator that a plan inserted. Messages keep the operator numbers of the pipeline as it was written.
template <class Op> struct added : Op { static constexpr bool is_added = true; };

/// The form of the operator at the end of the pipeline P.
template <class P> inline constexpr form form_of = detail::form_at<P>::value;

}  // namespace plumbline
