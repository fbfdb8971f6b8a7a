#pragma once
/// members_of, of what is known about data stalls: analyses, predictions, price lists, placements of caches, epochs.

#include <plumbline/model/demand.hpp>
#include <plumbline/model/epoch_stalls.hpp>
#include <plumbline/model/place_caches.hpp>
#include <plumbline/model/price_list.hpp>
#include <plumbline/model/reflect.hpp>
#include <plumbline/model/stalls.hpp>

namespace plumbline::detail {

template <same<site_demand> T> void members_of(T& x, auto&& f) {
  f("after", x.after), f("bytes", x.bytes), f("replay_seconds", x.replay_seconds), f("serial", x.serial),
      f("name", x.name), f("disk_bytes", x.disk_bytes), f("disk_read", x.disk_read),
      f("message_bytes", x.message_bytes);
}
template <same<part_demand> T> void members_of(T& x, auto&& f) {
  f("name", x.name), f("operators", x.operators), f("serial", x.serial), f("blocks", x.blocks), f("waits", x.waits),
      f("reads", x.reads), f("cores_most", x.cores_most), f("message_bytes", x.message_bytes), f("cpu", x.cpu),
      f("wall", x.wall);
}
template <same<segment_demand> T> void members_of(T& x, auto&& f) {
  f("parts", x.parts), f("elements", x.elements), f("streams", x.streams), f("output", x.output);
}
template <same<demand> T> void members_of(T& x, auto&& f) {
  f("parts", x.parts), f("segments", x.segments), f("sites", x.sites), f("groups", x.groups),
      f("bytes_read", x.bytes_read), f("bytes_needed", x.bytes_needed), f("reads_most", x.reads_most),
      f("root_bytes", x.root_bytes), f("held", x.held), f("busy_cores", x.busy_cores),
      f("consumer_seconds", x.consumer_seconds);
}
template <same<cached_rates> T> void members_of(T& x, auto&& f) {
  f("share", x.share), f("prep", x.prep), f("together", x.together), f("error", x.error),
      f("together_error", x.together_error);
}
template <same<own_cache> T> void members_of(T& x, auto&& f) { f("number", x.number), f("name", x.name); }
template <same<stall_analysis> T> void members_of(T& x, auto&& f) {
  f("step", x.step), f("prep", x.prep), f("cached", x.cached), f("memory_fetch", x.memory_fetch),
      f("storage_fetch", x.storage_fetch), f("storage_cpu_seconds", x.storage_cpu_seconds),
      f("step_cpu_seconds", x.step_cpu_seconds), f("together", x.together), f("cores", x.cores),
      f("all_cores", x.all_cores), f("io_threads", x.io_threads), f("waits_on_compute", x.waits_on_compute),
      f("bytes_read", x.bytes_read), f("data_bytes", x.data_bytes), f("memory_bytes", x.memory_bytes),
      f("files_ahead", x.files_ahead), f("files_ahead_of_step", x.files_ahead_of_step),
      f("size_variation", x.size_variation), f("needs", x.needs), f("caches", x.caches), f("step_error", x.step_error),
      f("prep_error", x.prep_error), f("memory_error", x.memory_error), f("storage_error", x.storage_error),
      f("storage_cpu_error", x.storage_cpu_error), f("together_error", x.together_error),
      f("modelled_prep", x.modelled_prep), f("modelled_storage", x.modelled_storage);
}
template <same<stall_prediction> T> void members_of(T& x, auto&& f) {
  f("rate", x.rate), f("compute", x.compute), f("prep", x.prep), f("fetch", x.fetch), f("interference", x.interference),
      f("fetch_rate", x.fetch_rate), f("prep_rate", x.prep_rate), f("share_in_memory", x.share_in_memory),
      f("limit", x.limit), f("rate_error", x.rate_error), f("compute_error", x.compute_error),
      f("prep_error", x.prep_error), f("fetch_error", x.fetch_error);
}
template <same<offer> T> void members_of(T& x, auto&& f) {
  f("what", x.what), f("cores", x.cores), f("memory", x.memory),
      f("storage_bytes_per_second", x.storage_bytes_per_second), f("cost", x.cost);
}
template <same<placed_cache> T> void members_of(T& x, auto&& f) {
  f("after", x.after), f("name", x.name), f("kept", x.kept), f("bytes", x.bytes);
}
template <same<cache_placement> T> void members_of(T& x, auto&& f) {
  f("caches", x.caches), f("rate", x.rate), f("with_a_gigabyte_more", x.with_a_gigabyte_more),
      f("gain_per_byte", x.gain_per_byte), f("memory", x.memory);
}
template <same<epoch_stalls> T> void members_of(T& x, auto&& f) {
  f("epoch", x.epoch), f("whole", x.whole), f("elements", x.elements), f("seconds", x.seconds),
      f("prep_seconds", x.prep_seconds), f("io_seconds", x.io_seconds);
}

}  // namespace plumbline::detail
