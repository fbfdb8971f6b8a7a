#pragma once
/// tell: what was thrown while a pipeline ran, in words: operator, element, source.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <tuple>

namespace plumbline::detail {

/// Names an element in words: "element 17 of files (photos/x.jpg)".
template <class P> void find_origin(const P& p, std::uint32_t& next, const lineage& at, std::string& found) {
  if constexpr (std::tuple_size_v<decltype(p.ups)> == 0) {
    if (next++ == at.origin) {
      found = "element " + std::to_string(at.index) + " of " + std::string(p.op.name);
      if (at.sub != 0 && at.sub < (std::uint64_t{1} << 32)) found += ", part " + std::to_string(at.sub - 1);
      if constexpr (requires { p.op.describe(at.index); }) found += " (" + p.op.describe(at.index) + ")";
    }
  } else {
    std::apply([&](const auto&... up) { (find_origin(up, next, at, found), ...); }, p.ups);
  }
}

/// Gives what was thrown its words and throws it on.
template <class P> [[noreturn]] void tell(const P& p, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const thrown& t) {
    std::string text = "plumbline: " + std::string(t.op_name);
    if (t.op != 0) text += " (operator " + std::to_string(t.op) + " of " + std::to_string(operators_in<P>) + ")";
    text += " failed";
    if (t.at_element) {
      std::string where;
      std::uint32_t next = 0;
      find_origin(p, next, t.at, where);
      text += " at " + where + ", epoch " + std::to_string(t.at.epoch);
    }
    std::string why = text_of(t.cause);
    if (const std::string_view own = "plumbline: "; why.starts_with(own)) why.erase(0, own.size());
    throw failure(text + ": " + why, std::string(t.op_name), t.op, t.at, t.cause);
  } catch (...) {  // between operators: an element could not be moved, or memory ran out
    const auto cause = std::current_exception();
    throw failure("plumbline: an element could not be handed on: " + text_of(cause), {}, 0, {}, cause);
  }
}

}  // namespace plumbline::detail
