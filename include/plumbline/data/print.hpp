#pragma once
/// operator<< for tensors, their views, columns and shapes, shortened as numpy does: of more than 1000 elements the
/// first and last three along each dimension.
///   std::cout << batch;       // [[0.5 1   1.5]
///                             //  [2   2.5 3  ]]

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/operation.hpp>
#include <plumbline/core/type_name.hpp>
#include <plumbline/data/columns.hpp>
#include <plumbline/data/fixed_tensor.hpp>
#include <plumbline/data/image.hpp>
#include <plumbline/data/tensor.hpp>

#include <concepts>
#include <iosfwd>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace plumbline {

namespace detail {
std::string element_text(double x);
std::string element_text(float x);
std::string element_text(long long x);
std::string element_text(unsigned long long x);
std::string element_text(const std::string& x);  ///< in quotes
template <std::integral T> std::string element_text(T x) {
  if constexpr (std::is_signed_v<T>)
    return element_text(static_cast<long long>(x));
  else
    return element_text(static_cast<unsigned long long>(x));
}

/// Text of the array whose elements `one(data, i)` gives as text.
std::string array_text(const shape& s, const void* data, std::string (*one)(const void* data, std::size_t i));
std::ostream& write(std::ostream& out, const std::string& text);

template <class T>
concept printable = requires(const T& x) {
  element_text(x);
};
template <class T> std::string nth_text(const void* data, std::size_t i) {
  return element_text(static_cast<const T*>(data)[i]);
}
template <printable T> std::string text_of(const tensor_view<const T>& t) {
  return array_text(t.shape(), t.data(), nth_text<T>);
}
template <printable T> std::string text_of(const tensor<T>& t) { return text_of(t.view()); }
template <printable T> std::string text_of(const std::vector<T>& v) {
  return array_text({v.size()}, v.data(), nth_text<T>);
}
template <class T> std::string text_of(const basic_image<T>& x) {
  return "image " + std::to_string(x.height()) + " x " + std::to_string(x.width()) + " x " +
         std::to_string(x.channels());
}
template <class... Ts> std::string text_of(const std::tuple<Ts...>& parts);
template <class S> std::string text_of(const columns<S>& batch) { return text_of(batch.values); }
template <class T> std::string text_or_type(const T& x) {
  if constexpr (requires { text_of(x); })
    return text_of(x);
  else
    return type_name<T>();
}
template <class... Ts> std::string text_of(const std::tuple<Ts...>& parts) {
  return std::apply(
      [](const auto&... part) {
        std::string all;
        ((all += (all.empty() ? "(" : ",\n ") + text_or_type(part)), ...);
        return all + ")";
      },
      parts);
}
}  // namespace detail

template <detail::printable T> std::ostream& operator<<(std::ostream& out, const tensor<T>& t) {
  return detail::write(out, detail::text_of(t));
}
template <class T>
requires detail::printable<std::remove_const_t<T>> std::ostream& operator<<(std::ostream& out,
                                                                            const tensor_view<T>& t) {
  return detail::write(out, detail::text_of(tensor_view<const T>(t)));
}
template <detail::printable T, std::size_t... E>
std::ostream& operator<<(std::ostream& out, const fixed_tensor<T, E...>& t) {
  return detail::write(out, detail::text_of(t.view()));
}
/// One column after another, each on lines of its own.
template <class S> std::ostream& operator<<(std::ostream& out, const columns<S>& batch) {
  return detail::write(out, detail::text_of(batch));
}
/// Its size and channels, not its pixels: "image 480 x 640 x 3".
template <class T> std::ostream& operator<<(std::ostream& out, const basic_image<T>& x) {
  return detail::write(out, detail::text_of(x));
}
/// A mistake, reported in a line.
template <pipeline P> std::ostream& operator<<(std::ostream& out, const P&) {
  static_assert(detail::no<P>,
                "plumbline: a pipeline holds no elements to print; print explain(p), or each element of run(p)");
  return out;
}
inline std::ostream& operator<<(std::ostream& out, const shape& s) { return detail::write(out, to_string(s)); }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/data/print_inl.hpp>
#endif
