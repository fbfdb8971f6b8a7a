#pragma once
/// named: an operator that can be given a name, `map(f).named("decode")`, which explain(), failures, plans and
/// run_options::parallelism then use.

#include <string_view>
#include <utility>

namespace plumbline {

/// A string literal, so that it lives as long as the program.
class op_name {
 public:
  constexpr op_name() = default;
  consteval op_name(const char* literal) : text_(literal) {}
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
};

namespace detail {
/// The operator's name in messages: the one it was given, else that of its type.
template <class Op> constexpr std::string_view name_of(const Op& op) {
  if constexpr (requires { op.given.text(); })
    if (!op.given.text().empty()) return op.given.text();
  return Op::name;
}
}  // namespace detail

}  // namespace plumbline
