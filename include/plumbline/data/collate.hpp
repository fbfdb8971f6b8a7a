#pragma once
#include <plumbline/data/collate_tuples.hpp>
#include <plumbline/data/collate_values.hpp>
#include <plumbline/data/collator.hpp>
#include <plumbline/data/columns.hpp>

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
/// Not collatable: `image` (sizes differ: resize or crop it, or use padded_batch), std::vector of numbers, and types
/// that are none of the above. For those, specialise `collator`.
namespace plumbline {}
