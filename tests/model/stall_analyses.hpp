#pragma once
/// Stall analyses made by hand.

#include <plumbline/model/stalls.hpp>

namespace plumbline_test {

namespace pl = plumbline;

// A preparation of `seconds` of processor time for a batch, in parallel, and one of `serial` seconds.
inline pl::demand needs(double seconds, double serial = 0) {
  pl::demand d;
  d.groups = {{}};
  d.bytes_read = {0};
  d.parts.push_back(
      {.name = "prep", .operators = {1}, .cores_most = pl::detail::infinite, .cpu = {seconds}, .wall = {seconds}});
  if (serial > 0)
    d.parts.push_back(
        {.name = "serial", .operators = {2}, .serial = true, .cores_most = 1, .cpu = {serial}, .wall = {serial}});
  return d;
}
// The same of 0.1 s in all, of which a cache after operator 3 saves all but 0.001 s, and the reading of 1 MB.
inline pl::demand needs_with_site() {
  auto d = needs(0.1);
  d.groups = {{}, {0}};
  d.bytes_read = {0, 1e6};
  d.parts[0].cpu = d.parts[0].wall = {0.001, 0.099};
  d.sites = {{.after = 3, .bytes = 5e9, .replay_seconds = 1e-6, .serial = false, .name = "map"}};
  return d;
}
inline pl::stall_analysis analysed(double step, double prep, double memory, double storage) {
  pl::stall_analysis a;
  a.step = step, a.prep = prep, a.memory_fetch = memory, a.storage_fetch = storage;
  a.cores = 4, a.bytes_read = 1e6, a.data_bytes = a.memory_bytes = 1e9;
  a.needs = needs(4 / prep);
  return a;
}

}  // namespace plumbline_test
