#pragma once
/// nested_cursor: one of the streams that a nesting operator has open.

#include <plumbline/core/failure.hpp>
#include <plumbline/core/kernel.hpp>

#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace plumbline::detail {

/// The inner pipeline, owned, and its cursor. `Make` turns a
/// pipeline into a cursor.
template <class Pipeline, class Make> class nested_cursor {
 public:
  using element = typename Pipeline::element;
  using inner = decltype(std::declval<const Make&>()(std::declval<const Pipeline&>(), std::uint64_t{}));
  static constexpr bool blocks = inner::blocks;

  explicit nested_cursor(Make make) : make_(std::move(make)) {}
  void open(Pipeline p, const lineage& outer) {
    close();
    held_ = std::make_unique<Pipeline>(std::move(p));
    outer_ = outer;
    part_ = 0;
    cursor_.emplace(make_(*held_, outer.key()));
    try {
      cursor_->begin(outer.epoch);
    } catch (...) {
      error_ = own_error();
    }
  }
  /// Never more than `budget` elements, whatever the pipeline makes at once: blocks depend on it.
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    bool in_sink = false;
    const auto give = [&](element&& x) {
      --budget;
      in_sink = true;
      sink(std::move(x), outer_.part(part_++));
      in_sink = false;
    };
    while (budget != 0 && !early_.empty()) {
      give(std::move(early_.front()));
      early_.pop_front();
    }
    if (!early_.empty()) return pulse::more;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (ended_) return pulse::ended;
    if (budget == 0) return pulse::more;
    try {
      const auto p = cursor_->pump(
          [&](element&& x, const lineage&) {
            if (budget != 0)
              give(std::move(x));
            else
              early_.push_back(std::move(x));
          },
          budget);
      ended_ = p == pulse::ended;
      return ended_ && !early_.empty() ? pulse::more : p;
    } catch (...) {
      if (in_sink) throw;
      error_ = own_error();  // told after the elements before it
      return pulse::more;
    }
  }
  void leave() { close(); }

 private:
  void close() {
    cursor_.reset();
    held_.reset();
    early_.clear();
    error_ = nullptr;
    ended_ = false;
  }
  /// What is being thrown, as an error of the operator that opened this stream, at the part that would be next.
  std::exception_ptr own_error() const {
    try {
      throw;
    } catch (thrown& t) {
      return std::make_exception_ptr(
          thrown{t.op_name, make_.id, outer_.part(part_ + early_.size()), std::move(t.cause), true});
    } catch (...) {
      return std::current_exception();
    }
  }
  Make make_;
  std::unique_ptr<Pipeline> held_;
  std::optional<inner> cursor_;
  lineage outer_{};
  std::uint64_t part_ = 0;
  std::deque<element> early_;
  std::exception_ptr error_;
  bool ended_ = false;
};

}  // namespace plumbline::detail
