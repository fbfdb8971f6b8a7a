#pragma once
/// What an operator states about itself, or what follows from its kernel: whether it blocks, draws, depends on
/// positions or order, reads lineage.

#include <plumbline/core/kernel.hpp>

#include <type_traits>

namespace plumbline {

namespace detail {
template <class Op> inline constexpr bool blocking = false;
template <class Op>
  requires requires { Op::blocking; }
inline constexpr bool blocking<Op> = Op::blocking;

/// True for an indexed source whose at(i) is cheap and runs no code of the user. It may be asked for the same element
/// twice, and a serial operator behind it asks it itself; others get a stage of their own.
template <class Op> inline constexpr bool asked_again = false;
template <class Op>
  requires requires { Op::asked_again; }
inline constexpr bool asked_again<Op> = Op::asked_again;

/// True if the operator depends on its elements' positions in the stream. `In`: the element, if it has one upstream.
template <class Op, class... In> inline constexpr bool uses_position = false;
template <class Op, class In> inline constexpr bool uses_position<Op, In> = kernel_traits<Op, In>::uses_position;

/// True if the operator draws random numbers for its elements.
template <class Op, class... In> inline constexpr bool random = false;
template <class Op, class In> inline constexpr bool random<Op, In> = kernel_traits<Op, In>::random;

/// True if the multiset of elements that the operator makes does not depend on the order in which its elements come.
template <class Op> inline constexpr bool order_free = false;
template <class Op>
  requires requires { Op::order_free; }
inline constexpr bool order_free<Op> = Op::order_free;

/// True if it keeps the elements of one epoch for the next.
template <class Op> inline constexpr bool replays = false;
template <class Op>
  requires requires { Op::replays; }
inline constexpr bool replays<Op> = Op::replays;

/// True if it keeps them where they outlive the process, not in its memory.
template <class Op> inline constexpr bool persists = false;
template <class Op>
  requires requires { Op::persists; }
inline constexpr bool persists<Op> = Op::persists;

/// True if what it keeps lives no longer than the processes that run, so that a source's files can be compared by more
/// than their names and sizes.
template <class Op> inline constexpr bool persists_in_processes = false;
template <class Op>
  requires requires { Op::persists_in_processes; }
inline constexpr bool persists_in_processes<Op> = Op::persists_in_processes;

/// True if it may keep only some of them, and the others are made again.
template <class Op> inline constexpr bool keeps_part = false;
template <class Op>
  requires requires { Op::keeps_part; }
inline constexpr bool keeps_part<Op> = Op::keeps_part;

/// True if its upstream must run apart from it, with a buffer of the operator's size between them (prefetch).
template <class Op> inline constexpr bool async_boundary = false;
template <class Op>
  requires requires { Op::async_boundary; }
inline constexpr bool async_boundary<Op> = Op::async_boundary;

/// True if it reads which element it has (to draw, or to name the element in an error).
template <class Op, class... In> inline constexpr bool reads_lineage = true;
template <class Op, class... In>
  requires requires { Op::reads_lineage; }
inline constexpr bool reads_lineage<Op, In...> = Op::reads_lineage;
template <class Op, class In>
  requires requires { Op::template reads_lineage_of<In>; }
inline constexpr bool reads_lineage<Op, In> = Op::template reads_lineage_of<In>;
template <class Op, class In>
  requires(element_kernel<Op, In> && !requires { Op::reads_lineage; })
inline constexpr bool reads_lineage<Op, In> = kernel_traits<Op, In>::reads_lineage;

/// Its element kernel has a try_transform().
template <class Op, class In>
concept tries = requires(const Op& op, const typename kernel_traits<Op, In>::context& cx, In& x) {
  op.try_transform(cx, x);
};
/// True if the operator keeps elements by their position (take, skip): other elements where their order changes.
template <class Op> inline constexpr bool cuts = false;
template <class Op>
  requires requires { Op::cuts; }
inline constexpr bool cuts<Op> = Op::cuts;

/// A source whose files are listed when it is made: a file_list, or a type with these members.
template <class Op>
concept lists_files = requires(const Op& op) {
  op.listed().size(), op.listed().bytes(), op.listed().summary();
};
}  // namespace detail

}  // namespace plumbline
