#pragma once
/// reshuffle: whether a shuffle permutes anew in each epoch. In the same way is for a fixed split:
///   auto all = files("*.jpg") | shuffle(42, each_epoch::same);
///   auto validation = all | take(1000);
///   auto train = all | skip(1000) | shuffle(7);

#include <cstdint>
#include <type_traits>

namespace plumbline {

enum class reshuffle : bool { each_epoch, never };

namespace each_epoch {
/// Part of the type, so that the order is known to be fixed: shuffle(42, each_epoch::same).
inline constexpr std::integral_constant<reshuffle, reshuffle::never> same{};
}  // namespace each_epoch

namespace detail {
/// The epoch whose permutation is used.
template <reshuffle How> constexpr std::uint64_t permuted_as_in(std::uint64_t epoch) {
  return How == reshuffle::never ? 0 : epoch;
}
}  // namespace detail

}  // namespace plumbline
