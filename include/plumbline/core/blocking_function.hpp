#pragma once
/// blocking(f): a function that waits more than it computes (a database, a network service, a lock), for map, filter
/// and flat_map into ranges:
///   elements(keys) | map(blocking(fetch))
/// It is called on I/O threads, so that more calls wait at once than there are cores. optimize() finds such functions
/// by itself; where it is not used, state them.

#include <utility>

namespace plumbline {

template <class F> struct blocking_function { [[no_unique_address]] F f; };

template <class F> constexpr auto blocking(F f) { return blocking_function<F>{std::move(f)}; }

}  // namespace plumbline
