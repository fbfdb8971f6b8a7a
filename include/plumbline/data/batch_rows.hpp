#pragma once
/// The rows of a batch, of any type that batch, padded_batch or group makes: for unbatch and rebatch.

#include <plumbline/core/failure.hpp>
#include <plumbline/core/size.hpp>
#include <plumbline/data/columns.hpp>
#include <plumbline/data/nbytes.hpp>
#include <plumbline/data/tensor.hpp>
#include <plumbline/data/tensor_slots.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace plumbline {

/// One row of a batch, which it shares with the other rows: an array of one dimension less that is not copied. Batched
/// again, it is copied once.
template <class T> class tensor_row {
 public:
  using value_type = T;
  tensor_row(std::shared_ptr<const tensor<T>> batch, std::size_t row) : batch_(std::move(batch)), row_(row) {}

  tensor_view<const T> view() const { return (*batch_)[row_]; }
  operator tensor_view<const T>() const { return view(); }
  const T* data() const { return view().data(); }
  plumbline::shape shape() const { return batch_->shape().inner(); }
  /// All elements in row-major order.
  std::span<const T> span() const { return {data(), shape().count()}; }
  /// A copy on its own.
  tensor<T> copied() const {
    auto out = tensor<T>::uninitialized(shape());
    std::copy_n(data(), out.size(), out.data());
    return out;
  }
  friend bool operator==(const tensor_row& a, const tensor_row& b) { return a.view() == b.view(); }

 private:
  std::shared_ptr<const tensor<T>> batch_;
  std::size_t row_;
};
template <class T> struct heap_bytes<tensor_row<T>> {
  static std::size_t of(const tensor_row<T>& x) noexcept { return x.shape().count() * sizeof(T); }
};
template <class T> struct collator<tensor_row<T>> {
  using batch_type = tensor<T>;
  explicit collator(std::size_t n) : slots_(n) {}
  void put(std::size_t slot, const tensor_row<T>& x) { slots_.put(slot, x.data(), x.shape()); }
  std::size_t misfit(std::size_t filled) const { return slots_.misfit(filled); }
  batch_type finish(std::size_t filled) && { return std::move(slots_).finish(filled); }

 private:
  detail::tensor_slots<T> slots_;
};

namespace detail {

[[noreturn]] inline void throw_uneven_rows(std::size_t a, std::size_t b) {
  throw shape_mismatch("plumbline: the components of a batch have " + std::to_string(a) + " and " + std::to_string(b) +
                       " rows; give all of them the same number");
}

/// Access to the rows of a batch of type B: `row` is a row's type by default, count(b), and split(b), which returns a
/// function that makes row i as a Row.
template <class B> struct rows_of;
template <class B>
concept has_rows = requires {
  typename rows_of<B>::row;
};

template <class T> struct rows_of<tensor<T>> {
  using row = tensor_row<T>;
  static std::size_t count(const tensor<T>& b) {
    if (b.rank() == 0) throw shape_mismatch("plumbline: a tensor of rank 0 has no rows; batch it first");
    return b.shape()[0];
  }
  template <class Row> static auto split(tensor<T>&& b) {
    if constexpr (std::same_as<Row, row>) {
      return [shared = std::make_shared<const tensor<T>>(std::move(b))](std::size_t i) { return row(shared, i); };
    } else if constexpr (std::is_arithmetic_v<Row> || std::is_enum_v<Row>) {
      if (b.rank() != 1)
        throw shape_mismatch("plumbline: rows of a batch of shape " + to_string(b.shape()) +
                             " are no numbers; unbatch it without a type, or with tensor");
      return [b = std::move(b)](std::size_t i) { return static_cast<Row>(b.data()[i]); };
    } else if constexpr (std::same_as<Row, tensor<T>>) {
      return [b = std::move(b)](std::size_t i) {
        auto out = Row::uninitialized(b.shape().inner());
        std::copy_n(b.data() + i * out.size(), out.size(), out.data());
        return out;
      };
    } else {  // a fixed shape
      if (b.size() != b.shape()[0] * Row{}.size())
        throw shape_mismatch("plumbline: rows of a batch of shape " + to_string(b.shape()) +
                             " do not have the shape that unbatch was given");
      return [b = std::move(b)](std::size_t i) {
        Row out;
        std::copy_n(b.data() + i * out.size(), out.size(), out.data());
        return out;
      };
    }
  }
};
template <class T> struct rows_of<std::vector<T>> {
  using row = T;
  static std::size_t count(const std::vector<T>& b) { return b.size(); }
  template <class Row> static auto split(std::vector<T>&& b) {
    return [b = std::move(b)](std::size_t i) mutable { return Row(std::move(b[i])); };
  }
};
template <has_rows... B> struct rows_of<std::tuple<B...>> {
  using row = std::tuple<typename rows_of<B>::row...>;
  static std::size_t count(const std::tuple<B...>& b) {
    const auto n = rows_of<std::tuple_element_t<0, std::tuple<B...>>>::count(std::get<0>(b));
    std::apply(
        [&](const auto&... part) {
          ((rows_of<std::remove_cvref_t<decltype(part)>>::count(part) != n
                ? throw_uneven_rows(n, rows_of<std::remove_cvref_t<decltype(part)>>::count(part))
                : void()),
           ...);
        },
        b);
    return n;
  }
  /// Row is a tuple, a pair or a struct with as many members.
  template <class Row> static auto split(std::tuple<B...>&& b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return [parts = std::tuple(rows_of<B>::template split<std::tuple_element_t<I, parts_t<Row>>>(
                  std::get<I>(std::move(b)))...)](std::size_t i) mutable { return Row{std::get<I>(parts)(i)...}; };
    }
    (std::index_sequence_for<B...>{});
  }
};
template <class S> struct rows_of<columns<S>> {
  using row = S;
  using tuple = typename columns<S>::tuple_type;
  static std::size_t count(const columns<S>& b) { return rows_of<tuple>::count(b.values); }
  template <class Row> static auto split(columns<S>&& b) {
    return rows_of<tuple>::template split<Row>(std::move(b.values));
  }
};

/// A batch that is filled with rows of others: put(from, first, n) copies rows, finish(n) returns it with n rows.
template <class B> class row_buffer;
template <class T> class row_buffer<tensor<T>> {
 public:
  explicit row_buffer(std::size_t rows) : rows_(rows) {}
  void put(std::size_t at, tensor<T>& from, std::size_t first, std::size_t n) {
    if (at == 0)
      inner_ = from.shape().inner();
    else if (from.shape().inner() != inner_)
      throw shape_mismatch("plumbline: rebatch joins rows of shape " + to_string(inner_) + " and " +
                           to_string(from.shape().inner()) + "; make them equal first");
    const auto each = inner_.count();
    if (at + n > room_) make_room(at, at + n);
    std::copy_n(from.data() + first * each, n * each, to_.data() + at * each);
  }
  tensor<T> finish(std::size_t n) { return std::move(to_.truncate_front(n)); }
  /// What the first n rows hold, as a batch.
  tensor<T> filled(std::size_t n) const {
    auto out = tensor<T>::uninitialized(inner_.stacked(n));
    std::copy_n(to_.data(), out.size(), out.data());
    return out;
  }

 private:
  /// For all rows at once, unless they are much more than may come.
  void make_room(std::size_t filled, std::size_t wanted) {
    constexpr std::size_t at_once = std::size_t{64} << 20, at_first = std::size_t{1} << 20;
    const auto each = std::max<std::size_t>(inner_.count() * sizeof(T), 1);
    room_ = rows_ <= at_once / each ? rows_ : std::min(rows_, std::max({wanted, 2 * room_, at_first / each}));
    auto larger = tensor<T>::uninitialized(inner_.stacked(room_));
    std::copy_n(to_.data(), filled * inner_.count(), larger.data());
    to_ = std::move(larger);
  }
  std::size_t rows_, room_ = 0;
  shape inner_{};
  tensor<T> to_{};
};
template <class T> class row_buffer<std::vector<T>> {
 public:
  explicit row_buffer(std::size_t rows) { to_.reserve(room_for<T>(rows)); }
  void put(std::size_t, std::vector<T>& from, std::size_t first, std::size_t n) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
    std::move(begin, begin + static_cast<std::ptrdiff_t>(n), std::back_inserter(to_));
  }
  std::vector<T> finish(std::size_t) { return std::move(to_); }
  std::vector<T> filled(std::size_t) const { return to_; }

 private:
  std::vector<T> to_;
};
template <class... B> class row_buffer<std::tuple<B...>> {
 public:
  explicit row_buffer(std::size_t rows) : parts_(row_buffer<B>(rows)...) {}
  void put(std::size_t at, std::tuple<B...>& from, std::size_t first, std::size_t n) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::get<I>(parts_).put(at, std::get<I>(from), first, n), ...);
    }
    (std::index_sequence_for<B...>{});
  }
  std::tuple<B...> finish(std::size_t n) {
    return std::apply([n](auto&... part) { return std::tuple<B...>(part.finish(n)...); }, parts_);
  }
  std::tuple<B...> filled(std::size_t n) const {
    return std::apply([n](const auto&... part) { return std::tuple<B...>(part.filled(n)...); }, parts_);
  }

 private:
  std::tuple<row_buffer<B>...> parts_;
};
template <class S> class row_buffer<columns<S>> {
  using tuple = typename columns<S>::tuple_type;

 public:
  explicit row_buffer(std::size_t rows) : values_(rows) {}
  void put(std::size_t at, columns<S>& from, std::size_t first, std::size_t n) {
    values_.put(at, from.values, first, n);
  }
  columns<S> finish(std::size_t n) { return {values_.finish(n)}; }
  columns<S> filled(std::size_t n) const { return {values_.filled(n)}; }

 private:
  row_buffer<tuple> values_;
};

}  // namespace detail
}  // namespace plumbline
