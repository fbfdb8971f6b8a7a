#pragma once
#include <plumbline/data/collate_tuples.hpp>
#include <plumbline/data/collate_values.hpp>
#include <plumbline/data/collator.hpp>
#include <plumbline/data/columns.hpp>
#include <plumbline/data/spare_vectors.hpp>

#include <stdexcept>
#include <vector>

/// Collation: n elements become one batch of columns. Storage for n slots is allocated first; elements are put into
/// their slots as they are made, by many threads at once, so no thread has to assemble a batch at the end.
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

/// Makes from a group of elements what batch makes from the same elements: group(n) | map(collate). Throws
/// std::invalid_argument for an empty group, which has no shape.
struct collate_fn {
  using wants = a_group_of_collatable_elements;
  template <collatable T> batch_of<T> operator()(std::vector<T> group) const {
    if (group.empty()) throw std::invalid_argument("plumbline: collate: the group is empty; filter it out before");
    collator<T> made(group.size());
    const auto n = group.size();
    for (std::size_t i = 0; i != n; ++i) made.put(i, T(std::move(group[i])));
    detail::spare_vectors<T>::give(std::move(group));
    return std::move(made).finish(n);
  }
};
inline constexpr collate_fn collate{};

}  // namespace plumbline
