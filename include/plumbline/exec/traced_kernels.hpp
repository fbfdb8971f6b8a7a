#pragma once
/// traced_kernels: all the element kernels of a line on top of a cursor, in a run on one thread that is traced.

#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/record.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace plumbline::detail {

template <class Up, class... K> class traced_kernels {
  using chain = kernel_chain<K...>;
  using counting = count_record<typename Up::element, K...>;

 public:
  using element = typename chain::template output<typename Up::element>;
  static constexpr cursor_traits traits{.within_budget = !chain::expands && Up::traits.within_budget};

  traced_kernels(chain kernels, Up up, const std::atomic<bool>* stop)
      : chain_(std::move(kernels)), up_(std::move(up)), where_{stop} {}
  void begin(std::uint64_t epoch) {
    where_.next = {};
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
        chain_.kernels);
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
      // an expansion's loop is that of an untraced run, where nothing is counted on the way from kernel to kernel
      no_record nothing;
      return up_.pump(tell_timing<timing::no>(
                          [&](auto&& x, const lineage& at) { chain_.pass(std::move(x), at, where_, nothing, sink); }),
                      budget);
    }
    leaving<std::remove_reference_t<Sink>, counted> out{sink, left};
    const auto caller = m.current();
    return up_.pump(tell_timing<when>([&](auto&& x, const lineage& at) {
                      if (is_timing<when>(m)) {
                        timing_record<typename Up::element, K...> record{counts, m, numbers, caller};
                        chain_.pass(std::move(x), at, where_, record, out);
                        m.to(caller);
                      } else if constexpr (when != timing::yes) {
                        chain_.pass(std::move(x), at, where_, counts, out);
                      }
                    }),
                    budget);
  }
  void leave() { up_.leave(); }
  template <class Io> void state(Io& io) { io(where_.next, up_); }

 private:
  static constexpr bool as_untraced = chain::expands && counting::counts_nothing && !chain::uses_position;
  /// Counts what leaves, where the sink does not.
  template <class Sink, bool Counted> struct leaving {
    Sink& sink;
    std::uint64_t& left;
    template <class Y> void operator()(Y&& y, const lineage& at) const {
      if constexpr (!Counted) ++left;
      sink(std::forward<Y>(y), at);
    }
    template <class Y>
    void maybe(bool is_there, Y&& y, const lineage& at) const requires(Counted&& chooses<Sink, Y, const lineage&>) {
      sink.maybe(is_there, std::forward<Y>(y), at);
    }
  };

  chain chain_;
  Up up_;
  counting_spot<sizeof...(K)> where_;
};

}  // namespace plumbline::detail
