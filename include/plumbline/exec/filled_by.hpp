#pragma once
/// filled_by: for a timeline, where the elements of the sample go, so that the place of the slowest one, and with it
/// its batch, is known (sampler.hpp).

#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/part_timer.hpp>

#include <cstddef>

namespace plumbline::detail {

/// While it lives, elements of the sample go to `to`.
class filling_meanwhile {
 public:
  filling_meanwhile(part_timer& m, const filling_chunk* to) : m_(m), before_(m.filled()) { m.fills(to); }
  ~filling_meanwhile() { m_.fills(before_); }
  filling_meanwhile(const filling_meanwhile&) = delete;
  const filling_chunk* before() const { return before_; }

 private:
  part_timer& m_;
  const filling_chunk* before_;
};
/// The same, to `chunk`, as `sink` fills it. Nothing if not `Is`.
template <bool Is, class Sink> class filled_by final : filling_chunk {
 public:
  filled_by(const void* to, const Sink& sink) : filling_chunk(to), sink_(sink), meanwhile_(*part_timer::here(), this) {}

 private:
  std::size_t size() const override { return sink_.size(); }
  const Sink& sink_;
  filling_meanwhile meanwhile_;
};
template <class Sink> class filled_by<false, Sink> {
 public:
  filled_by(const void* /*to*/, const Sink& /*sink*/) {}
};

/// The slowest of the elements that are timed, if it is among these, is known to the part_timer as the one that the
/// kernel takes next.
template <> class kernel_block<true> final : filling_chunk {
 public:
  kernel_block(const void* held, const std::size_t& size)
      : filling_chunk(held), m_(*part_timer::here()), size_(size), meanwhile_(m_, this) {}
  template <class Push> void pass_on(std::size_t n, Push&& push) {
    const filling_meanwhile outer(m_, meanwhile_.before());
    const auto i = m_.slowest_in(chunk, n);
    if (i != 0) push(std::size_t{0}, i);
    if (i == n) return;
    m_.moves(chunk, i);
    push(i, n - i);
  }

 private:
  std::size_t size() const override { return size_; }
  part_timer& m_;
  const std::size_t& size_;
  filling_meanwhile meanwhile_;
};

}  // namespace plumbline::detail
