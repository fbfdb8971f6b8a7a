#pragma once
/// scale_reads: what a minibatch reads in the mean of an epoch, though a trace saw only some of its files.

#include <plumbline/model/caches.hpp>

#include <cstddef>
#include <vector>

namespace plumbline::detail {

/// Scales the bytes that are read for a minibatch to the mean size of all files, where these are read whole, are all
/// asked for, and their sizes are known: those that the trace saw may be larger or smaller. O(operators squared).
inline void scale_reads(pipeline_rates& r, const trace& t, const std::vector<materialised>& size) {
  const auto by = downstream_of(t.operators);
  double all = 0;
  for (std::size_t i = 0; i != size.size(); ++i) {
    auto& o = r.operators[i];
    const auto& did = t.counters[i];
    if (o.bytes_read > 0 && did.bytes > 0 && t.operators[i].how == form::element &&
        asked_of(t, r, size, by, i) == size[i].count)
      o.bytes_read *= size[i].bytes_each * static_cast<double>(did.completions) / static_cast<double>(did.bytes);
    if (o.steady) all += o.bytes_read;
  }
  r.bytes_read = all;
}

}  // namespace plumbline::detail
