#pragma once
/// Definitions of exec/engine.hpp: the segments as nodes of a TBB flow graph.

#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/io_pool.hpp>
#include <plumbline/model/machine.hpp>

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace plumbline::detail {

struct engine::graph {
  struct segment;

  /// A stage or, if `stage` is null, a segment's producer. There is one kind of node and one type of message (null, for
  /// a producer: a poke), because each further instantiation costs compile time in every file that includes this.
  struct node {
    node(segment& in, stage_base* stage, bool blocking, std::size_t at_once, node* after);
    void poke() { in_graph.try_put(nullptr); }
    /// How many of the run's cores it can use at once.
    double cores(std::size_t of_run) const {
      return static_cast<double>(stage == nullptr ? 1 : limit == 0 ? of_run : std::min(limit, of_run));
    }

    std::atomic<std::int64_t> busy{0};  ///< ns in its body, kept in a run with I/O threads only, where it is needed

   private:
    /// Threads' CPU clocks would not show the time at work, as TBB's idle threads spin.
    template <class F> void timed(F&& body) {
      if (!of.owner.io.started()) return body();
      const auto since = wall_now();
      body();
      busy.fetch_add(wall_now() - since, std::memory_order_relaxed);
    }
    /// The body of the graph node; runs on a compute worker.
    void take(message* m) {
      if (!blocks) return work(m, false);
      if (tried(m)) return;
      auto& g = *of.owner.nodes;
      g.reserve_wait();
      lane.submit([=, this, &g] {
        work(m, true);
        g.release_wait();
      });
    }
    void work(message* m, bool outside) {
      if (stage == nullptr) return of.turn([&](message* filled) { pass_on(filled, outside); });
      stage->process(*m, true);
      pass_on(m, outside);
    }
    /// Tries the message on the compute worker. If nothing has to wait, the message goes to the next stage at once,
    /// while its data is in this core's cache.
    bool tried(message* m) {
      if (!tries || !luck.worth_a_try()) return false;
      const bool made = stage->process(*m, false);
      luck.was(made);
      if (!made) return false;
      if (joined) next->stage->process(*m, true);
      (joined ? next : this)->pass_on(m, false);
      return true;
    }
    /// Sends to the next node or to the channel. `outside`: called on an I/O thread, which is not in the graph's arena.
    void pass_on(message* m, bool outside);

    segment& of;
    stage_base* stage;
    node* next;
    std::size_t limit;  ///< messages processed at once; 0: no limit of its own
    bool blocks, tries, joined;
    fortune luck;
    io_lane lane;  // limits the reads: the node's own limit ends when its body returns, before the read does
    tbb::flow::multifunction_node<message*, std::tuple<message*>, tbb::flow::queueing> in_graph;
  };

  struct segment {
    segment(graph& g, std::unique_ptr<producer_base> f, bool producer_blocks, std::vector<step> s, channel* to)
        : owner(g), producer(std::move(f)), steps(std::move(s)), target(to) {
      for (auto it = steps.rbegin(); it != steps.rend(); ++it) add(it->work.get(), it->of.blocks, it->at_once);
      add(nullptr, producer_blocks, 1);
    }
    /// Notifies the producer of a change: a credit, an arrival, a new epoch. One turn may serve several pokes.
    void poke() {
      if (owner.stopped.load(std::memory_order_relaxed)) return;
      if (pokes.fetch_add(1, std::memory_order_acq_rel) == 0) nodes.back()->poke();
    }
    /// Runs the producer, one turn at a time: a poke that finds none pending starts a turn, which continues until it
    /// has seen all pokes.
    template <class Send> void turn(Send&& send) {
      for (auto seen = pokes.load(std::memory_order_acquire);;) {
        message* m = nullptr;
        while (!owner.stopped.load(std::memory_order_relaxed) && (m = producer->acquire()) != nullptr)
          if (producer->fill(*m)) send(m);
        const auto before = pokes.fetch_sub(seen, std::memory_order_acq_rel);
        if (before == seen) return;
        seen = before - seen;
      }
    }
    void add(stage_base* stage, bool blocks, std::size_t at_once) {
      auto* after = nodes.empty() ? nullptr : nodes.back().get();
      nodes.push_back(std::make_unique<node>(*this, stage, blocks, at_once, after));
    }

    graph& owner;
    std::unique_ptr<producer_base> producer;
    std::vector<step> steps;
    channel* target;
    std::vector<std::unique_ptr<node>> nodes;  ///< in reverse: the last stage first, the producer at the end
    std::atomic<std::uint64_t> pokes{0};
  };

  graph(std::size_t compute_threads, std::size_t reading_threads, const run_options& how)
      : threads(compute_threads),
        io_threads(reading_threads),
        // one more slot, for the thread that waits in shut_down; all slots are reserved, so that TBB's workers get none
        arena(static_cast<int>(threads) + 1, static_cast<unsigned>(threads) + 1),
        flags{how.saves, false},
        limit(limit_of(how, stopped)) {
    arena.execute([&] { nodes = std::make_unique<tbb::flow::graph>(); });
  }

  std::size_t threads, io_threads;
  const std::size_t cores = std::min(threads, machine::cores_here());  ///< that the compute threads can use at once
  tbb::task_arena arena;
  std::atomic<bool> stopped{false};
  run_flags flags;
  std::unique_ptr<read_limit> limit;  ///< for all reads of the run; null: no limit
  std::vector<std::unique_ptr<channel>> channels;
  std::vector<std::unique_ptr<chunk_sizer>> chunk_sizers;
  std::unique_ptr<tbb::flow::graph> nodes;
  std::vector<std::unique_ptr<segment>> segments;
  std::vector<built_part> parts;
  io_pool io;  // destroyed before everything above, which its threads use
  tbb::task_group working;
  tbb::task_handle hold;
  thread_team workers;
};

// A node's concurrency limit: messages beyond it wait in the node's queue and are processed in order. Without a limit
// each message would be a task of its own, and TBB runs the newest task first, so what the consumer waits for would
// come last. A node that only passes messages to I/O threads takes one at a time, so that reads begin in order.
PLUMBLINE_INLINE engine::graph::node::node(segment& in, stage_base* s, bool blocking, std::size_t at_once, node* after)
    : of(in),
      stage(s),
      next(after),
      limit(at_once),
      blocks(blocking),
      tries(blocking && s != nullptr && s->tries() && at_once == 0 && in.owner.limit == nullptr),
      joined(next != nullptr && !next->blocks && next->limit == 0),
      lane(in.owner.io, at_once),
      in_graph(*in.owner.nodes,
               blocking && !tries ? 1
               : at_once == 0     ? in.owner.threads
                                  : std::min(at_once, in.owner.threads),
               [this](message* m, auto&) { timed([&] { take(m); }); }) {
  if (next != nullptr) tbb::flow::make_edge(tbb::flow::output_port<0>(in_graph), next->in_graph);
}
PLUMBLINE_INLINE void engine::graph::node::pass_on(message* m, bool outside) {
  if (next == nullptr)
    of.target->deposit(m);
  else if (outside)
    next->in_graph.try_put(m);
  else
    tbb::flow::output_port<0>(in_graph).try_put(m);
}

PLUMBLINE_INLINE engine::engine(std::size_t threads, std::size_t io_threads, const run_options& how)
    : graph_(std::make_unique<graph>(threads, io_threads, how)) {}
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
PLUMBLINE_INLINE channel* engine::make_channel(std::size_t credits, bool ordered) {
  auto& channels = graph_->channels;
  channels.push_back(std::make_unique<channel>(credits, ordered, &graph_->flags));
  channels.back()->on_arrival([] {});
  channels.back()->number = static_cast<std::uint32_t>(channels.size() - 1);
  return channels.back().get();
}
PLUMBLINE_INLINE chunk_sizer* engine::make_chunk_sizer(std::size_t fixed) {
  graph_->chunk_sizers.push_back(std::make_unique<chunk_sizer>(fixed));
  return graph_->chunk_sizers.back().get();
}
PLUMBLINE_INLINE void engine::add_segment(std::unique_ptr<producer_base> producer, built_part of,
                                          std::vector<step> steps, channel* target,
                                          const std::vector<channel*>& reads) {
  auto& g = *graph_;
  if (of.number != 0) g.parts.push_back(of);
  for (const auto& s : steps) g.parts.push_back(s.of);
  g.arena.execute([&] {
    g.segments.push_back(std::make_unique<graph::segment>(g, std::move(producer), of.blocks, std::move(steps), target));
  });
  auto* made = g.segments.back().get();
  const auto& last = made->steps.empty() ? of : made->steps.back().of;
  target->part = last.number;
  target->after = last.operators.empty() ? 0 : last.operators.back();
  target->on_credit([made] { made->poke(); });
  for (auto* p : reads) p->on_arrival([made] { made->poke(); });
}
PLUMBLINE_INLINE const std::vector<built_part>& engine::parts() const { return graph_->parts; }
PLUMBLINE_INLINE const std::vector<std::unique_ptr<channel>>& engine::channels() const { return graph_->channels; }
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
