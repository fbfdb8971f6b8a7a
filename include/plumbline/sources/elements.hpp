#pragma once
/// elements(container), elements({...}): the elements of a vector or std::array, which the source keeps (shared between
/// copies of the pipeline, never changed). Indexed; each element is copied when it is asked for. A std::array's count
/// is part of the type.

#include <plumbline/core/chain.hpp>

#include <array>
#include <initializer_list>
#include <memory>
#include <vector>

namespace plumbline {

template <class T, std::uint64_t N> struct elements_source : source_base {
  using element = T;
  using container =
      std::conditional_t<N == dynamic, std::vector<T>, std::array<T, static_cast<std::size_t>(N == dynamic ? 0 : N)>>;
  static_assert(std::copy_constructible<T>,
                "plumbline: elements(v): each element is given again every epoch, so it must be "
                "copyable; hold it in shared_ptr, or use generate(f)");
  static constexpr std::string_view name = "elements";
  std::shared_ptr<const container> held;

  static constexpr stream_facts type_facts{.count = N == dynamic ? cardinality::unknown() : cardinality::exactly(N),
                                           .indexed = true};
  stream_facts facts() const { return {.count = cardinality::exactly(size()), .indexed = true}; }
  std::uint64_t size() const { return held->size(); }
  T at(std::uint64_t i) const { return (*held)[static_cast<std::size_t>(i)]; }
};

template <class T> auto elements(std::vector<T> v) {
  return from(elements_source<T, dynamic>{{}, std::make_shared<const std::vector<T>>(std::move(v))});
}
template <class T, std::size_t N> auto elements(std::array<T, N> a) {
  return from(elements_source<T, N>{{}, std::make_shared<const std::array<T, N>>(std::move(a))});
}
template <class T> auto elements(std::initializer_list<T> v) { return elements(std::vector<T>(v)); }

}  // namespace plumbline
