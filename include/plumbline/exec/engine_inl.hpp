#pragma once
/// Definitions of exec/engine.hpp: the lines as nodes of a TBB flow graph.

#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/io_pool.hpp>

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace plumbline::detail {

struct engine::graph {
  // Two kinds of node, one of which is the other's base, and one type of message (null to a feeder: a poke): each
  // further instantiation costs everyone who includes this compile time.
  using working_node = tbb::flow::multifunction_node<message*, std::tuple<message*>, tbb::flow::queueing>;
  using reading_node = tbb::flow::async_node<message*, message*, tbb::flow::queueing>;

  struct line {
    line(graph& e, std::unique_ptr<feeder_base> f, bool feeder_blocks, std::vector<step> s, port* target)
        : owner(e), feeder(std::move(f)), steps(std::move(s)) {
      using gateway = reading_node::gateway_type;
      using outputs = working_node::output_ports_type;
      auto& g = *e.nodes;
      // the last node gives to the port, every other one to the node after it
      const auto pass_on = [target](bool last, auto& out, message* m) {
        if (last)
          target->deposit(m);
        else
          out.try_put(m);
      };
      for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
        auto* work = it->work.get();
        const std::size_t at_once = it->at_once;  // 0 is TBB's `unlimited`
        const bool last = nodes.empty();
        if (it->of.blocks) {
          // What need not wait is read here, by as many as there are threads, and goes on to the next stage at once,
          // while this core's cache holds it. Where nothing is tried the node is serial, as all it does is to hand
          // over: reads then begin in order (see below). A limit on reading makes them wait.
          const bool tries = work->tries() && at_once == 0 && e.limit == nullptr;
          const auto luck = std::make_shared<fortune>();
          // an async_node's own concurrency limit ends when its body returns, not when the read does: so it is kept
          // here
          const auto lane = std::make_shared<io_lane>(e.io, at_once);
          const bool both = !last && !std::prev(it)->of.blocks && std::prev(it)->at_once == 0;
          auto* next = both ? std::prev(it)->work.get() : nullptr;
          const auto end = nodes.size() - (both ? 1 : 0);  // the node whose work is then done
          add(std::make_unique<reading_node>(g, tries ? e.threads : 1, [=, this](message* m, gateway& out) {
            if (tries && luck->worth_a_try()) {
              const bool made = work->process(*m, false);
              luck->was(made);
              if (made) {
                if (next != nullptr) next->process(*m, true);
                return pass_on(end == 0, tbb::flow::output_port<0>(*nodes[end]), m);
              }
            }
            out.reserve_wait();
            lane->submit([=, &out] {
              work->process(*m, true);
              pass_on(last, out, m);
              out.release_wait();
            });
          }));
        } else {
          // Limited, so that messages wait in the node's queue and are taken up in order. Without a limit each would be
          // a task of its own, and TBB runs the task made last first: what the consumer waits for would come last.
          const auto most = e.threads;
          add(std::make_unique<working_node>(g, at_once == 0 ? most : std::min(at_once, most),
                                             [=](message* m, outputs& out) {
                                               work->process(*m, true);
                                               pass_on(last, std::get<0>(out), m);
                                             }));
        }
      }
      const bool last = nodes.empty();
      if (feeder_blocks) {
        add(std::make_unique<reading_node>(g, tbb::flow::unlimited, [=, this](message*, gateway& out) {
          out.reserve_wait();
          owner.io.submit([=, this, &out] {
            turn([&](message* m) { pass_on(last, out, m); });
            out.release_wait();
          });
        }));
      } else {
        add(std::make_unique<working_node>(g, tbb::flow::serial, [=, this](message*, outputs& out) {
          turn([&](message* m) { pass_on(last, std::get<0>(out), m); });
        }));
      }
    }

    /// Something has changed for the feeder: a credit, an arrival, a new epoch. Many pokes may become one turn.
    void poke() {
      if (owner.stopped.load(std::memory_order_relaxed)) return;
      if (pokes.fetch_add(1, std::memory_order_acq_rel) == 0) nodes.back()->try_put(nullptr);
    }

   private:
    /// Goes before those already there.
    void add(std::unique_ptr<working_node> n) {
      if (!nodes.empty()) tbb::flow::make_edge(tbb::flow::output_port<0>(*n), *nodes.back());
      nodes.push_back(std::move(n));
    }
    /// One turn at a time: the poke that finds none pending starts it, and it goes on until it has seen them all.
    template <class Send> void turn(Send&& send) {
      for (auto seen = pokes.load(std::memory_order_acquire);;) {
        message* m = nullptr;
        while (!owner.stopped.load(std::memory_order_relaxed) && (m = feeder->acquire()) != nullptr)
          if (feeder->fill(*m)) send(m);
        const auto before = pokes.fetch_sub(seen, std::memory_order_acq_rel);
        if (before == seen) return;
        seen = before - seen;
      }
    }

    graph& owner;
    std::unique_ptr<feeder_base> feeder;
    std::vector<step> steps;
    std::vector<std::unique_ptr<working_node>> nodes;  ///< the last first, the feeder's at the end
    std::atomic<std::uint64_t> pokes{0};
  };

  graph(std::size_t compute_threads, std::size_t reading_threads, const run_options& how)
      : threads(compute_threads),
        io_threads(reading_threads),
        // one more, for the thread that waits in shut_down; all places are reserved, so that TBB's workers have none
        arena(static_cast<int>(threads) + 1, static_cast<unsigned>(threads) + 1),
        marks(how.saves),
        limit(limit_of(how, stopped)) {
    arena.execute([&] { nodes = std::make_unique<tbb::flow::graph>(); });
  }

  std::size_t threads, io_threads;
  tbb::task_arena arena;
  std::atomic<bool> stopped{false}, marks;
  std::unique_ptr<read_limit> limit;  ///< of all reads of the run; null: none
  std::vector<std::unique_ptr<port>> ports;
  std::vector<std::unique_ptr<pace>> paces;
  std::unique_ptr<tbb::flow::graph> nodes;
  std::vector<std::unique_ptr<line>> lines;
  std::vector<built_part> parts;
  io_pool io;  // goes before everything above, which its threads use
  tbb::task_group working;
  tbb::task_handle hold;
  thread_team workers;
};

PLUMBLINE_INLINE engine::engine(std::size_t threads, std::size_t io_threads, const run_options& how)
    : graph_(std::make_unique<graph>(threads, io_threads, how)) {}
PLUMBLINE_INLINE engine::~engine() noexcept {  // a task_group may throw; what it held has been waited for
  shut_down();
  for (auto& p : graph_->ports) p->drain();
}
PLUMBLINE_INLINE void engine::start() {
  auto& g = *graph_;
  if (std::any_of(g.parts.begin(), g.parts.end(), [](const auto& p) { return p.blocks; }))
    g.io.start(g.io_threads, g.limit.get());
  g.hold = g.working.defer([] {});  // so that the threads stay when there is nothing to do
  const auto body = [&g] {
    const limited_reads on(g.limit.get());  // a user's function may read too
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
PLUMBLINE_INLINE void engine::want_marks() { graph_->marks.store(true, std::memory_order_relaxed); }
PLUMBLINE_INLINE port* engine::make_port(std::size_t credits, bool ordered) {
  auto& ports = graph_->ports;
  ports.push_back(std::make_unique<port>(credits, ordered, &graph_->marks));
  ports.back()->on_arrival([] {});
  return ports.back().get();
}
PLUMBLINE_INLINE pace* engine::make_pace(std::size_t fixed) {
  graph_->paces.push_back(std::make_unique<pace>(fixed));
  return graph_->paces.back().get();
}
PLUMBLINE_INLINE void engine::add_line(std::unique_ptr<feeder_base> feeder, built_part of, std::vector<step> steps,
                                       port* target, const std::vector<port*>& reads) {
  auto& g = *graph_;
  if (of.number != 0) g.parts.push_back(of);
  for (const auto& s : steps) g.parts.push_back(s.of);
  g.arena.execute([&] {
    g.lines.push_back(std::make_unique<graph::line>(g, std::move(feeder), of.blocks, std::move(steps), target));
  });
  auto* made = g.lines.back().get();
  target->on_credit([made] { made->poke(); });
  for (auto* p : reads) p->on_arrival([made] { made->poke(); });
}
PLUMBLINE_INLINE const std::vector<built_part>& engine::parts() const { return graph_->parts; }

}  // namespace plumbline::detail
