#pragma once
/// serial_fault_of<Op, In>(): how the operator's serial kernel, if it has one, departs from core/kernel.hpp.
/// explain_serial<Op, In>() reports what is wrong with it, as one error.

#include <plumbline/core/kernel.hpp>
#include <plumbline/core/operation.hpp>
#include <plumbline/core/state.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// Detects a member by its name, whatever it takes: a second member of that name makes the name ambiguous.
template <class T, class Named> struct with_second : T, Named {};
struct named_demand {
  int demand;
};
struct named_finish {
  int finish;
};
template <class T> inline constexpr bool can_be_derived = std::is_class_v<T> && !std::is_final_v<T>;
template <class K> inline constexpr bool has_named_demand = false;
template <class K>
  requires can_be_derived<K>
inline constexpr bool has_named_demand<K> = !requires { &with_second<K, named_demand>::demand; };
template <class K> inline constexpr bool has_named_finish = false;
template <class K>
  requires can_be_derived<K>
inline constexpr bool has_named_finish<K> = !requires { &with_second<K, named_finish>::finish; };

/// What is wrong with a serial kernel.
enum class serial_fault : unsigned char {
  none,  ///< nothing, or there is no serial kernel; what it emits is not checked
  not_constructed,
  not_movable,
  takes_other_element,
  demands_no_number,
  finishes_otherwise,
  state_is_const,
  state_takes_nothing
};
template <class Op, class In> consteval serial_fault serial_fault_of() {
  if constexpr (!serial_kernel<Op, In> || element_kernel<Op, In>) {
    return serial_fault::none;
  } else {
    using K = typename Op::template kernel<In>;
    if constexpr (!std::constructible_from<K, const Op&, stream_context&>)
      return serial_fault::not_constructed;
    else if constexpr (!std::move_constructible<K>)
      return serial_fault::not_movable;
    else if constexpr (!requires(K & k, In x, const lineage& at) { k.push(std::move(x), at, any_sink{}); })
      return serial_fault::takes_other_element;
    else if constexpr (has_named_demand<K> && !requires(K & k) {
                         { k.demand() } -> std::convertible_to<std::uint64_t>;
                       })
      return serial_fault::demands_no_number;
    else if constexpr (has_named_finish<K> && !requires(K & k) { k.finish(any_sink{}); })
      return serial_fault::finishes_otherwise;
    else if constexpr (requires(const K& k, saving& s) { k.state(s); })
      return serial_fault::state_is_const;
    else if constexpr (requires(K & k) { k.state(); })
      return serial_fault::state_takes_nothing;
    else
      return serial_fault::none;
  }
}
template <class Op, class In>
concept serial_fits = (serial_fault_of<Op, In>() == serial_fault::none);

/// A sink for a serial kernel which checks that the operator's `output` is emitted.
template <class Out> struct checked_serial_emit {
  template <class... Y> void operator()(Y&&...) const {
    constexpr bool with_lineage = sizeof...(Y) == 2;
    static_assert(with_lineage,
                  "plumbline: a serial kernel emits an element with its lineage: emit(std::move(x), at), where `at` is "
                  "the one that push() got, or that of the first element of a group");
    if constexpr (with_lineage) {
      constexpr bool same = []<class X, class At>(std::type_identity<void(X, At)>) {
        return std::is_constructible_v<Out, X> && std::is_convertible_v<At, const lineage&>;
      }(std::type_identity<void(Y && ...)>{});
      static_assert(same,
                    "plumbline: the operator's serial kernel emits something else than its `output` says, or with "
                    "something else than a lineage; make them the same");
    }
  }
};
template <class Op, class In> consteval void check_serial_emitted() {
  using K = typename Op::template kernel<In>;
  using emit = checked_serial_emit<typename Op::template output<In>>;
  // function pointers, so that the compiler must instantiate push() and finish()
  [[maybe_unused]] constexpr auto* push = +[](K& k, In& x, const lineage& at) { k.push(std::move(x), at, emit{}); };
  if constexpr (has_named_finish<K>) {
    [[maybe_unused]] constexpr auto* finish = +[](K& k) { k.finish(emit{}); };
  }
}

/// Reports what is wrong, if anything is. The compiler's message shows its template arguments.
template <class Op, class Element> consteval void explain_serial() {
  constexpr serial_fault fault = serial_fault_of<Op, Element>();
  // named, because the compiler quotes the condition that fails
  constexpr bool constructed = fault != serial_fault::not_constructed, movable = fault != serial_fault::not_movable,
                 takes = fault != serial_fault::takes_other_element, number = fault != serial_fault::demands_no_number,
                 finishes = fault != serial_fault::finishes_otherwise, changes = fault != serial_fault::state_is_const,
                 state = fault != serial_fault::state_takes_nothing;
  static_assert(constructed,
                "plumbline: the operator's serial kernel cannot be constructed when an epoch begins; give it "
                "kernel(const Op&, const stream_context&)");
  static_assert(movable, "plumbline: a serial kernel must be movable; hold what cannot be moved in unique_ptr");
  static_assert(takes,
                "plumbline: the operator's serial kernel cannot be given this stream's element, see Op and Element in "
                "this message; the signature is void push(In&&, const lineage&, auto&& emit)");
  static_assert(number,
                "plumbline: the serial kernel's demand() must return how many more elements it can use, as a "
                "std::uint64_t");
  static_assert(finishes, "plumbline: the serial kernel's finish() is called with a sink: void finish(auto&& emit)");
  static_assert(changes,
                "plumbline: the serial kernel's state() is const, and could not load what it saved; write template "
                "<class Io> void state(Io& io), not const");
  static_assert(state,
                "plumbline: the serial kernel's state() takes nothing to save to and load from; write template <class "
                "Io> void state(Io& io) { io(a, b); }, which names the members that change");
  if constexpr (fault == serial_fault::none && serial_kernel<Op, Element> && !element_kernel<Op, Element>)
    check_serial_emitted<Op, Element>();
}

}  // namespace plumbline::detail
