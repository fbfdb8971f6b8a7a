#pragma once
/// nested_cursor: one open stream of a nesting operator.

#include <plumbline/core/failure.hpp>
#include <plumbline/core/peeking.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace plumbline::detail {

/// The inner pipeline and its cursor. `Make` turns a pipeline into a cursor.
template <class Pipeline, class Make> class nested_cursor {
 public:
  using element = typename Pipeline::element;
  using inner = decltype(std::declval<const Make&>()(std::declval<const Pipeline&>(), std::uint64_t{}));
  static constexpr cursor_traits traits{};

  explicit nested_cursor(Make make) : make_(std::move(make)) {}
  void open(Pipeline p, const lineage& outer) { open(std::make_shared<const Pipeline>(std::move(p)), outer); }
  void open(std::shared_ptr<const Pipeline> p, const lineage& outer) {
    leave();
    held_ = std::move(p);
    outer_ = outer;
    part_ = 0;
    cursor_.emplace(make_(*held_, outer.key()));
    cursor_->begin(outer.epoch);
  }
  /// Gives at most `budget` elements, even if the pipeline makes more at once: interleave's blocks depend on it.
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    if (const auto e = cursor_->error()) rethrow(e);
    return cursor_->pump([&](element&& x, const lineage&) { sink(std::move(x), outer_.part(part_++)); }, budget);
  }
  void leave() {
    cursor_.reset();
    held_.reset();
  }
  /// Called only while a stream is open.
  template <class Io> void state(Io& io) {
    if constexpr (Io::loads) cursor_.reset();
    io(held_, outer_, part_);
    if constexpr (Io::loads) cursor_.emplace(make_(*held_, outer_.key()));
    io(*cursor_);
  }

 private:
  /// Rethrows e as an error at the operator that opened this stream, and at the part that would come next.
  [[noreturn]] void rethrow(const std::exception_ptr& e) const {
    try {
      std::rethrow_exception(e);
    } catch (const thrown& t) {
      throw thrown{t.op_name, make_.id, outer_.part(part_), t.cause, true};
    }
  }
  Make make_;
  std::shared_ptr<const Pipeline> held_;
  std::optional<peeking<inner>> cursor_;
  lineage outer_{};
  std::uint64_t part_ = 0;
};

}  // namespace plumbline::detail
