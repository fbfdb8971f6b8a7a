#pragma once
/// cache(): keeps the elements in memory and replays them in the epochs that follow. Only what is the same in every
/// epoch can be kept: nothing random and nothing endless may come before it. Memory: all elements of the stream.
///
/// Where elements are made by index, each is kept when it is first made, in whatever order and however far the epoch
/// goes, and the stream stays indexed: shuffle(seed) may come before the cache or after it.
///   files("*.jpg") | shuffle(1) | read_file() | map(decode()) | cache()  // decoded once, permuted anew every epoch
/// Elsewhere a whole epoch is kept in its order, so nothing shuffled may come before it, and an epoch that is left
/// early is not kept.

#include <plumbline/core/failure.hpp>
#include <plumbline/core/form.hpp>
#include <plumbline/data/memory_store.hpp>

#include <vector>

namespace plumbline {

struct cache_op : op_base {
  static constexpr std::string_view name = "cache";
  static constexpr bool reads_lineage = false, replays = true;

  template <class In> using output = In;
  /// The storage for elements that are made by index.
  template <class In> using store = memory_store<In>;
  template <class Up>
  static constexpr bool accepts = Up::type_facts.draws == randomness::none &&
                                  (Up::type_facts.order == ordering::fixed || Up::type_facts.keyed) &&
                                  !Up::type_facts.count.endless && std::copy_constructible<typename Up::element>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    if constexpr (Up::type_facts.count.endless)
      static_assert(ok, "plumbline: cache cannot keep an endless stream; put cache() before repeat()");
    else if constexpr (Up::type_facts.draws != randomness::none)
      static_assert(
          ok,
          "plumbline: cache would give the same random draws in every epoch; put cache() before the first random "
          "operator");
    else if constexpr (Up::type_facts.order != ordering::fixed)
      static_assert(ok, "plumbline: cache would give the same order in every epoch; put cache() before shuffle");
    else
      static_assert(
          ok,
          "plumbline: cache replays each element in every epoch, so it must be copyable, and this one is not; "
          "hold it in shared_ptr");
  }

  static constexpr stream_facts rule(stream_facts in) {
    in.indexed = in.keyed;
    in.one_pass = false;  // from the second epoch on, the upstream is not read
    return in;
  }

  template <class Up> struct cursor {
    using element = typename Up::element;
    static constexpr cursor_traits traits{};
    cursor(const cache_op&, const stream_context& cx, Up up) : cx_(cx), up_(std::move(up)) {}

    void begin(std::uint64_t epoch) {
      next_ = unwanted_ = 0;
      epoch_ = epoch;
      if (full_) return;
      kept_.clear();
      filled_in_ = epoch;
      up_.begin(epoch);
    }
    template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
      if (full_) {
        const auto stop = next_ + std::min(budget, kept_.size() - next_);
        for (; next_ != stop; ++next_) {
          lineage at = kept_[next_].at;
          at.epoch += (epoch_ - filled_in_) * (*cx_.rounds)[at.source_index];
          sink(own(at, [&] { return element(kept_[next_].value); }), at);
        }
        return next_ == kept_.size() ? pump_result::ended : pump_result::more;
      }
      const auto p = up_.pump(
          [&](element&& x, const lineage& at) {
            own(at, [&] { kept_.push_back({x, at}); });
            if (unwanted_ == 0)
              sink(std::move(x), at);
            else
              --unwanted_;
          },
          budget);
      if (p == pump_result::ended) full_ = true;
      return full_ ? pump_result::ended : p;
    }
    void leave() {
      if (!full_) up_.leave();
    }
    /// The kept elements are not saved: they are made again.
    template <class Io> void state(Io& io) {
      std::uint64_t given = full_ ? next_ : kept_.size() + unwanted_;
      io(epoch_, given);
      if constexpr (Io::loads) {
        begin(epoch_);
        if (full_)
          next_ = static_cast<std::size_t>(std::min<std::uint64_t>(given, kept_.size()));
        else
          unwanted_ = given;
      }
    }

   private:
    template <class F> auto own(const lineage& at, F&& f) const { return detail::guarded(name, cx_.op, at, f); }
    stream_context cx_;
    Up up_;
    std::vector<item<element>> kept_;
    std::size_t next_ = 0;
    std::uint64_t unwanted_ = 0;  ///< elements to come that were passed on before the state was saved
    std::uint64_t epoch_ = 0, filled_in_ = 0;
    bool full_ = false;
  };
};

constexpr auto cache() { return cache_op{}; }

template <class P> struct keeper { using op = cache_op; };

}  // namespace plumbline
