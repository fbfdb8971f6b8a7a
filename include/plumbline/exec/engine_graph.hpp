#pragma once
/// engine::graph: the segments of a run as nodes of a TBB flow graph.

#include <plumbline/exec/engine_declaration.hpp>
#include <plumbline/exec/io_pool.hpp>
#include <plumbline/exec/message_gate.hpp>
#include <plumbline/model/live_limits.hpp>
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
      const auto most = adjustable ? gate.limit() : limit;
      return static_cast<double>(stage == nullptr ? 1 : most == 0 ? of_run : std::min(most, of_run));
    }
    /// It only passes messages to I/O threads, so no compute thread has to wake for them.
    bool hands_over() const { return on_io_threads() && !tries && !movable; }
    /// The body of the graph node. Runs on a compute thread, or any if it hands over.
    void take(message* m) {
      if (adjustable) return take_by_gate(m);
      if (!blocks) return work(m, false);
      if (tried(m)) return;
      auto& g = *of.owner.nodes;
      g.reserve_wait();
      lane.submit([=, this, &g] {
        work(m, true);
        g.release_wait();
      });
    }
    bool can_adjust() const { return adjustable; }
    bool can_move() const { return movable; }
    bool on_io_threads() const { return blocks.load(std::memory_order_relaxed); }
    std::size_t at_once() const {
      return stage == nullptr ? 1 : adjustable ? gate.limit() : limit == 0 ? of.owner.threads : limit;
    }
    void adjust(const part_limit& to) {
      if (!adjustable) return;
      if (movable) blocks.store(to.waits && of.owner.io.started(), std::memory_order_relaxed);
      const auto before = gate.limit(), now = std::max<std::size_t>(to.at_once, 1);
      gate.limit(now);
      for (auto more = before; more < now; ++more) poke();
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
    /// The same in a run whose limits may change. `m`: null if the limit was raised.
    void take_by_gate(message* m) {
      if (m != nullptr && tried(m)) return;
      if ((m = gate.enter(m)) == nullptr) return;
      if (!on_io_threads()) {
        work(m, false);
        if (gate.leave()) poke();
        return;
      }
      auto& g = *of.owner.nodes;
      g.reserve_wait();
      of.owner.io.submit([=, this, &g] {
        auto* one = m;
        work(one, true);
        while (on_io_threads() && (one = gate.next()) != nullptr) work(one, true);
        if (one != nullptr && gate.leave()) poke();  // the part has moved to compute threads
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
      const bool joined = next != nullptr && next->joins();
      if (joined) next->stage->process(*m, true);
      (joined ? next : this)->pass_on(m, false);
      return true;
    }
    /// True if it may take a message directly from the node before it.
    bool joins() const { return !on_io_threads() && (adjustable ? gate.limit() >= of.owner.threads : limit == 0); }
    /// Sends to the next node or to the channel. `outside`: called on an I/O thread, which is not in the graph's arena.
    void pass_on(message* m, bool outside);

    segment& of;
    stage_base* stage;
    node* next;
    std::size_t limit;  ///< messages processed at once; 0: no limit of its own
    std::atomic<bool> blocks;
    bool tries, adjustable;
    bool movable;       ///< between compute and I/O threads
    message_gate gate;  ///< limits them if that may change
    fortune luck;
    io_lane lane;  // limits the reads: the node's own limit ends when its body returns, before the read does
    tbb::flow::multifunction_node<message*, std::tuple<message*>, tbb::flow::queueing> in_graph;
  };

  struct segment {
    segment(graph& g, std::unique_ptr<producer_base> f, built_part p, std::vector<step> s, channel* to,
            chunk_sizer* chunks)
        : owner(g), producer(std::move(f)), made_by(std::move(p)), steps(std::move(s)), target(to), size(chunks) {
      for (auto it = steps.rbegin(); it != steps.rend(); ++it) add(it->work.get(), it->of.blocks, it->at_once);
      add(nullptr, made_by.blocks, 1);
    }
    /// Calls f(part, its node) for its parts, upstream first.
    template <class F> void each_part(F&& f) const {
      if (made_by.number != 0) f(made_by, *nodes.back());
      for (std::size_t i = 0; i != steps.size(); ++i) f(steps[i].of, *nodes[steps.size() - 1 - i]);
    }
    /// Notifies the producer of a change: a credit, an arrival, a new epoch. One turn may serve several pokes.
    void poke() {
      if (owner.stopped.load(std::memory_order_relaxed)) return;
      if (pokes.fetch_add(1, std::memory_order_acq_rel) != 0) return;
      // indices cost nothing to make, so they are made here if the first stage only hands them over
      auto* first = steps.empty() ? nullptr : nodes[steps.size() - 1].get();
      if (target->by_number && first != nullptr && first->hands_over())
        turn([&](message* filled) { first->take(filled); });
      else
        nodes.back()->poke();
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
    built_part made_by;  ///< the producer's part; its number is 0 if it is none
    std::vector<step> steps;
    channel* target;
    chunk_sizer* size;
    std::vector<std::unique_ptr<node>> nodes;  ///< in reverse: the last stage first, the producer at the end
    std::atomic<std::uint64_t> pokes{0};
  };

  graph(std::size_t compute_threads, std::size_t reading_threads, const run_options& how, bool can_adjust,
        file_memory* found_in)
      : threads(compute_threads),
        io_threads(reading_threads),
        adjustable(can_adjust),
        // one more slot, for the thread that waits in shut_down; all slots are reserved, so that TBB's workers get none
        arena(static_cast<int>(threads) + 1, static_cast<unsigned>(threads) + 1),
        flags{how.saves, false},
        limit(limit_of(how, stopped)),
        files(found_in) {
    arena.execute([&] { nodes = std::make_unique<tbb::flow::graph>(); });
  }

  std::size_t threads, io_threads;
  const bool adjustable;
  const std::size_t cores = std::min(threads, machine::cores_here());  ///< that the compute threads can use at once
  tbb::task_arena arena;
  std::atomic<bool> stopped{false};
  run_flags flags;
  std::unique_ptr<read_limit> limit;  ///< for all reads of the run; null: no limit
  file_memory* const files;           ///< where compute threads find files; null: they are read
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
      tries(blocking && s != nullptr && s->tries(in.owner.limit != nullptr && in.owner.files == nullptr) &&
            at_once == 0),
      adjustable(in.owner.adjustable && s != nullptr && at_once == 0),
      movable(adjustable && !blocking),
      gate(blocking ? std::max<std::size_t>(in.owner.io_threads, 1) : in.owner.threads),
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

}  // namespace plumbline::detail
