#pragma once
/// stream_state: how far a stream has come. What `stream::save()` gives and `stream::load()` takes, in this process.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/state.hpp>
#include <plumbline/core/type_name.hpp>

#include <cstdint>

namespace plumbline {

namespace detail {
/// What a state belongs to.
struct run_identity {
  std::uint64_t pipeline = 0;  ///< its type, sizes and parameters
  std::uint64_t seed = 0;
  std::uint32_t layout = 0;  ///< of the parts that marks are made of; another one begins at the epoch's beginning
  bool in_order = true;
};

/// A number for the pipeline's type and, of each operator and source, its count, its `sizes` and its `parameters()`
/// (seeds and the like). What functions hold, and what sources contain, is not in it.
template <class P> std::uint64_t fingerprint(const P& p) {
  std::uint64_t h = 0;
  for (const char c : spelled<P>()) h = mix(h, static_cast<unsigned char>(c));
  const auto walk = [&h](const auto& self, const auto& q) -> void {
    const auto count = q.facts().count;
    h = mix(mix(h, count.least), mix(count.most, count.endless));
    using op = std::remove_cvref_t<decltype(q.op)>;
    if constexpr (requires { op::sizes; })
      std::apply([&](auto... n) { ((h = mix(h, (q.op.*n).now().most)), ...); }, op::sizes);
    if constexpr (requires { q.op.parameters(); })
      std::apply([&](auto... x) { ((h = mix(h, static_cast<std::uint64_t>(x))), ...); }, q.op.parameters());
    std::apply([&](const auto&... up) { (self(self, up), ...); }, q.ups);
  };
  walk(walk, p);
  return h;
}
}  // namespace detail

/// A value: copy it, keep it, load it into any number of fresh streams of the same pipeline and seed, whatever their
/// threads. It shares elements that were held when it was saved (in a shuffle's buffer, say).
class stream_state {
 public:
  stream_state() = default;
  std::uint64_t epoch() const { return epoch_; }
  /// Elements taken in this epoch.
  std::uint64_t taken() const { return taken_; }

 private:
  template <class T> friend class stream;
  detail::run_identity of_{};
  std::uint64_t epoch_ = 0, taken_ = 0;
  bool begun_ = false, over_ = false;
  detail::progress come_{};
};

}  // namespace plumbline
