#pragma once
/// port_cursor: the taking end of a port, as a cursor. Its elements arrive in chunks, from another line.

#include <plumbline/core/kernel.hpp>
#include <plumbline/exec/chunk.hpp>
#include <plumbline/exec/meter.hpp>
#include <plumbline/exec/port.hpp>

#include <exception>
#include <span>
#include <utility>

namespace plumbline::detail {

template <class T> class port_cursor {
 public:
  using element = T;
  static constexpr bool blocks = false, prompt = true;

  explicit port_cursor(port* p) : port_(p) {}
  port_cursor(port_cursor&& o) noexcept : port_(o.port_), held_(std::exchange(o.held_, nullptr)), next_(o.next_) {}
  port_cursor& operator=(port_cursor&&) = delete;
  ~port_cursor() = default;  // the port owns its messages

  void begin(std::uint64_t epoch) {
    drop();
    port_->begin(epoch);
  }
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    bool some = false;  // has given something
    while (budget != 0) {
      if (held_ == nullptr) {
        held_ = port_->take();
        next_ = 0;
        if (held_ == nullptr) return pulse::pending;
        if (held_->since != 0) meter::taken(held_->since);
      }
      auto* c = static_cast<chunk<T>*>(held_->load);
      const std::size_t size = c == nullptr ? 0 : c->size();
      const std::size_t stop = std::min(size, next_ + budget);
      budget -= stop - next_;
      some = some || stop != next_;
      const std::size_t from = std::exchange(next_, stop);
      if constexpr (requires { sink.block(std::span<T>{}); }) {
        if (from != stop) sink.block(c->values.part(from, stop));
      } else if (size != 0 && c->at.empty()) {
        constexpr lineage nobody{};
        for (std::size_t i = from; i != stop; ++i) sink(std::move(c->values[i]), nobody);
      } else {
        for (std::size_t i = from; i != stop; ++i) sink(std::move(c->values[i]), c->at[i]);
      }
      if (next_ == size) {
        const bool last = held_->last;
        const auto error = held_->error;
        if (error && some) return pulse::more;  // a call of its own: what was given may be all that is wanted
        drop();
        if (error) std::rethrow_exception(error);
        if (last) return pulse::ended;
      }
    }
    return pulse::more;
  }
  void leave() {
    drop();
    port_->leave();
  }

 private:
  void drop() {
    if (held_ != nullptr) port_->release(std::exchange(held_, nullptr));
  }
  port* port_;
  message* held_ = nullptr;
  std::size_t next_ = 0;
};

}  // namespace plumbline::detail
