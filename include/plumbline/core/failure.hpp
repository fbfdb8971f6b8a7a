#pragma once
/// failure: an exception from a user's function, a source or an operator, with the operator and the element that it
/// belongs to.

#include <plumbline/core/kernel.hpp>

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumbline {

/// What the consumer of a stream receives when something upstream threw. `cause()` is the original exception.
class failure : public std::runtime_error {
 public:
  failure(const std::string& text, std::string op_name, std::uint32_t op, lineage at, std::exception_ptr cause)
      : std::runtime_error(text), name_(std::move(op_name)), op_(op), at_(at), cause_(std::move(cause)) {}
  const std::string& operator_name() const noexcept { return name_; }
  /// The operator's number in its pipeline, from 1, as explain() prints it. For an operator that a plan inserted: the
  /// number of the one before it.
  std::uint32_t operator_number() const noexcept { return op_; }
  const lineage& at() const noexcept { return at_; }
  [[noreturn]] void rethrow_cause() const { std::rethrow_exception(cause_); }
  std::exception_ptr cause() const noexcept { return cause_; }

 private:
  std::string name_;
  std::uint32_t op_;
  lineage at_;
  std::exception_ptr cause_;
};

namespace detail {

/// A failure on its way from the kernel to the code that names the source; it has no text yet.
struct thrown {
  std::string_view op_name;  ///< empty: op's own
  std::uint32_t op;          ///< 0: none
  lineage at;
  std::exception_ptr cause;
  bool at_element = true;  ///< false: the operator itself failed (a source that cannot be opened)
};

/// Calls a function of operator `op` and rethrows an exception as `thrown`. Costs nothing when nothing is thrown.
template <class F> constexpr decltype(auto) guarded(std::string_view name, std::uint32_t op, const lineage& at, F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const thrown&) {
    throw;
  } catch (...) {
    throw thrown{name, op, at, std::current_exception()};
  }
}
/// Does the executor's own work on an element between operators (making room for it, moving it). A failure there is
/// reported without an operator.
template <class F> constexpr decltype(auto) handing_on(F&& f) { return guarded({}, 0, {}, std::forward<F>(f)); }

/// The failure of an operator from which fewer elements come than a loaded state counts as taken.
inline thrown fewer_than_saved(std::uint32_t op, std::string_view op_name = {}) {
  return {
      op_name,
      op,
      {},
      std::make_exception_ptr(std::runtime_error(
          "plumbline: load: fewer elements come now than had been taken when the state was saved; restore the files or "
          "other sources that have changed, or begin an epoch with restart()")),
      false};
}

inline std::string text_of(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const std::exception& x) {
    return x.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace detail

}  // namespace plumbline
