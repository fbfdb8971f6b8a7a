#pragma once
/// stage: the longest run of element kernels that can share one flow-graph node. Elements pass from kernel to kernel by
/// plain inlined calls; the input and the output are chunks.

#include <plumbline/core/failure.hpp>
#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/counting.hpp>
#include <plumbline/exec/kernel_chain.hpp>
#include <plumbline/exec/look_ahead.hpp>
#include <plumbline/exec/stage_base.hpp>
#include <plumbline/exec/unfused.hpp>
#include <plumbline/exec/view.hpp>

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// The input of an indexed segment's first stage: elements that the head makes by index.
template <class Head> struct from_index {
  using element = typename Head::element;
  const Head* head;
};
/// The input of other stages: elements that arrive in a chunk.
template <class T> struct from_chunk { using element = T; };

/// True if an element that was fetched but not used can be fetched again, without calling a user's function twice for
/// it.
template <class In> inline constexpr bool there_again = false;
template <class T> inline constexpr bool there_again<from_chunk<T>> = true;
template <class S, class... I>
inline constexpr bool there_again<from_index<indexed_head<source_view<S>, I...>>> = asked_again<S>;

/// `Trace`: how much is recorded. `KeepLineage`: true if anything downstream reads lineage.
template <class Trace, class In, class Out, bool KeepLineage, class... K> class stage final : public chunk_stage {
 public:
  stage(In in, segment_state segment, pack<K...> kernels) : chunk_stage(segment), in_(in), chain_{std::move(kernels)} {}

  bool tries(bool reads_wait) const override {
    return may_be_tried && (!reads_wait || (may_be_passed<K> || ... || false));
  }

 private:
  using chain = kernel_chain<K...>;
  using numbers = std::array<std::uint32_t, sizeof...(K) + 1>;
  // exactly one kernel may refuse; those before it have no other effects and pass the element on unchanged
  static constexpr bool may_be_tried =
      there_again<In> && (std::size_t{K::waits} + ... + 0) == 1 && (K::tries && ... && true);
  static constexpr bool indexed = requires(const In& in) { in.head; };
  // the first kernel whose store is asked for several elements together, if there is one
  static constexpr std::size_t asked = asked_kernel<K...>();
  static constexpr bool asks_ahead = asked != sizeof...(K) && there_again<In>;
  using requests = std::conditional_t<asks_ahead, look_ahead<K...>, no_look_ahead>;
  static constexpr std::size_t look_up = 64;  // most elements between checks that the message is still wanted

  using writer = chunk_writer<Out, KeepLineage, chain::expands ? write_mode::growing : write_mode::bounded>;

  payload* fresh_chunk() override { return pool_.get(); }
  bool make(message& m, payload& to, std::uint64_t& done, bool may_wait) override {
    auto& out = static_cast<chunk<Out>&>(to);
    std::uint64_t n = m.count;
    if constexpr (!indexed) n = m.load == nullptr ? 0 : static_cast<chunk<typename In::element>*>(m.load)->size();
    if constexpr (!Trace::on) {
      writer writes(out, n);
      no_record nothing;
      return feed(m, done, n, [&](std::uint64_t i) { return element(m, i, writes, nothing, may_wait); });
    } else {
      auto& watch = *part_timer::here();
      const filled_by<Trace::events, chunk<Out>> place(&out, out);
      bool all = true;
      while (all && done != n) {
        const auto next = watch.untimed(n - done), end = done + next;
        if constexpr (Trace::events) {
          const auto until = done + watch.watches(next);
          all = watched(m, out, done, until, watch, may_wait);
          if (done != until || segment_.idle(m)) return all;
        }
        watch.passed(end - done);
        all = counted(m, out, done, end, watch, may_wait);
        if (done != end || segment_.idle(m)) return all;  // refused, or the rest is no longer needed
        if (done != n)
          watch.time(may_wait ? n - done : 1,
                     [&](std::uint64_t k) { return all = unfused(m, out, done, k, watch, may_wait); });
      }
      return all;
    }
  }
  numbers ids() const {
    return chain_.kernels.apply([&](const auto&... k) {
      std::uint32_t head = 0;
      if constexpr (indexed) head = in_.head->id();
      return numbers{head, k.id...};
    });
  }
  /// Makes elements `done` to n, one after another, counted in registers. Not inlined: beside the code that times
  /// elements, the compiler would keep this loop's index and output in memory.
  [[gnu::noinline]] bool counted(message& m, chunk<Out>& chunk_out, std::uint64_t& done, std::uint64_t n,
                                 part_timer& watch, bool may_wait) {
    using counting = count_record<typename In::element, K...>;
    counting counts;
    struct flush_at_end {
      counting& counts;
      part_timer& m;
      const numbers ids;
      const std::uint64_t& done;
      chunk<Out>& out;
      std::uint64_t came = done, left = out.size();  ///< counts before
      [[gnu::always_inline]] ~flush_at_end() { counts.flush(m, ids, done - came, out.size() - left); }
    } flush{counts, watch, ids(), done, chunk_out};
    writer out(chunk_out, n - done);
    return feed(m, done, n, [&](std::uint64_t i) { return element(m, i, out, counts, may_wait); });
  }
  /// Makes elements `done` to n, one after another, each kernel by kernel.
  bool watched(message& m, chunk<Out>& out, std::uint64_t& done, std::uint64_t n, part_timer& watch, bool may_wait) {
    [[maybe_unused]] requests ahead(done);
    while (done != n && !segment_.idle(m)) {
      sampler::watched_one one(watch);
      if constexpr (asks_ahead)
        if (ahead.due(done)) {
          watch.to(ids()[1 + asked]);
          ask(ahead, m, done, n);
        }
      if (!unfused(m, out, done, 1, watch, may_wait)) {
        one.not_made();
        return false;
      }
    }
    return true;
  }
  /// Makes the next k elements, kernel by kernel.
  bool unfused(message& m, chunk<Out>& chunk_out, std::uint64_t& done, std::uint64_t k, part_timer& watch,
               bool may_wait) {
    using X = typename In::element;
    const auto names = ids();
    // for a timeline, the chunk's size is always right
    std::conditional_t<Trace::events, chunk_writer<Out, KeepLineage, write_mode::visible>, writer> out(chunk_out, k);
    spot where{m.first + done, m.generation, segment_.stop, may_wait};
    const auto through = [&](X* xs, const lineage* at, std::uint64_t n) {
      if constexpr (Trace::events)
        if (at != nullptr) watch.element(*at);
      const bool all = pass_unfused<may_be_tried>(chain_, xs, at, n, where, watch, names.back(), out);
      if (all) done += n;
      return all;
    };
    if constexpr (indexed) {
      const auto next = [&](chunk<X>& xs) { return through(xs.values.begin(), xs.at.begin(), xs.size()); };
      output_block<X, true> made(watch, names.front(), next);
      watch.to(names.front());
      return flushed_after(made, [&] {
        auto to = made.template at_most<true>(k);
        for (auto i = m.first + done, end = i + k; i != end && !where.stopped(); ++i) in_.head->get({i, m.epoch}, to);
        return true;
      });
    } else {
      auto& in = *static_cast<chunk<X>*>(m.load);
      return through(in.values.begin() + done, in.at.empty() ? nullptr : in.at.begin() + done, k);
    }
  }
  /// Makes elements `done` to n, until they are no longer wanted. False: one was refused.
  template <class F> bool feed(message& m, std::uint64_t& done, std::uint64_t n, F&& element_at) {
    std::uint64_t i = done;
    struct keep {
      std::uint64_t &done, &i;
      ~keep() { done = i; }
    } kept{done, i};
    auto since = wall_now();
    std::uint64_t step = 1;
    [[maybe_unused]] requests ahead(i);
    while (i != n) {
      if (segment_.idle(m)) return true;
      const auto stop = std::min(n, i + step);
      // elements may turn slow at any time, so the stop flag (one load) is checked before each
      for (; i != stop && !segment_.stop->load(std::memory_order_relaxed); ++i) {
        if constexpr (asks_ahead)
          if (ahead.due(i)) ask(ahead, m, i, n);
        if (!element_at(i)) return false;
      }
      if (i != n && step < look_up) {
        const auto now = wall_now();
        if (now - since < 100'000) step *= 4;
        since = now;
      }
    }
    return true;
  }
  /// Requests elements i to n - 1, or some of them, before they are looked up.
  void ask(requests& ahead, message& m, std::uint64_t i, std::uint64_t n) const {
    ahead.ask(chain_.kernels, i, n, [&](std::uint64_t k) {
      std::uint64_t index = 0;
      if constexpr (indexed)
        in_.head->get({m.first + k, m.epoch}, [&](auto&&, const lineage& at) { index = at.index; });
      else
        index = static_cast<chunk<typename In::element>*>(m.load)->at[static_cast<std::size_t>(k)].index;
      return index;
    });
    m.together = ahead.all_found();
  }
  template <class Record> bool element(message& m, std::uint64_t i, writer& out, Record& record, bool may_wait) {
    spot where{m.first + i, m.generation, segment_.stop, may_wait};
    if constexpr (indexed) {
      bool made = true;
      in_.head->get({m.first + i, m.epoch}, [&](auto&& x, const lineage& at) {
        record.template made<0>(x);
        made = chain_.template pass<may_be_tried>(std::move(x), at, where, record, out);
        if (made) record.passed();
      });
      return made;
    } else {
      auto& in = *static_cast<chunk<typename In::element>*>(m.load);
      const auto k = static_cast<std::size_t>(i);
      const lineage at = in.at.empty() ? lineage{} : in.at[k];
      return chain_.template pass<may_be_tried>(std::move(in.values[k]), at, where, record, out);
    }
  }

  In in_;
  chain chain_;
  chunk_pool<Out> pool_;
};

}  // namespace plumbline::detail
