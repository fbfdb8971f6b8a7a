#pragma once
#include <plumbline/data/collate_tuples.hpp>
#include <plumbline/data/collate_values.hpp>
#include <plumbline/data/collator.hpp>
#include <plumbline/data/columns.hpp>

#include <stdexcept>
#include <vector>

/// Collation: n elements become one batch of columns. Storage comes first and has n slots; elements are put into their
/// slots as they are made, by many threads at once, so that no thread has to copy a batch together at the end.
///
///   element                              batch
///   bool                                 tensor<std::uint8_t> [n]      (a bit cannot be written by two threads)
///   arithmetic T                         tensor<T> [n]
///   enum                                 tensor of its underlying type [n]
///   std::array<arithmetic T, k>          tensor<T> [n, k]
///   fixed_tensor<T, d...>                tensor<T> [n, d...]
///   tensor<T>                            tensor<T> [n, shape...]       shapes compared at run time: shape_mismatch
///   std::string, std::vector of strings  std::vector of that
///   std::tuple, std::pair                std::tuple of the batches of the parts
///   std::array<T, k>, other T            std::array of k batches
///   a plain struct S                     columns<S>                    (data/columns.hpp)
///   columns<S>                           columns<columns<S>>
///
/// Not collatable: `image` (sizes differ: resize or crop it), std::vector of numbers, and types
/// that are none of the above. For those, specialise `collator`.
namespace plumbline {

struct a_group_of_collatable_elements;

/// What batch makes of the same elements, of a group of them: group(n) | map(collate). A group that is empty has no
/// shape: std::invalid_argument.
struct collate_fn {
  using wants = a_group_of_collatable_elements;
  template <collatable T> batch_of<T> operator()(std::vector<T> group) const {
    if (group.empty()) throw std::invalid_argument("plumbline: collate: the group is empty; filter it out before");
    collator<T> made(group.size());
    for (std::size_t i = 0; i != group.size(); ++i) made.put(i, T(std::move(group[i])));
    return std::move(made).finish(group.size());
  }
};
inline constexpr collate_fn collate{};

}  // namespace plumbline
