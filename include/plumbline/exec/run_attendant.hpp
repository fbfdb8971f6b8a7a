#pragma once
/// run_attendant: looks after a run while it runs. It has no thread of its own: the consumer's thread calls it where it
/// fetches elements, also while it waits for them.

#include <cstdint>

namespace plumbline::detail {

struct run_attendant {
  virtual ~run_attendant() = default;
  /// When look() is due: a time as of wall_now(), in ns.
  virtual std::int64_t due() const = 0;
  /// One call at a time.
  virtual void look() = 0;
};

}  // namespace plumbline::detail
