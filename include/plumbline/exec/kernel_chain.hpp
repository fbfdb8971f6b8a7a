#pragma once
/// Element kernels as the executor runs them: `bound`, an operator's kernel with its operator number and random key,
/// and `kernel_chain`, several kernels as one loop body. Each kernel's function runs in its own guard; its result is
/// passed to the next kernel outside of that guard.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/choosing.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/core/pack.hpp>

#include <array>
#include <atomic>
#include <exception>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// True if the sink can construct an element in its final place: `T& emplace(make, lineage)`, where make() returns a T.
template <class Sink, class T>
concept emplaces = requires(Sink& s, T (*make)(), const lineage& at) {
  { s.emplace(make, at) } -> std::same_as<T&>;
};

/// True if a range's elements can be moved out of it, each to an Out, without exceptions.
template <class R, class Out>
concept nothrow_elements = requires(R& made, decltype(std::begin(std::declval<R&>())) i,
                                    decltype(std::end(std::declval<R&>())) end) {
  requires noexcept(std::ranges::begin(made));
  requires noexcept(std::ranges::end(made));
  requires noexcept(Out(std::move(*i)));
  requires noexcept(i != end);
  requires noexcept(++i);
};
/// True for an operator that makes all parts of an element at once in such a range: only making them must be guarded.
template <class Op, class In>
concept makes_all_parts = requires(const Op& op, In x) {
  requires nothrow_elements<decltype(op.all_parts(std::move(x))), typename Op::template output<In>>;
};

/// An operator's element kernel for elements of type In. `Held`: a pointer to the operator.
template <class Op, class In, class Held = const Op*> struct bound {
  using traits = kernel_traits<Op, In>;
  template <class> using output = typename output_of<Op, In>::type;
  static constexpr arity makes = traits::makes;
  static constexpr bool waits = blocking<Op>, tries = detail::tries<Op, In>;
  static constexpr bool uses_position = traits::uses_position;
  static constexpr std::string_view name = Op::name;
  /// True if its results are the operator's elements (not the filled slots of a group).
  static constexpr bool yields = std::is_pointer_v<Held>;

  Held op;
  std::uint32_t id;
  std::uint64_t key;  ///< the key of its random draws

  output<In> transform(In&& x, const lineage& at, const position_context& where) const {
    return guard(at, [&]() -> output<In> { return op->transform(context(at, where), std::move(x)); });
  }
  std::optional<output<In>> try_transform(In& x, const lineage& at, const position_context& where) const {
    return guard(at, [&]() -> std::optional<output<In>> { return op->try_transform(context(at, where), x); });
  }
  bool keep(const In& x, const lineage& at, const position_context& where) const {
    return guard(at, [&]() -> bool { return op->keep(context(at, where), x); });
  }
  /// `emit(y)` receives values of the operator's output type. Exceptions from `emit` are not the operator's.
  template <class Emit> void expand(In&& x, const lineage& at, const position_context& where, Emit&& emit) const {
    if constexpr (makes_all_parts<Op, In>) {
      auto made = guard(at, [&] { return op->all_parts(std::move(x)); });
      bool wanted = true;
      auto i = std::begin(made);
      for (auto end = std::end(made); wanted && i != end; ++i) wanted = emit(output<In>(std::move(*i)));
    } else {
      expand_guarded(std::move(x), at, where, emit);
    }
  }

 private:
  template <class Emit>
  void expand_guarded(In&& x, const lineage& at, const position_context& where, Emit& emit) const {
    std::exception_ptr failed;
    guard(at, [&] {
      op->expand(context(at, where), std::move(x), [&](auto&& y) -> bool {
        static_assert(std::constructible_from<output<In>, decltype(y)>);
        if (failed) return false;
        try {
          if constexpr (std::same_as<decltype(y), output<In>&&>)
            return emit(std::move(y));
          else  // an lvalue is copied
            return emit(output<In>(std::forward<decltype(y)>(y)));
        } catch (...) {
          failed = std::current_exception();
          throw;
        }
      });
    });
    if (failed) std::rethrow_exception(failed);  // the operator caught it
  }
  template <class F> constexpr decltype(auto) guard(const lineage& at, F&& f) const {
    if constexpr (traits::never_throws)
      return f();
    else
      return guarded(name, id, at, f);
  }
  constexpr auto context([[maybe_unused]] const lineage& at, [[maybe_unused]] const position_context& where) const {
    using cx = typename traits::context;
    if constexpr (std::same_as<cx, random_context>)
      return cx{{{}, at}, key};
    else if constexpr (std::same_as<cx, position_context>)
      return where;
    else if constexpr (std::same_as<cx, element_context>)
      return cx{{}, at};
    else
      return cx{};
  }
};

/// Where a chain runs: the element's position, for kernels that depend on it, and the run's stop flag.
struct spot {
  std::uint64_t index = 0, epoch_id = 0;
  const std::atomic<bool>* stop = nullptr;
  bool may_wait = true;  ///< false for a try: a kernel that would have to wait refuses
  /// Called once for each element that reaches kernel I, if that kernel depends on it.
  template <std::size_t> std::uint64_t position() const { return index; }
  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  /// The spot of the k-th element after this one.
  spot of(std::uint64_t k) const { return {index + k, epoch_id, stop, may_wait}; }
};
/// The same for chains in which earlier kernels may drop or add elements: each kernel counts its own input.
template <std::size_t Kernels> struct counting_spot {
  static constexpr std::uint64_t epoch_id = 0;
  const std::atomic<bool>* stop;
  std::array<std::uint64_t, Kernels> next{};
  template <std::size_t I> std::uint64_t position() { return next[I]++; }
  bool stopped() const { return stop->load(std::memory_order_relaxed); }
  counting_spot& of(std::uint64_t) { return *this; }
};

/// A record that records nothing. Elements are made at places: 0 before the first kernel, I + 1 by kernel I. `made`
/// sees an element as it passes; `looks_at(place)` is true if `made` does anything there.
struct no_record {
  template <std::size_t Place, class X> static constexpr void made(const X&) {}
  static constexpr void passed() {}
  static constexpr bool looks_at(std::size_t) { return false; }
};

template <class... K> struct kernel_chain {
  template <class In, class...> struct out_of { using type = In; };
  template <class In, class F, class... R> struct out_of<In, F, R...> {
    using type = typename out_of<typename F::template output<In>, R...>::type;
  };
  /// The type that the chain makes from an In.
  template <class In> using output = typename out_of<In, K...>::type;
  static constexpr std::size_t size = sizeof...(K);
  static constexpr bool one_to_one = ((K::makes == arity::one) && ... && true);
  static constexpr bool expands = ((K::makes == arity::many) || ... || false);
  static constexpr bool uses_position = (K::uses_position || ... || false);

  pack<K...> kernels;

  /// Passes x through the kernels from I up to but not including End, into `sink(y, lineage)`. `Try`: where.may_wait
  /// may be false; then a kernel that would have to wait refuses, pass() returns false, x is unchanged, and there were
  /// no other effects.
  template <bool Try = false, std::size_t I = 0, std::size_t End = sizeof...(K), class X, class Spot, class Record,
            class Sink>
  bool pass(X&& x, const lineage& at, Spot& where, Record& record, Sink& sink) const {
    static_assert(!std::is_lvalue_reference_v<X>);
    if constexpr (I == End) {
      sink(std::move(x), at);
      return true;
    } else {
      const auto& kernel = detail::at<I>(kernels);
      using K_I = std::remove_cvref_t<decltype(kernel)>;
      using out = typename K_I::template output<X>;
      constexpr bool last = I + 1 == End;
      position_context here{};
      if constexpr (K_I::uses_position) here = {{}, where.template position<I>(), where.epoch_id};
      if constexpr (Try && K_I::waits) {
        auto y = where.may_wait ? std::optional<out>(kernel.transform(std::move(x), at, here))
                                : kernel.try_transform(x, at, here);
        if (!y) return false;
        record.template made<I + 1>(*y);
        return pass<Try, I + 1, End>(*std::move(y), at, where, record, sink);
      } else if constexpr (K_I::makes == arity::one && last && emplaces<Sink, out>) {
        record.template made<I + 1>(sink.emplace([&] { return kernel.transform(std::move(x), at, here); }, at));
        return true;
      } else if constexpr (K_I::makes == arity::one) {
        out y = kernel.transform(std::move(x), at, here);
        record.template made<I + 1>(y);
        return pass<Try, I + 1, End>(std::move(y), at, where, record, sink);
      } else if constexpr (K_I::makes == arity::maybe) {
        const bool kept = kernel.keep(x, at, here);
        // a filter at the end leaves the decision to the sink, if nothing else looks at the element
        if constexpr (last && !Record::looks_at(I + 1) && chooses<Sink, X, const lineage&>) {
          sink.maybe(kept, std::move(x), at);
        } else if (kept) {
          record.template made<I + 1>(x);
          return pass<Try, I + 1, End>(std::move(x), at, where, record, sink);
        }
        return true;
      } else {
        std::uint64_t part = 0;
        kernel.expand(std::move(x), at, here, [&](out&& y) {
          if (where.stopped()) return false;  // one element may expand to very many
          record.template made<I + 1>(y);
          pass<Try, I + 1, End>(std::move(y), at.part(part++), where, record, sink);
          return true;
        });
        return true;
      }
    }
  }
};

}  // namespace plumbline::detail
