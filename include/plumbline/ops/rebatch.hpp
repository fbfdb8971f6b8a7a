#pragma once
/// rebatch(n): batches of another size; the same as unbatch() | batch(n), with one copy of each row, and none of a
/// batch that already has n rows. The last batch of an epoch may be smaller; `drop_remainder` drops it.
///   range(10'000) | batch(100) | rebatch(256)
/// tf.data: rebatch, PyTorch: torchdata.nodes.Unbatcher and Batcher, grain: RebatchIterDataset, mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/core/remainder.hpp>
#include <plumbline/data/batch_rows.hpp>

#include <optional>
#include <stdexcept>

namespace plumbline {

namespace detail {
/// The compiler's message shows the template arguments of this function.
template <class Element, bool ok> consteval void rebatch_joins() {
  static_assert(ok,
                "plumbline: rebatch joins batches: tensors, vectors, columns and tuples of those, and this element is "
                "none, see Element in this message; use batch(n) for single elements");
}
}  // namespace detail

struct rebatch_op : op_base {
  static constexpr std::string_view name = "rebatch";
  std::uint64_t n;
  remainder rest;
  constexpr auto parameters() const { return std::tuple(n, rest); }

  template <class In> using output = In;
  template <class Up> static constexpr bool accepts = detail::has_rows<typename Up::element>&& requires {
    sizeof(detail::row_buffer<typename Up::element>);
  };
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    detail::rebatch_joins<typename Up::element, ok>();
  }

  static constexpr stream_facts rule(stream_facts in) {
    if (!in.count.endless) in.count = cardinality::unknown();
    return in;
  }

  template <detail::has_rows In> struct kernel {
    std::size_t n, filled = 0;
    remainder rest;
    lineage first{};
    std::optional<detail::row_buffer<In>> held{};
    kernel(const rebatch_op& op, const stream_context&) : n(static_cast<std::size_t>(op.n)), rest(op.rest) {}
    void push(In&& batch, const lineage& at, auto&& emit) {
      const auto rows = detail::rows_of<In>::count(batch);
      if (filled == 0 && rows == n) {
        emit(std::move(batch), at);
        return;
      }
      for (std::size_t done = 0; done != rows;) {
        if (filled == 0) {
          held.emplace(n);
          first = done == 0 ? at : at.part(done);
        }
        const auto some = std::min(n - filled, rows - done);
        held->put(filled, batch, done, some);
        done += some;
        if ((filled += some) == n) close(emit);
      }
    }
    void finish(auto&& emit) {
      if (filled != 0 && rest == remainder::keep) close(emit);
      filled = 0;
    }
    template <class Io> void state(Io& io) {
      io(filled, first);
      if (filled == 0) return;
      if constexpr (!detail::copies<In>) {
        io.not_now();
      } else if constexpr (Io::loads) {
        In rows;
        io(rows);
        held.emplace(n);
        held->put(0, rows, 0, filled);
      } else {
        auto rows = held->filled(filled);
        io(rows);
      }
    }

   private:
    void close(auto&& emit) {
      auto full = held->finish(std::exchange(filled, 0));
      held.reset();
      emit(std::move(full), first);
    }
  };
};

constexpr auto rebatch(std::uint64_t n, remainder rest = remainder::keep) {
  if (n == 0) throw std::invalid_argument("plumbline: rebatch(0) would hold nothing; give at least 1");
  return rebatch_op{{}, n, rest};
}
constexpr auto rebatch(std::signed_integral auto n, remainder rest = remainder::keep) {
  return rebatch(detail::count_from("rebatch", n, "give at least 1"), rest);
}

}  // namespace plumbline
