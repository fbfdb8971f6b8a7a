#pragma once
/// progress(stream): a line on the terminal that shows how a stream is doing, after tqdm. Nothing where stderr is no
/// terminal.
///   for (auto& batch : pl::progress(stream)) train(batch);
///   epoch 3:  43%|####3     | 430/1000 [00:12<00:16, 35.2/s, waits 12% for map(decode) (4)]
///
/// The line is drawn by a thread of its own, so the loop is the same as without it, and the line goes on while the
/// consumer waits. A thread has no effect on what is measured: it wakes ten times a second.

#include <plumbline/exec/stream.hpp>
#include <plumbline/exec/stream_watch.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace plumbline {

struct progress_options {
  std::string name{};       ///< put before the line; control characters are shown as ?
  std::string unit{};       ///< of the elements: "batches"
  double seconds = 0.1;     ///< between two drawings, at least 0.01
  int file = 2;             ///< the file descriptor to write to: stderr
  bool leaves_line = true;  ///< the last line stays, followed by a line break; false: it is erased
};

namespace detail {

/// The rate of a stream, weighted to the last looks at it: each look counts 0.3, what was before 0.7 (tqdm's mean).
class recent_rate {
 public:
  /// Returns the rate, elements per second; 0: not known yet.
  double at(const stream_stats& now);
  /// The share of the time that the consumer waited, weighted in the same way.
  double stalled() const { return seconds_ > 0 ? std::min(waited_ / seconds_, 1.0) : 0; }

 private:
  stream_stats before_{};
  double elements_ = 0, seconds_ = 0, waited_ = 0;
};

/// The line, of at most `width` columns. `blocks`: the bar may consist of block characters (UTF-8).
std::string progress_line(const stream_stats& now, double rate, double stalled, const progress_options& how,
                          std::size_t width, bool blocks);

/// The line on a terminal, from construction to destruction.
class progress_display {
 public:
  progress_display(stream_watch of, progress_options how);
  progress_display(const progress_display&) = delete;
  ~progress_display();

 private:
  struct state;
  std::unique_ptr<state> state_;  ///< null: not a terminal
};

}  // namespace detail

/// A stream with a progress line, which is shown from construction to destruction. A range, like the stream: begin()
/// begins an epoch. `Held`: stream<T>& or stream<T>.
template <class Held> class progress_range {
 public:
  progress_range(Held s, progress_options how)
      : stream_(std::forward<Held>(s)),
        shown_(std::make_unique<detail::progress_display>(stream_.watch(), std::move(how))) {}
  auto begin() { return stream_.begin(); }
  auto end() { return stream_.end(); }

 private:
  Held stream_;
  std::unique_ptr<detail::progress_display> shown_;
};

/// Shows a line until the result is destroyed: for a loop over the result, until the loop ends, also by break or an
/// exception. Keep the result where elements are taken by next(): const auto shown = pl::progress(stream). Of several
/// on a terminal the latest is drawn. An epoch that had ended before is not. Errors: those of the stream;
/// std::invalid_argument for invalid options.
template <class T> progress_range<stream<T>&> progress(stream<T>& s, progress_options how = {}) {
  return {s, std::move(how)};
}
template <class T> progress_range<stream<T>> progress(stream<T>&& s, progress_options how = {}) {
  return {std::move(s), std::move(how)};
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/watch/progress_inl.hpp>
#endif
