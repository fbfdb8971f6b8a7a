#pragma once
/// count_record: counts the elements that each kernel of a chain makes, and their bytes, as they pass.

#include <plumbline/data/nbytes.hpp>
#include <plumbline/exec/kernel_chain.hpp>
#include <plumbline/exec/part_timer.hpp>
#include <plumbline/exec/perhaps.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// Writes the size of an element at each place: its bytes if the type is trivially copyable, else 0.
template <class X, class... K> constexpr void sizes_of(std::uint64_t* out) {
  using own = std::remove_cvref_t<decltype(*made_here(std::declval<const X&>()))>;
  *out = std::is_trivially_copyable_v<own> ? sizeof(own) : 0;
  if constexpr (sizeof...(K) != 0)
    []<class F, class... R>(std::type_identity<std::tuple<F, R...>>, std::uint64_t* next) {
      sizes_of<typename F::template output<X>, R...>(next);
    }(std::type_identity<std::tuple<K...>>{}, out + 1);
}
/// The counts of a chain, in registers and only where needed: before the first kernel that is not one-to-one there are
/// as many elements as arrived, and after the last such kernel as many as leave.
template <class In, class... K> struct count_record {
  static constexpr std::size_t places = sizeof...(K) + 1;
  static constexpr std::array<bool, places> one_to_one{true, (K::makes == arity::one)...}, yields{true, K::yields...},
      passed_by{false, may_be_passed<K>...};
  static constexpr auto size = [] {
    std::array<std::uint64_t, places> each{};
    sizes_of<In, K...>(each.data());
    return each;
  }();
  static constexpr bool as_came(std::size_t place) {
    for (std::size_t i = 0; i <= place; ++i)
      if (!one_to_one[i]) return false;
    return true;
  }
  static constexpr bool as_leave(std::size_t place) {
    for (std::size_t i = place + 1; i < places; ++i)
      if (!one_to_one[i]) return false;
    return true;
  }
  static constexpr bool counts(std::size_t place) {
    return yields[place] && (passed_by[place] || (!as_came(place) && !as_leave(place)));
  }
  static constexpr bool weighs(std::size_t place) { return yields[place] && size[place] == 0; }
  /// The number of places before this one for which `which` holds: the index of this place's counter.
  template <class Which> static constexpr std::size_t before(std::size_t place, Which which) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < place; ++i) n += which(i) ? 1 : 0;
    return n;
  }
  static constexpr bool looks_at(std::size_t place) { return counts(place) || weighs(place); }
  static constexpr bool counts_nothing = before(places, counts) + before(places, weighs) == 0;
  std::array<std::uint64_t, before(places, counts)> count{};
  std::array<std::uint64_t, before(places, weighs)> bytes{};
  std::array<double, before(places, weighs)> squares{};
  std::uint64_t arrived = 0;  ///< bytes of the current element from the head

  template <std::size_t Place, class X> void made(const X& x) {
    if constexpr (counts(Place) || weighs(Place)) {
      const auto* own = made_here(x);
      if (own == nullptr) return;
      if constexpr (counts(Place)) ++count[before(Place, counts)];
      if constexpr (weighs(Place)) {
        if constexpr (Place == 0)
          arrived = nbytes(*own);
        else
          weighed<Place>(nbytes(*own));
      }
    }
  }
  void passed() {
    if constexpr (weighs(0)) weighed<0>(arrived);
  }
  /// `numbers`: the operator at each place; 0 for a head that is not the stage's own.
  void flush(part_timer& m, const std::array<std::uint32_t, places>& numbers, std::uint64_t came,
             std::uint64_t left) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (flush_one<I>(m, numbers[I], came, left), ...); }
    (std::make_index_sequence<places>{});
  }
  /// The same for sums over several pumps, of a chain that counts nothing itself. `numbers`: `places` of them.
  static void write(part_timer& m, const std::uint32_t* numbers, std::uint64_t came, std::uint64_t left) {
    std::array<std::uint32_t, places> own;
    std::copy_n(numbers, places, own.begin());
    count_record{}.flush(m, own, came, left);
  }

 private:
  template <std::size_t Place> void weighed(std::uint64_t b) {
    bytes[before(Place, weighs)] += b;
    squares[before(Place, weighs)] += static_cast<double>(b) * static_cast<double>(b);
  }
  template <std::size_t I>
  void flush_one(part_timer& m, std::uint32_t number, std::uint64_t came, std::uint64_t left) const {
    if constexpr (yields[I]) {
      if (number == 0) return;
      auto n = as_came(I) ? came : left;
      if constexpr (counts(I)) n = count[before(I, counts)];
      if constexpr (weighs(I))
        m.add(number, n, bytes[before(I, weighs)], squares[before(I, weighs)]);
      else
        m.add(number, n, size[I]);
    }
  }
};

}  // namespace plumbline::detail
