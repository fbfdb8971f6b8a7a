#pragma once
/// stage: the longest run of element kernels that can share one flow-graph node. Elements pass from kernel to kernel by
/// plain inlined calls; chunks come in and go out.

#include <plumbline/core/failure.hpp>
#include <plumbline/exec/port.hpp>
#include <plumbline/exec/view.hpp>

#include <chrono>
#include <tuple>

namespace plumbline::detail {

/// What the measured cost of an element says about how many should go into one message.
class pace {
 public:
  /// `fixed` != 0: the user's chunk size.
  explicit pace(std::size_t fixed) : fixed_(fixed) {}
  void measured(std::chrono::nanoseconds spent, std::uint64_t elements) {
    if (elements == 0) return;
    const double now = static_cast<double>(spent.count()) / static_cast<double>(elements);
    const double before = cost_.load(std::memory_order_relaxed);
    cost_.store(before == 0 ? now : before + 0.25 * (now - before), std::memory_order_relaxed);
  }
  /// Elements for the next message: about 100 us of work, a message costs 1 to 2 us; grows at most four-fold a step.
  std::size_t elements(std::size_t most) {
    if (fixed_ != 0) return fixed_;
    const double cost = cost_.load(std::memory_order_relaxed);
    std::size_t want = last_;
    if (cost > 0) {
      const double fit = 100'000.0 / cost;
      want = fit >= static_cast<double>(most) ? most : fit < 1 ? 1 : static_cast<std::size_t>(fit);
    }
    last_ = std::min({want, last_ * 4, std::max<std::size_t>(most, 1)});
    return last_;
  }
  std::size_t fixed() const { return fixed_; }

 private:
  std::size_t fixed_;
  std::atomic<double> cost_{0};  // ns per element
  std::size_t last_ = 1;         // the feeder's alone
};

/// What all stages of a line share.
struct line_state {
  port* target;
  const std::atomic<bool>* stop;
  pace* cost;
  bool idle(const message& m) const { return stop->load(std::memory_order_relaxed) || target->stale(m.generation); }
};

struct stage_base {
  virtual ~stage_base() = default;
  virtual void process(message& m) = 0;
};

/// Where an indexed line's elements come from.
template <class Head> struct made {
  using element = typename Head::element;
  const Head* head;
};
/// Elements that arrive in a chunk.
template <class T> struct given { using element = T; };

template <class In, class Out, bool KeepLineage, class... K> class stage final : public stage_base {
 public:
  stage(In in, line_state line, std::tuple<K...> kernels) : in_(in), line_(line), kernels_(std::move(kernels)) {}

  void process(message& m) override {
    auto* in = m.load;
    auto* out = pool_.get();
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t done = 0;
    try {
      done = make(m, *out);
    } catch (...) {
      m.error = std::current_exception();  // of an earlier element than an error that came with the message
      m.last = true;
    }
    line_.cost->measured(std::chrono::steady_clock::now() - begin, done);
    m.load = out;
    if (in != nullptr) in->recycle();
  }

 private:
  static constexpr std::size_t look_up = 64;  // elements between two looks at the stop flag, unless they are slow

  /// Writes a stage's elements: through a pointer in a register where no kernel makes more than one of one.
  struct writer {
    static constexpr bool bounded = !(K::expanding || ... || false);
    chunk<Out>& out;
    Out* next;
    writer(chunk<Out>& o, std::uint64_t n) : out(o) {
      if constexpr (bounded) out.values.reserve(static_cast<std::size_t>(n));
      next = out.values.end();
    }
    ~writer() {
      if constexpr (bounded) out.values.commit(next);
    }
    writer(const writer&) = delete;
    template <class X> void add(X&& x, const lineage& at) {
      if constexpr (bounded) {
        ::new (static_cast<void*>(next)) Out(std::forward<X>(x));
        ++next;
      } else {
        out.values.push_back(std::forward<X>(x));
      }
      if constexpr (KeepLineage) out.at.push_back(at);
    }
  };

  std::uint64_t make(message& m, chunk<Out>& chunk_out) {
    const auto feed = [&](std::uint64_t n, auto&& element_at) {
      using clock = std::chrono::steady_clock;
      std::uint64_t i = 0;
      auto since = clock::now();
      std::uint64_t step = 1;
      while (i != n) {
        if (line_.idle(m)) return i;
        const auto stop = std::min(n, i + step);
        // elements may turn slow without notice: the stop flag (one load) is looked at before each
        for (; i != stop && !line_.stop->load(std::memory_order_relaxed); ++i) element_at(i);
        if (i != n && step < look_up) {
          const auto now = clock::now();
          if (now - since < std::chrono::microseconds(100)) step *= 4;
          since = now;
        }
      }
      return n;
    };
    if constexpr (requires { in_.head; }) {
      writer out(chunk_out, m.count);
      return feed(m.count, [&](std::uint64_t i) {
        in_.head->get({m.first + i, m.epoch}, [&](auto&& x, const lineage& at) {
          step<0>(std::forward<decltype(x)>(x), at, m.first + i, m.generation, out);
        });
      });
    } else {
      auto& in = *static_cast<chunk<typename In::element>*>(m.load);
      writer out(chunk_out, in.size());
      return feed(in.size(), [&](std::uint64_t i) {
        const auto k = static_cast<std::size_t>(i);
        const lineage at = in.at.empty() ? lineage{} : in.at[k];
        step<0>(std::move(in.values[k]), at, m.first + i, m.generation, out);
      });
    }
  }
  template <std::size_t I, class X>
  void step(X&& x, const lineage& at, std::uint64_t position, std::uint64_t group, writer& out) const {
    if constexpr (I == sizeof...(K)) {
      out.add(std::forward<X>(x), at);
    } else {
      std::get<I>(kernels_).push(std::forward<X>(x), at, position, group, [&](auto&& y, const lineage& where) {
        using kernel = std::tuple_element_t<I, std::tuple<K...>>;
        if constexpr (kernel::expanding)  // one element may become very many
          if (line_.stop->load(std::memory_order_relaxed)) throw stopped{};
        step<I + 1>(std::forward<decltype(y)>(y), where, position, group, out);
      });
    }
  }

  In in_;
  line_state line_;
  std::tuple<K...> kernels_;
  chunk_pool<Out> pool_;
};

}  // namespace plumbline::detail
