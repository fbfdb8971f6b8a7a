#pragma once
/// unbatch(), unbatch<Row>(): the rows of each batch, one after another; in parallel. Rows of a tensor are tensor_row,
/// which shares the batch: batched again they are copied once. With a type: unbatch<std::int64_t>() for numbers,
/// unbatch<tensor<float>>() for copies, unbatch<std::tuple<A, B>>() or a struct for several components. Rows of
/// columns<S> are S, those of a vector its elements.
///   range(10'000) | batch(100) | unbatch() | shuffle(1'000, 1) | batch(32)
/// tf.data: unbatch, PyTorch: torchdata.nodes.Unbatcher, grain: -, mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/data/batch_rows.hpp>

namespace plumbline {

namespace detail {
/// The compiler's message shows the template arguments of this function.
template <class Element, bool ok> consteval void unbatch_splits() {
  static_assert(ok,
                "plumbline: unbatch splits batches: tensors, vectors, columns and tuples of those, and this element is "
                "none, see Element in this message; use flat_map(f) with a function that returns its parts");
}
template <class Row, class B> struct row_type : std::type_identity<Row> {};
template <class B> struct row_type<void, B> : std::type_identity<typename rows_of<B>::row> {};
}  // namespace detail

template <class Row> struct unbatch_op : op_base {
  static constexpr std::string_view name = "unbatch";
  static constexpr bool order_free = true;

  template <class In> using output = typename detail::row_type<Row, In>::type;
  template <class Up> static constexpr bool accepts = detail::has_rows<typename Up::element>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    detail::unbatch_splits<typename Up::element, ok>();
  }

  template <detail::has_rows In> void expand(const no_context&, In&& batch, auto&& emit) const {
    const auto n = detail::rows_of<In>::count(batch);
    auto row = detail::rows_of<In>::template split<output<In>>(std::move(batch));
    for (std::size_t i = 0; i != n && emit(row(i)); ++i) {
    }
  }
};

template <class Row = void> constexpr auto unbatch() { return unbatch_op<Row>{}; }

}  // namespace plumbline
