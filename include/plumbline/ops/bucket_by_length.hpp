#pragma once
/// bucket_by_length(options, pad...): batches of elements of similar length, padded. Bucket i holds the lengths below
/// boundaries[i], the last one all others; a batch is passed on when its bucket is full. The batches that are left at
/// the end of an epoch follow, shortest first. Memory: one batch for each bucket.
///   lines("*.txt") | map(tokenize) | bucket_by_length({.boundaries = {64, 256}, .batch_sizes = {128, 32, 8}})
///   lines("*.txt") | map(tokenize) | bucket_by_length({.boundaries = {64}, .tokens = 8192})  // rows x longest <= 8192
/// group_by_length(options): the same as groups, vectors of elements, without padding.
/// tf.data: bucket_by_sequence_length, PyTorch: a custom batch sampler, grain: -, mlx-data: dynamic_batch

#include <plumbline/core/chain.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/core/wanted.hpp>
#include <plumbline/data/collate_padded.hpp>
#include <plumbline/data/length_of.hpp>
#include <plumbline/data/spare_vectors.hpp>
#include <plumbline/ops/map.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace plumbline {

struct bucket_options {
  std::vector<std::uint64_t> boundaries{};   ///< ascending
  std::vector<std::uint64_t> batch_sizes{};  ///< one for each bucket: one more than boundaries; empty: only `tokens`
  std::uint64_t tokens = 0;                  ///< the most that rows times the padded length may be; 0: no limit
  bool pad_to_boundary = false;              ///< pad to the longest that the bucket admits, not to the longest there is
  bool drop_remainder = false;               ///< drop batches that are not full at the end of an epoch
};

namespace detail {
/// The bucket of an element of this length.
inline std::size_t bucket_of(const bucket_options& how, std::uint64_t length) {
  return static_cast<std::size_t>(std::upper_bound(how.boundaries.begin(), how.boundaries.end(), length) -
                                  how.boundaries.begin());
}
/// Throws std::invalid_argument for options that contradict each other.
void check_buckets(const bucket_options& how);
std::uint64_t hash_of_buckets(const bucket_options& how);
/// What all buckets hold at most. A bucket that only `tokens` limits is taken to hold elements as long as its boundary.
std::uint64_t elements_in_buckets(const bucket_options& how);

/// The compiler's message shows the template arguments of this function.
template <class Wanted, class Given, bool ok> consteval void bucket_length_wanted_and_given() {
  static_assert(ok,
                "plumbline: bucket_by_length cannot find the length of this stream's element, see Wanted and Given in "
                "this message; give a function that returns it: bucket_by_length(options, &sample::length, pad(0))");
}
}  // namespace detail

template <class F> struct group_by_length_op : op_base {
  static constexpr std::string_view name = "group_by_length";
  std::shared_ptr<const bucket_options> how;
  [[no_unique_address]] F length;
  std::uint64_t hash;  ///< of the options
  constexpr auto parameters() const { return std::tuple(hash); }
  auto held() const { return std::tie(length); }

  template <class In> using output = std::vector<In>;
  std::uint64_t holds() const { return detail::elements_in_buckets(*how); }
  template <class Up>
  static constexpr bool accepts = std::is_invocable_r_v<std::uint64_t, const F&, const typename Up::element&>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    detail::bucket_length_wanted_and_given<detail::wanted_by<F>, typename Up::element, ok>();
  }

  static constexpr stream_facts rule(stream_facts in) {
    in.count = in.count.endless ? cardinality::unknown() : cardinality::at_most(in.count.most);
    return in;
  }

  template <class In> struct kernel {
    struct bucket {
      std::size_t full = 0;  ///< elements of a batch; 0: any number
      std::vector<In> held{};
      lineage first{};
      std::uint64_t longest = 0;
      template <class Io> void state(Io& io) { io(held, first, longest); }
    };
    const bucket_options* how;
    const F* length;
    std::vector<bucket> open;
    kernel(const group_by_length_op& op, const stream_context&)
        : how(op.how.get()), length(&op.length), open(how->boundaries.size() + 1) {
      for (std::size_t i = 0; i != how->batch_sizes.size(); ++i)
        open[i].full = static_cast<std::size_t>(how->batch_sizes[i]);
    }
    void push(In&& x, const lineage& at, auto&& emit) {
      const auto own = static_cast<std::uint64_t>(std::invoke(*length, std::as_const(x)));
      const auto which = detail::bucket_of(*how, own);
      auto& b = open[which];
      const auto longest = std::max(b.longest, padded(which, own));
      if (how->tokens != 0 && !b.held.empty() && detail::mul_sat(longest, b.held.size() + 1) > how->tokens)
        close(b, emit);
      if (b.held.empty()) {
        b.held = detail::spare_vectors<In>::take(detail::room_for<In>(b.full));
        b.first = at;
      }
      b.longest = std::max(b.longest, padded(which, own));
      b.held.push_back(std::move(x));
      if (b.held.size() == b.full) close(b, emit);
    }
    void finish(auto&& emit) {
      for (auto& b : open)
        if (!b.held.empty() && !how->drop_remainder) close(b, emit);
    }
    template <class Io> void state(Io& io) {
      for (auto& b : open) io(b);
    }

   private:
    /// The length that an element has in its batch; at least 1, so that a budget of tokens also bounds empty elements.
    std::uint64_t padded(std::size_t which, std::uint64_t own) const {
      const bool to_boundary = how->pad_to_boundary && which < how->boundaries.size();
      return std::max<std::uint64_t>(to_boundary ? how->boundaries[which] - 1 : own, 1);
    }
    static void close(bucket& b, auto&& emit) {
      b.longest = 0;
      emit(std::exchange(b.held, {}), b.first);
    }
  };
};

namespace detail {
/// Pads the groups that group_by_length makes.
template <class F, class... V> struct collate_bucket_fn {
  using wants = a_group_of_elements_that_can_be_padded;
  std::shared_ptr<const bucket_options> how;
  [[no_unique_address]] F length;
  std::tuple<padding<V>...> pads;

  template <paddable T>
    requires(sizeof...(V) == 1 || sizeof...(V) == padded_components<T>)
  auto operator()(std::vector<T> group) const {
    if (!how->pad_to_boundary) return collate_padded_fn<V...>{pads}(std::move(group));
    const auto own = static_cast<std::uint64_t>(std::invoke(length, std::as_const(group.front())));
    const auto which = bucket_of(*how, own);
    if (which == how->boundaries.size())
      throw std::invalid_argument("an element of length " + std::to_string(own) +
                                  " is in the last bucket, which has no boundary to pad to; add a boundary above it");
    const auto most = static_cast<std::size_t>(how->boundaries[which] - 1);
    auto to = pads;
    std::apply([&](auto&... pad) { (to_boundary(pad.to, most), ...); }, to);
    return collate_padded_fn<V...>{to}(std::move(group));
  }

 private:
  static void to_boundary(shape& to, std::size_t most) {
    if (to.rank() == 0) to.push_back(0);
    if (to[0] == 0) to[0] = most;
  }
};
}  // namespace detail

template <class F = length_of_fn> auto group_by_length(bucket_options how, F length = {}) {
  detail::check_buckets(how);
  const auto hash = detail::hash_of_buckets(how);
  return group_by_length_op<F>{{}, std::make_shared<const bucket_options>(std::move(how)), std::move(length), hash};
}
template <class F, class... V>
  requires(!requires(F f) { f.to; })
auto bucket_by_length(bucket_options how, F length, padding<V>... pads) {
  auto groups = group_by_length(std::move(how), length);
  if constexpr (sizeof...(V) == 0)
    return groups | map(detail::collate_bucket_fn<F, int>{groups.how, length, std::tuple(pad(0))});
  else
    return groups | map(detail::collate_bucket_fn<F, V...>{groups.how, length, std::tuple(pads...)});
}
template <class... V> auto bucket_by_length(bucket_options how, padding<V>... pads) {
  return bucket_by_length(std::move(how), length_of, pads...);
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/ops/bucket_by_length_inl.hpp>
#endif
