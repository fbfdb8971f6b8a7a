#pragma once
/// members_of: the members of traces, plans, timelines and batches with their names, and the names of enumerators. With
/// model/reflect_stalls.hpp the one list for code that writes or reads them (ext/json.hpp).

#include <plumbline/model/batch_report.hpp>
#include <plumbline/model/plan.hpp>
#include <plumbline/model/rate_baseline.hpp>
#include <plumbline/model/timeline.hpp>
#include <plumbline/model/trace.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

namespace plumbline::detail {

template <class T>
concept enumeration = std::is_enum_v<T>;
// a switch, so that the compiler warns if an enumerator is added without a name; empty: past the last
constexpr std::string_view name_of(form x) {
  switch (x) {
    case form::source:
      return "source";
    case form::renumber:
      return "renumber";
    case form::index_cache:
      return "index_cache";
    case form::join:
      return "join";
    case form::nest:
      return "nest";
    case form::element:
      return "element";
    case form::scatter:
      return "scatter";
    case form::async_boundary:
      return "async_boundary";
    case form::serial:
      return "serial";
    case form::structure:
      return "structure";
  }
  return {};
}
constexpr std::string_view name_of(ordering x) {
  switch (x) {
    case ordering::fixed:
      return "fixed";
    case ordering::permuted:
      return "permuted";
  }
  return {};
}
constexpr std::string_view name_of(randomness x) {
  switch (x) {
    case randomness::none:
      return "none";
    case randomness::seeded:
      return "seeded";
  }
  return {};
}
constexpr std::string_view name_of(page_cache x) {
  switch (x) {
    case page_cache::unknown:
      return "unknown";
    case page_cache::bypassed:
      return "bypassed";
    case page_cache::dropped:
      return "dropped";
    case page_cache::in_use:
      return "in_use";
  }
  return {};
}

template <class T, class Is>
concept same = std::same_as<std::remove_const_t<T>, Is>;
template <same<cardinality> T> void members_of(T& x, auto&& f) {
  f("least", x.least), f("most", x.most), f("endless", x.endless);
}
template <same<stream_facts> T> void members_of(T& x, auto&& f) {
  f("count", x.count), f("order", x.order), f("draws", x.draws), f("indexed", x.indexed), f("keyed", x.keyed),
      f("one_pass", x.one_pass), f("blocking", x.blocking);
}
template <same<layout_row> T> void members_of(T& x, auto&& f) {
  f("number", x.number), f("name", x.name), f("element", x.element), f("facts", x.facts), f("how", x.how),
      f("blocking", x.blocking), f("random", x.random), f("copyable", x.copyable), f("stage", x.stage),
      f("handed_on", x.handed_on), f("inputs", x.inputs), f("takes", x.takes), f("added", x.added),
      f("replays", x.replays), f("persists", x.persists), f("keeps_most", x.keeps_most),
      f("keeps_share", x.keeps_share), f("files", x.files), f("file_bytes", x.file_bytes), f("holds", x.holds),
      f("buffers", x.buffers);
}
template <same<operator_counters> T> void members_of(T& x, auto&& f) {
  f("completions", x.completions), f("bytes", x.bytes), f("bytes_read", x.bytes_read), f("cpu_seconds", x.cpu_seconds),
      f("wall_seconds", x.wall_seconds), f("timed", x.timed), f("bytes_squared", x.bytes_squared);
}
template <same<part_counters> T> void members_of(T& x, auto&& f) {
  f("number", x.number), f("operators", x.operators), f("serial", x.serial), f("blocks", x.blocks),
      f("messages", x.messages), f("cpu_seconds", x.cpu_seconds), f("wall_seconds", x.wall_seconds),
      f("overhead_seconds", x.overhead_seconds), f("queued_seconds", x.queued_seconds);
}
template <same<file_read> T> void members_of(T& x, auto&& f) { f("bytes", x.bytes), f("size", x.size); }
template <same<disk_curve::point> T> void members_of(T& x, auto&& f) {
  f("reads", x.reads), f("bytes_per_second", x.bytes_per_second);
}
template <same<disk_curve> T> void members_of(T& x, auto&& f) {
  f("corners", x.corners), f("measured", x.measured), f("cache", x.cache), f("how", x.how);
}
template <same<trace_sample> T> void members_of(T& x, auto&& f) {
  f("wall_seconds", x.wall_seconds), f("minibatches", x.minibatches), f("cpu_seconds", x.cpu_seconds);
}
template <same<trace> T> void members_of(T& x, auto&& f) {
  f("operators", x.operators), f("counters", x.counters), f("parts", x.parts), f("files", x.files),
      f("wall_seconds", x.wall_seconds), f("consumer_wait_seconds", x.consumer_wait_seconds),
      f("consumer_seconds", x.consumer_seconds), f("run_delay_seconds", x.run_delay_seconds),
      f("io_run_delay_seconds", x.io_run_delay_seconds), f("threads", x.threads), f("epochs", x.epochs),
      f("samples", x.samples), f("disk", x.disk);
}
template <same<share> T> void members_of(T& x, auto&& f) { f("from", x.from), f("to", x.to); }
template <same<part_plan> T> void members_of(T& x, auto&& f) {
  f("operators", x.operators), f("serial", x.serial), f("blocks", x.blocks), f("waits", x.waits),
      f("parallelism", x.parallelism), f("cores", x.cores);
}
template <same<plan> T> void members_of(T& x, auto&& f) {
  f("pipeline", x.pipeline), f("threads", x.threads), f("io_threads", x.io_threads), f("parts", x.parts),
      f("chunk", x.chunk), f("prefetch", x.prefetch), f("caches", x.caches), f("shares", x.shares),
      f("on_disk", x.on_disk), f("disk_bytes", x.disk_bytes), f("rate", x.rate), f("memory", x.memory),
      f("bottleneck", x.bottleneck), f("disk", x.disk);
}
template <same<operator_cost> T> void members_of(T& x, auto&& f) {
  f("name", x.name), f("cpu", x.cpu), f("wait_seconds", x.wait_seconds);
}
template <same<rate_baseline> T> void members_of(T& x, auto&& f) {
  f("threads", x.threads), f("calibration_threads", x.calibration_threads), f("ratios", x.ratios),
      f("operators", x.operators);
}
template <same<element_time> T> void members_of(T& x, auto&& f) {
  f("operation", x.operation), f("name", x.name), f("begun", x.begun), f("seconds", x.seconds),
      f("elements", x.elements), f("weight", x.weight);
}
template <same<batch_record> T> void members_of(T& x, auto&& f) {
  f("epoch", x.epoch), f("index", x.index), f("pass", x.pass), f("worker", x.worker), f("consumer", x.consumer),
      f("begun", x.begun), f("ready", x.ready), f("asked", x.asked), f("had", x.had), f("consumed", x.consumed),
      f("released", x.released), f("arrived", x.arrived), f("early", x.early), f("size", x.size),
      f("begun_lost", x.begun_lost), f("elements", x.elements);
}
template <same<batch_log> T> void members_of(T& x, auto&& f) {
  f("operators", x.operators), f("names", x.names), f("names_are_places", x.names_are_places), f("batches", x.batches),
      f("dropped", x.dropped), f("cut_off", x.cut_off);
}
template <same<share_above> T> void members_of(T& x, auto&& f) { f("limit", x.limit), f("share", x.share); }
template <same<distribution> T> void members_of(T& x, auto&& f) {
  f("count", x.count), f("mean", x.mean), f("deviation", x.deviation), f("least", x.least), f("q25", x.q25),
      f("median", x.median), f("q75", x.q75), f("q90", x.q90), f("most", x.most), f("above", x.above);
}
template <same<operator_times> T> void members_of(T& x, auto&& f) {
  f("name", x.name), f("seconds", x.seconds), f("total_seconds", x.total_seconds), f("explains", x.explains);
}
template <same<slow_element> T> void members_of(T& x, auto&& f) {
  f("name", x.name), f("operation", x.operation), f("epoch", x.epoch), f("batch", x.batch), f("seconds", x.seconds),
      f("times", x.times), f("mean", x.mean), f("explains", x.explains);
}
template <same<batch_summary> T> void members_of(T& x, auto&& f) {
  f("epoch", x.epoch), f("index", x.index), f("worker", x.worker), f("preparation", x.preparation), f("wait", x.wait),
      f("delay", x.delay), f("elements", x.elements);
}
template <same<batch_place> T> void members_of(T& x, auto&& f) { f("epoch", x.epoch), f("index", x.index); }
template <same<batch_report> T> void members_of(T& x, auto&& f) {
  f("batches", x.batches), f("epochs", x.epochs), f("workers", x.workers), f("dropped", x.dropped),
      f("cut_off", x.cut_off), f("first", x.first), f("last", x.last), f("seconds", x.seconds),
      f("preparation", x.preparation), f("wait", x.wait), f("delay", x.delay), f("begun_lost", x.begun_lost),
      f("step", x.step), f("out_of_order", x.out_of_order), f("kept", x.kept),
      f("waited_for_order", x.waited_for_order), f("waited_for_arrival", x.waited_for_arrival),
      f("waited_share", x.waited_share), f("producer_bound", x.producer_bound), f("verdict", x.verdict),
      f("explained", x.explained), f("explained_by_slowest", x.explained_by_slowest), f("timed_share", x.timed_share),
      f("operators", x.operators), f("worst", x.worst), f("slowest", x.slowest);
}

template <same<timeline_part> T> void members_of(T& x, auto&& f) {
  f("number", x.number), f("operators", x.operators), f("serial", x.serial), f("blocks", x.blocks), f("takes", x.takes),
      f("element_bytes", x.element_bytes);
}
template <same<work_record> T> void members_of(T& x, auto&& f) {
  f("thread", x.thread), f("part", x.part), f("segment", x.segment), f("sequence", x.sequence), f("epoch", x.epoch),
      f("first", x.first), f("elements", x.elements), f("made", x.made), f("timing", x.timing), f("queued", x.queued),
      f("begun", x.begun), f("ended", x.ended), f("takes", x.takes), f("input_segment", x.input_segment),
      f("input_sequence", x.input_sequence), f("input_used", x.input_used);
}
template <same<take_record> T> void members_of(T& x, auto&& f) {
  f("segment", x.segment), f("by", x.by), f("sequence", x.sequence), f("at", x.at), f("pass", x.pass),
      f("skipped", x.skipped);
}
template <same<fetch_record> T> void members_of(T& x, auto&& f) {
  f("segment", x.segment), f("sequence", x.sequence), f("epoch", x.epoch), f("first", x.first),
      f("elements", x.elements), f("asked", x.asked), f("had", x.had), f("skipped", x.skipped), f("thread", x.thread);
}
template <same<call_record> T> void members_of(T& x, auto&& f) {
  f("epoch", x.epoch), f("position", x.position), f("asked", x.asked), f("had", x.had), f("thread", x.thread);
}
template <same<sample_record> T> void members_of(T& x, auto&& f) {
  f("thread", x.thread), f("operation", x.operation), f("segment", x.segment), f("sequence", x.sequence),
      f("place", x.place), f("elements", x.elements), f("weight", x.weight), f("name", x.name), f("begun", x.begun),
      f("ended", x.ended);
}
template <same<timeline> T> void members_of(T& x, auto&& f) {
  f("operators", x.operators), f("parts", x.parts), f("threads", x.threads), f("names", x.names), f("work", x.work),
      f("takes", x.takes), f("fetches", x.fetches), f("calls", x.calls), f("samples", x.samples),
      f("dropped", x.dropped), f("since", x.since);
}

}  // namespace plumbline::detail
