#pragma once
/// Where an operator runs, and what a part of a run is: the vocabulary of the partition (core/partition.hpp).

#include <plumbline/core/form.hpp>

#include <cstdint>
#include <vector>

namespace plumbline {

/// The kind of run that a pipeline is partitioned for.
enum class running : unsigned char {
  on_threads,   ///< stages and serial parts, concurrently
  in_the_call,  ///< one part, in the consumer's calls (threads = 0)
  nested        ///< the same, in a part of the pipeline that opens it
};

/// How an operator's elements reach the operator that takes them.
enum class handover : unsigned char {
  along,   ///< within the segment: by a call, or as indices before they are made
  folded,  ///< by index, from the whole segment as one view
  direct,  ///< the next operator's cursor reads this one's: one serial part
  channel  ///< in messages: the segment ends
};

/// Where an operator runs. Parts count from 1; 0: none.
struct placement {
  form how{};
  handover to{};             ///< how its elements are passed on
  std::uint32_t part = 0;    ///< where it works; none: only indices change
  std::uint32_t before = 0;  ///< an earlier part that looks its elements up (index_cache) or counts them (positions)
  std::uint32_t also = 0;    ///< where its groups are passed on (scatter), or its streams run (nest)
  std::uint32_t downstream = 0;    ///< the number of the operator that takes its elements; 0: the consumer
  std::uint32_t source_index = 0;  ///< the index of its source, from 0; of the first if there are several
  bool lineage = false;            ///< an operator downstream needs the lineage of its elements
  bool any_order = false;          ///< all operators downstream accept its elements in any order

  /// True if part p runs the operator. A part that only counts for it does not: that is the executor's own work.
  constexpr bool runs_in(std::uint32_t p) const {
    return p != 0 && (p == part || p == also || (p == before && how == form::index_cache));
  }
};

/// A part of a run, as it was built.
struct built_part {
  std::uint32_t number = 0;  ///< as in the partition
  bool serial = false, blocks = false;
  std::vector<std::uint32_t> operators{};  ///< ascending

  friend bool operator==(const built_part&, const built_part&) = default;
};

/// A stage, or a serial part. A chain's operators that share one are fused.
struct part {
  bool serial = false;     ///< one thread at a time
  bool blocks = false;     ///< on I/O threads
  bool by_number = false;  ///< begins with elements that are made by index
  bool streams = false;    ///< one of it for each stream that the operator has open
};

}  // namespace plumbline
