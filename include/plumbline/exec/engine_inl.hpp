#pragma once
/// Definitions of exec/engine.hpp.

#include <plumbline/data/file_memory.hpp>
#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/engine_graph.hpp>

#include <algorithm>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE engine::engine(std::size_t threads, std::size_t io_threads, const run_options& how, bool adjustable,
                                file_memory* files)
    : graph_(std::make_unique<graph>(threads, io_threads, how, adjustable, files)) {}
PLUMBLINE_INLINE engine::~engine() noexcept {  // ~task_group may throw, but here its tasks have been waited for
  shut_down();
  for (auto& p : graph_->channels) p->drain();
}
PLUMBLINE_INLINE void engine::start() {
  auto& g = *graph_;
  if (std::any_of(g.parts.begin(), g.parts.end(), [](const auto& p) { return p.blocks; }))
    g.io.start(g.io_threads, g.limit.get());
  g.hold = g.working.defer([] {});  // keeps the threads waiting when there is nothing to do
  const auto body = [&g] {
    const limited_reads on(g.limit.get());  // a user's function may read, too
    file_memory::here() = g.files;
    g.arena.execute([&g] { g.working.wait(); });
  };
  g.workers.start(g.threads, "threads", body, [&g] { g.hold = {}; });
}
PLUMBLINE_INLINE void engine::shut_down() {
  stop();
  graph_->arena.execute([&] { graph_->nodes->wait_for_all(); });
  graph_->hold = {};
  graph_->workers.join();
}
PLUMBLINE_INLINE const std::atomic<bool>& engine::stop_flag() const { return graph_->stopped; }
PLUMBLINE_INLINE void engine::stop() { graph_->stopped.store(true, std::memory_order_relaxed); }
PLUMBLINE_INLINE void engine::want_marks() { graph_->flags.marks.store(true, std::memory_order_relaxed); }
PLUMBLINE_INLINE void engine::shorten() { graph_->flags.shortens.store(true, std::memory_order_relaxed); }
PLUMBLINE_INLINE channel* engine::make_channel(std::size_t credits, bool ordered, std::size_t most) {
  auto& channels = graph_->channels;
  channels.push_back(std::make_unique<channel>(credits, most, ordered, &graph_->flags));
  channels.back()->on_arrival([] {});
  channels.back()->number = static_cast<std::uint32_t>(channels.size() - 1);
  return channels.back().get();
}
PLUMBLINE_INLINE chunk_sizer* engine::make_chunk_sizer(std::size_t fixed) {
  graph_->chunk_sizers.push_back(std::make_unique<chunk_sizer>(fixed));
  return graph_->chunk_sizers.back().get();
}
PLUMBLINE_INLINE void engine::add_segment(std::unique_ptr<producer_base> producer, built_part of,
                                          std::vector<step> steps, channel* target, const std::vector<channel*>& reads,
                                          chunk_sizer* size) {
  auto& g = *graph_;
  if (of.number != 0) g.parts.push_back(of);
  for (const auto& s : steps) g.parts.push_back(s.of);
  g.arena.execute([&] {
    g.segments.push_back(
        std::make_unique<graph::segment>(g, std::move(producer), std::move(of), std::move(steps), target, size));
  });
  auto* made = g.segments.back().get();
  const auto& last = made->steps.empty() ? made->made_by : made->steps.back().of;
  target->part = last.number;
  target->after = last.operators.empty() ? 0 : last.operators.back();
  target->on_credit([made] { made->poke(); });
  for (auto* p : reads) p->on_arrival([made] { made->poke(); });
}
PLUMBLINE_INLINE const std::vector<built_part>& engine::parts() const { return graph_->parts; }
PLUMBLINE_INLINE const std::vector<std::unique_ptr<channel>>& engine::channels() const { return graph_->channels; }
PLUMBLINE_INLINE live_limits engine::limits() const {
  live_limits all{.threads = graph_->threads, .io_threads = graph_->io.size()};
  for (const auto& s : graph_->segments) {
    buffer_limit buffer{.first_part = all.parts.size(),
                        .stated = !s->target->adjustable,
                        .output = s == graph_->segments.back(),
                        .has_stages = !s->steps.empty(),
                        .messages = s->target->credits(),
                        .most = s->target->most_credits(),
                        .elements = s->size->at_most()};
    s->each_part([&](const built_part& p, const graph::node& n) {
      all.parts.push_back({p.operators, p.serial, !n.can_adjust(), n.on_io_threads(), n.can_move(), n.at_once()});
      ++buffer.parts;
    });
    all.buffers.push_back(std::move(buffer));
  }
  return all;
}
PLUMBLINE_INLINE void engine::adjust(const live_limits& to) {
  auto& g = *graph_;
  if (!g.adjustable) return;
  const bool waits = std::any_of(to.parts.begin(), to.parts.end(), [](const auto& p) { return p.waits; });
  if (waits || g.io.started()) g.io.grow(to.io_threads, g.limit.get());
  auto part = to.parts.begin();
  auto buffer = to.buffers.begin();
  for (const auto& s : g.segments) {
    s->each_part([&](const built_part&, graph::node& n) { n.adjust(*part++); });
    if (s->target->adjustable && buffer->messages != s->target->credits()) s->target->limit(buffer->messages);
    s->size->at_most(buffer->elements);
    ++buffer;
  }
}
PLUMBLINE_INLINE run_totals engine::totals() const {
  auto& g = *graph_;
  if (!g.io.started()) return {};
  auto all = g.io.totals();
  for (const auto& s : g.segments)
    for (const auto& n : s->nodes)
      all.nodes.push_back({1e-9 * static_cast<double>(n->busy.load(std::memory_order_relaxed)), n->cores(g.cores)});
  all.cores = static_cast<double>(g.cores);
  return all;
}

}  // namespace plumbline::detail
