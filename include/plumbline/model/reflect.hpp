#pragma once
/// members_of: the members of a trace and a plan with their names, and the names of enumerators. The one list for code
/// that writes or reads them (ext/json.hpp).

#include <plumbline/model/plan.hpp>
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
      f("handed_on", x.handed_on), f("inputs", x.inputs), f("takes", x.takes), f("replays", x.replays),
      f("persists", x.persists), f("keeps_most", x.keeps_most);
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
      f("consumer_seconds", x.consumer_seconds), f("run_delay_seconds", x.run_delay_seconds), f("threads", x.threads),
      f("epochs", x.epochs), f("samples", x.samples), f("disk", x.disk);
}
template <same<part_plan> T> void members_of(T& x, auto&& f) {
  f("operators", x.operators), f("serial", x.serial), f("blocks", x.blocks), f("waits", x.waits),
      f("parallelism", x.parallelism), f("cores", x.cores);
}
template <same<plan> T> void members_of(T& x, auto&& f) {
  f("pipeline", x.pipeline), f("threads", x.threads), f("io_threads", x.io_threads), f("parts", x.parts),
      f("chunk", x.chunk), f("prefetch", x.prefetch), f("caches", x.caches), f("rate", x.rate), f("memory", x.memory),
      f("bottleneck", x.bottleneck), f("disk", x.disk);
}

}  // namespace plumbline::detail
