#pragma once
/// traced_kernels: all the element kernels of a line on top of a cursor, in a run on one thread that is traced.

#include <plumbline/core/choosing.hpp>
#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/record.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace plumbline::detail {

template <class Up, class... K> class traced_kernels {
  template <class In, class...> struct out_of { using type = In; };
  template <class In, class F, class... R> struct out_of<In, F, R...> {
    using type = typename out_of<typename F::template output<In>, R...>::type;
  };
  using counting = count_record<typename Up::element, K...>;

 public:
  using element = typename out_of<typename Up::element, K...>::type;
  static constexpr bool blocks = (Up::blocks || ... || K::blocks);
  static constexpr bool within_budget = !(K::expanding || ...) && requires { requires Up::within_budget; };

  traced_kernels(std::tuple<K...> kernels, Up up, const std::atomic<bool>* stop)
      : kernels_(std::move(kernels)), up_(std::move(up)), stop_(stop) {}
  void begin(std::uint64_t epoch) {
    position_ = {};
    up_.begin(epoch);
  }
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    constexpr timing when = timing_of<std::remove_cvref_t<Sink>>;
    meter& m = *meter::here();
    // what came is the upstream's to tell
    const auto numbers = std::apply(
        [](const auto&... k) {
          return std::array<std::uint32_t, sizeof...(K) + 1>{0, k.id...};
        },
        kernels_);
    counting counts;
    constexpr bool counted = requires { sink.counted(); };  // what leaves, by the sink
    std::uint64_t left = 0;
    if constexpr (counted) left = sink.counted();
    struct told_at_end {
      meter& m;
      const std::array<std::uint32_t, sizeof...(K) + 1>& numbers;
      const counting& counts;
      const Up& up;
      const std::uint64_t& left;
      const std::remove_reference_t<Sink>& sink;
      [[gnu::always_inline]] ~told_at_end() {
        if constexpr (counted)
          counts.flush(m, numbers, up.given(), sink.counted() - left);
        else
          counts.flush(m, numbers, up.given(), left);
      }
    } all{m, numbers, counts, up_, left, sink};
    if constexpr (when == timing::no && counted && as_untraced) {
      auto line = untraced<sizeof...(K)>();
      return line.pump(sink, budget);
    }
    const auto caller = m.current();
    const auto out = choosing<counted && chooses<Sink, element, const lineage&>>(
        [&](auto&& y, const lineage& at) {
          if constexpr (!counted) ++left;
          sink(std::forward<decltype(y)>(y), at);
        },
        [&](bool is_there, auto&& y, const lineage& at) { emit_if(is_there, sink, std::forward<decltype(y)>(y), at); });
    return up_.pump(tell_timing<when>([&](auto&& x, const lineage& at) {
                      if (is_timing<when>(m)) {
                        timing_record<typename Up::element, K...> record{counts, m, numbers};
                        step<0>(std::forward<decltype(x)>(x), at, out, record, caller);
                        m.to(caller);
                      } else if constexpr (when != timing::yes) {
                        step<0>(std::forward<decltype(x)>(x), at, out, counts, caller);
                      }
                    }),
                    budget);
  }
  void leave() { up_.leave(); }

 private:
  /// An expansion's loop is that of an untraced run, where nothing is counted on the way from kernel to kernel.
  static constexpr bool as_untraced = (K::expanding || ...) && counting::counts_nothing && !(K::uses_position || ...);
  struct borrowed {
    using element = typename Up::element;
    static constexpr bool blocks = Up::blocks, within_budget = requires { requires Up::within_budget; };
    Up& up;
    template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
      return up.pump(
          tell_timing<timing::no>([&](auto&& x, const lineage& at) { sink(std::forward<decltype(x)>(x), at); }),
          budget);
    }
  };
  template <std::size_t I> auto untraced() {
    if constexpr (I == 0)
      return borrowed{up_};
    else
      return element_cursor(std::get<I - 1>(kernels_), untraced<I - 1>(), stop_);
  }
  /// May the last kernel leave it to the sink whether an element is there? Nobody else looks at it then.
  template <std::size_t I, class Out, class Record>
  static constexpr bool by_choice = I + 1 == sizeof...(K) && !(K::expanding || ...) &&
                                    !Record::looks_at(I + 1) && chooses<const Out, element, const lineage&>;
  template <std::size_t I, class X, class Out, class Record>
  void step(X&& x, const lineage& at, const Out& out, Record& record, std::uint32_t caller) {
    if constexpr (I == sizeof...(K)) {
      record.to(caller);
      out(std::forward<X>(x), at);
    } else {
      using kernel = std::tuple_element_t<I, std::tuple<K...>>;
      const auto& k = std::get<I>(kernels_);
      record.to(k.id);
      k.push(std::forward<X>(x), at, kernel::uses_position ? position_[I]++ : 0, std::uint64_t{0},
             choosing<by_choice<I, Out, Record>>(
                 [&](auto&& y, const lineage& where) {
                   if constexpr (kernel::expanding)  // one element may become very many
                     if (stop_->load(std::memory_order_relaxed)) throw stopped{};
                   record.template made<I + 1>(y);
                   step<I + 1>(std::forward<decltype(y)>(y), where, out, record, caller);
                   record.to(k.id);
                 },
                 [&](bool is_there, auto&& y, const lineage& where) {
                   emit_if(is_there, out, std::forward<decltype(y)>(y), where);
                 }));
    }
  }

  std::tuple<K...> kernels_;
  Up up_;
  const std::atomic<bool>* stop_;
  std::array<std::uint64_t, sizeof...(K)> position_{};
};

}  // namespace plumbline::detail
