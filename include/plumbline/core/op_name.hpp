#pragma once
/// named: an operator that can be given a name, `map(f).named("decode")`, which explain(), failures, plans and
/// run_options::parallelism then use.

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline {

/// A string literal, so that it lives as long as the program: printable ASCII, and no number.
class op_name {
 public:
  constexpr op_name() = default;
  consteval op_name(const char* literal) : text_(literal) {
    if (text_.empty()) throw "plumbline: named(): the name is empty";
    if (!std::all_of(text_.begin(), text_.end(), [](char c) { return c >= ' ' && c <= '~'; }))
      throw "plumbline: named(): a name consists of printable ASCII characters";
    if (std::all_of(text_.begin(), text_.end(), [](char c) { return c >= '0' && c <= '9'; }))
      throw "plumbline: named(): a number would mean the operator with that number; add a letter";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// A base class of operators that may have a name of their own.
struct has_given_name {
  op_name given{};
};
/// A base class of the operator `Op`, for users to name it.
template <class Op> struct nameable : has_given_name {
  constexpr Op named(op_name name) && {
    this->given = name;
    return static_cast<Op&&>(*this);
  }
  constexpr Op named(op_name name) const& { return Op(static_cast<const Op&>(*this)).named(name); }
  template <class Text>
    requires(std::convertible_to<Text, std::string_view>&& std::is_class_v<Text>)
  constexpr Op named(const Text&) const {
    constexpr bool literal = !std::is_class_v<Text>;
    static_assert(literal,
                  "plumbline: named() takes a string literal, so that the name lives as long as the program: "
                  "named(\"decode\")");
    return static_cast<const Op&>(*this);
  }
};

namespace detail {
/// The operator's name in messages: the one it was given, else that of its type.
template <class Op> constexpr std::string_view name_of(const Op& op) {
  if constexpr (requires { op.given.text(); })
    if (!op.given.text().empty()) return op.given.text();
  return Op::name;
}
/// The same for explain(): "map(decode)", if it was given no name.
template <class Op> std::string label_of(const Op& op) {
  const auto name = name_of(op);
  if constexpr (requires { op.label(); })
    if (name == Op::name) return op.label();
  return std::string(name);
}
}  // namespace detail

}  // namespace plumbline
