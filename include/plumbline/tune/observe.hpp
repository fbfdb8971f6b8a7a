#pragma once
/// observe: measures the rate of a stream with a consumer that does nothing else.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/stream.hpp>

#include <cstdint>
#include <vector>

namespace plumbline::detail {

struct observed_rate {
  double rate = 0;          ///< elements per second, after the first
  double seconds = 0;       ///< time that was taken
  std::uint64_t count = 0;  ///< elements seen
  std::uint64_t in_first_epoch = 0;
  std::vector<double> windows{};  ///< the rates of about 20 consecutive parts of the time; empty if there were few
  bool few() const { return count <= 20; }  ///< too few for a rate with an error of a few percent
};

/// A stream with its element type erased.
struct watched {
  virtual ~watched() = default;
  virtual bool next() = 0;
  virtual void restart() = 0;
  virtual void restart(std::uint64_t epoch) = 0;
  virtual std::uint64_t epoch() const = 0;
  virtual void record(bool wanted) = 0;
  /// From now on an epoch ends where this one was left. False: it must not, as what it leaves outlives the process.
  virtual bool shorten() = 0;
};
template <class T> struct watched_stream final : watched {
  stream<T>& s;
  bool persists;  ///< an operator keeps elements that outlive the process
  watched_stream(stream<T>& of, bool kept) : s(of), persists(kept) {}
  bool next() override { return s.next().has_value(); }
  void restart() override { s.restart(); }
  void restart(std::uint64_t epoch) override { s.restart(epoch); }
  std::uint64_t epoch() const override { return s.epoch(); }
  void record(bool wanted) override { s.record(wanted); }
  bool shorten() override {
    if (!persists) s.self().run->shorten();
    return !persists;
  }
};

/// Takes elements for at most `seconds`, epoch after epoch from the stream's next one on. Stops early when the rate has
/// settled: when, after at least a quarter of the time, the estimates at half the elapsed time and now differ by less
/// than 1 %. `again`: restarts the same epoch over and over, after at most `most` elements. Throws
/// std::invalid_argument if there are no elements. `caller`: what the user called, for the message.
observed_rate observe(watched& s, const char* caller, double seconds, bool again = false,
                      std::uint64_t most = ~std::uint64_t{0});

/// What is recorded of a run: all of it, or only the part after caches are full.
enum class look : unsigned char { at_all, when_steady };

/// Measures the steady rate, for optimize. `cached`: with a cache. The first elements fill it; then the same ones are
/// requested again, so that the steady state is measured however long a whole epoch takes. The epoch is shortened to
/// them: otherwise threads that run ahead of the consumer would make the elements that follow, instead of finding them.
observed_rate observe_steady(watched& s, double seconds, bool cached, std::uint64_t first_epoch,
                             look how = look::at_all);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/observe_inl.hpp>
#endif
