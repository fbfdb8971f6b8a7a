#pragma once
/// engine: a pipeline's flow graph. It is built of lines: a *feeder* (serial: produces messages while it has credits),
/// the *stages* (parallel), and the *port* where they arrive in order. Everything here is type-erased, so that the flow
/// graph's templates are instantiated once, whatever the pipeline.
///
///   feeder -> stage ... -> port     each a multifunction_node, or an async_node if it reads
///
/// The nodes run in an arena of this engine's own, on threads of its own that wait for the graph inside it, beside
/// whatever the host program does with TBB. TBB's workers take no part: it may have none to give (a host's
/// `global_control`, consumers that wait inside the host's own tasks), and the graph has to go on all the same.

#include <plumbline/core/partition.hpp>
#include <plumbline/exec/io_pool.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/exec/stage.hpp>

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace plumbline::detail {

/// The serial part at the beginning of a line. One call at a time.
struct feeder_base {
  virtual ~feeder_base() = default;
  /// A message to fill; null when none can be produced now.
  virtual message* acquire() = 0;
  /// False: it was not needed after all, and has been given back.
  virtual bool fill(message& m) = 0;
};

class engine {
 public:
  engine(std::size_t threads, std::size_t io_threads, const run_options& how)
      : threads_(threads),
        io_threads_(io_threads),
        // one more, for the thread that waits in shut_down; all places are reserved, so that TBB's workers have none
        arena_(static_cast<int>(threads) + 1, static_cast<unsigned>(threads) + 1),
        marks_(how.saves),
        limit_(limit_of(how, stop_)) {
    arena_.execute([&] { graph_ = std::make_unique<tbb::flow::graph>(); });
  }
  ~engine() noexcept {  // a task_group may throw; what it held has been waited for
    shut_down();
    for (auto& p : ports_) p->drain();
  }
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// When all lines are there: nothing runs before.
  void start() {
    if (std::any_of(parts_.begin(), parts_.end(), [](const auto& p) { return p.blocks; }))
      io_.start(io_threads_, limit_.get());
    hold_ = work_.defer([] {});  // so that the threads stay when there is nothing to do
    const auto body = [this] {
      const limited_reads on(limit_.get());  // a user's function may read too
      arena_.execute([this] { work_.wait(); });
    };
    workers_.start(threads_, "threads", body, [this] { hold_ = {}; });
  }
  /// Everything stops at its next element; returns when nothing runs any more.
  void shut_down() {
    stop();
    arena_.execute([&] { graph_->wait_for_all(); });
    hold_ = {};
    workers_.join();
  }
  const std::atomic<bool>& stop_flag() const { return stop_; }
  void stop() { stop_.store(true, std::memory_order_relaxed); }

  /// From now on serial parts take their state now and then.
  void want_marks() { marks_.store(true, std::memory_order_relaxed); }

  port* make_port(std::size_t credits, bool ordered) {
    ports_.push_back(std::make_unique<port>(credits, ordered, &marks_));
    ports_.back()->wake_taker = [] {};
    return ports_.back().get();
  }
  pace* make_pace(std::size_t fixed) {
    paces_.push_back(std::make_unique<pace>(fixed));
    return paces_.back().get();
  }
  struct step {
    std::unique_ptr<stage_base> work;
    built_part of;
    std::size_t at_once;  ///< 0: no limit of its own
  };
  /// Ties a feeder, its stages and its port together. `of`: the feeder's part, if it is one (numbers are none).
  /// `reads`: the ports that the feeder takes from.
  void add_line(std::unique_ptr<feeder_base> feeder, built_part of, std::vector<step> steps, port* target,
                const std::vector<port*>& reads) {
    if (of.number != 0) parts_.push_back(of);
    for (const auto& s : steps) parts_.push_back(s.of);
    arena_.execute([&] {
      lines_.push_back(std::make_unique<line>(*this, std::move(feeder), of.blocks, std::move(steps), target));
    });
    auto* made = lines_.back().get();
    target->wake_feeder = [made] { made->poke(); };
    for (auto* p : reads) p->wake_taker = [made] { made->poke(); };
  }
  const std::vector<built_part>& parts() const { return parts_; }

 private:
  // Two kinds of node, one of which is the other's base, and one type of message (null to a feeder: a poke): each
  // further instantiation costs everyone who includes this compile time.
  using working_node = tbb::flow::multifunction_node<message*, std::tuple<message*>, tbb::flow::queueing>;
  using reading_node = tbb::flow::async_node<message*, message*, tbb::flow::queueing>;

  struct line {
    line(engine& e, std::unique_ptr<feeder_base> f, bool feeder_blocks, std::vector<step> s, port* target)
        : owner(e), feeder(std::move(f)), steps(std::move(s)) {
      using gateway = reading_node::gateway_type;
      using outputs = working_node::output_ports_type;
      auto& g = *e.graph_;
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
          const bool tries = work->tries() && at_once == 0 && e.limit_ == nullptr;
          const auto luck = std::make_shared<fortune>();
          // an async_node's own concurrency limit ends when its body returns, not when the read does: so it is kept
          // here
          const auto lane = std::make_shared<io_lane>(e.io_, at_once);
          const bool both = !last && !std::prev(it)->of.blocks && std::prev(it)->at_once == 0;
          auto* next = both ? std::prev(it)->work.get() : nullptr;
          const auto end = nodes.size() - (both ? 1 : 0);  // the node whose work is then done
          add(std::make_unique<reading_node>(g, tries ? e.threads_ : 1, [=, this](message* m, gateway& out) {
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
          const auto most = e.threads_;
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
          owner.io_.submit([=, this, &out] {
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
      if (owner.stop_.load(std::memory_order_relaxed)) return;
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
        while (!owner.stop_.load(std::memory_order_relaxed) && (m = feeder->acquire()) != nullptr)
          if (feeder->fill(*m)) send(m);
        const auto before = pokes.fetch_sub(seen, std::memory_order_acq_rel);
        if (before == seen) return;
        seen = before - seen;
      }
    }

    engine& owner;
    std::unique_ptr<feeder_base> feeder;
    std::vector<step> steps;
    std::vector<std::unique_ptr<working_node>> nodes;  ///< the last first, the feeder's at the end
    std::atomic<std::uint64_t> pokes{0};
  };

  std::size_t threads_, io_threads_;
  tbb::task_arena arena_;
  std::atomic<bool> stop_{false}, marks_;
  std::unique_ptr<read_limit> limit_;  ///< of all reads of the run; null: none
  std::vector<std::unique_ptr<port>> ports_;
  std::vector<std::unique_ptr<pace>> paces_;
  std::unique_ptr<tbb::flow::graph> graph_;
  std::vector<std::unique_ptr<line>> lines_;
  std::vector<built_part> parts_;
  io_pool io_;  // goes before everything above, which its threads use
  tbb::task_group work_;
  tbb::task_handle hold_;
  thread_team workers_;
};

}  // namespace plumbline::detail
