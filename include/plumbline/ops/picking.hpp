#pragma once
/// Streams of which each element comes from one of several: choose_from and mix.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/peeking.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <tuple>

namespace plumbline {

/// When a stream made of several ends.
enum class ending : unsigned char {
  first,  ///< where one of them ends and its next element would be due
  last    ///< when all have ended; one that has ended is not chosen any more
};

namespace detail {

/// The facts of streams of which elements are chosen. `choices`: how many are.
constexpr stream_facts picked(cardinality choices, ending stop, stream_facts first,
                              std::same_as<stream_facts> auto... rest) {
  cardinality all = first.count;
  bool endless = all.endless;
  ((all = plus(all, rest.count), endless = endless && rest.count.endless), ...);
  if (stop == ending::first && !endless) all.least = 0, all.endless = false;
  auto out = joined(all, first, rest...);
  out.count = cut_to(all, choices);
  if (!choices.endless) out.count.least = 0, out.count.endless = false;
  out.indexed = false;
  return out;
}

/// Reads from the stream that `Pick` chooses next. Pick has begin(epoch), leave(), state(io) and
/// choose(open, budget) -> pump_result, which sets `chosen` to the index of an open stream, or leaves it.
template <class Pick, class First, class... Rest> class picking_cursor {
 public:
  using element = typename First::element;
  static constexpr cursor_traits traits{.wants_end = (First::traits.wants_end || ... || Rest::traits.wants_end)};
  static constexpr std::size_t count = 1 + sizeof...(Rest);

  picking_cursor(Pick pick, ending stop, First first, Rest... rest)
      : pick_(std::move(pick)),
        stop_(stop),
        ups_{peeking<First>(std::move(first)), peeking<Rest>(std::move(rest))...} {}

  void begin(std::uint64_t epoch) {
    pick_.begin(epoch);
    each([&](auto& up) { up.begin(epoch); });
    open_.fill(true);
    chosen_ = count;
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    while (budget != 0) {
      if (chosen_ == count) {
        const auto p = pick_.choose(chosen_, open_, budget);
        if (p == pump_result::ended) {
          const auto others = see_ends(ups_);
          return others == pump_result::ended ? end() : others;
        }
        if (chosen_ == count) return p;
      }
      pump_result p{};
      bool passed = false, over = false;
      at(chosen_, [&](auto& up) {
        if (!up.has()) p = up.look(budget);
        if (up.has()) {
          sink(std::move(up.front().value), up.front().at);
          up.pop();
          passed = true;
        } else if (const auto e = up.error()) {
          std::rethrow_exception(e);
        } else {
          over = up.over();
        }
      });
      if (passed) {
        pick_.taken();
        chosen_ = count;
        --budget;
      } else if (over) {
        open_[chosen_] = false;
        chosen_ = count;
        if (stop_ == ending::first || !any_open()) return end();
      } else {
        return p;
      }
    }
    return pump_result::more;
  }
  void leave() {
    pick_.leave();
    each([](auto& up) { up.leave(); });
  }
  template <class Io> void state(Io& io) {
    io(pick_, open_, chosen_);
    std::apply(io, ups_);
  }

 private:
  bool any_open() const {
    for (const bool open : open_)
      if (open) return true;
    return false;
  }
  pump_result end() {
    leave();
    return pump_result::ended;
  }
  template <class F> void each(F&& f) {
    std::apply([&](auto&... up) { (f(up), ...); }, ups_);
  }
  template <class F> void at(std::size_t i, F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { ((I == i ? void(f(std::get<I>(ups_))) : void()), ...); }
    (std::make_index_sequence<count>{});
  }

  Pick pick_;
  ending stop_;
  std::tuple<peeking<First>, peeking<Rest>...> ups_;
  std::array<bool, count> open_{};
  std::size_t chosen_ = count;
};

}  // namespace detail
}  // namespace plumbline
