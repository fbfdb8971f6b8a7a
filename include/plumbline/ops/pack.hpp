#pragma once
/// pack(length, options): several short sequences in one of fixed length, as language models are trained: the values,
/// which sequence each belongs to (1, 2, ...; 0: padding), and its position in it. Each sequence goes into the first
/// open row that has room (first fit); a full row is passed on, and if no row has room and `rows` are open, the
/// fullest.
///   lines("*.txt") | map(tokenize) | pack(2048, {.rows = 16}) | batch(8)
/// tf.data: -, PyTorch: torchtune PackedDataset, grain: FirstFitPackIterDataset, mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/data/collate_padded.hpp>
#include <plumbline/data/tensor.hpp>

#include <algorithm>
#include <concepts>
#include <stdexcept>
#include <string>
#include <vector>

namespace plumbline {

/// What pack does with a sequence that is longer than a row.
enum class too_long : unsigned char {
  split,  ///< into rows of its own; each piece is a sequence
  cut,    ///< to the length of a row
  drop,   ///< leaves it out
  fail    ///< throws shape_mismatch
};

struct pack_options {
  std::uint64_t rows = 16;   ///< open rows to choose from
  std::int64_t padding = 0;  ///< the value behind the last sequence of a row
  plumbline::too_long too_long = plumbline::too_long::split;
};

template <class T> struct packed {
  tensor<T> values;                ///< [length]
  tensor<std::int32_t> segments;   ///< [length]: 1, 2, ...; 0: padding
  tensor<std::int32_t> positions;  ///< [length]: from 0 in each segment
  friend bool operator==(const packed&, const packed&) = default;
};

namespace detail {
template <class T> struct sequence {};
template <class T>
  requires std::is_arithmetic_v<T>
struct sequence<std::vector<T>> : std::type_identity<T> {
};
template <class T>
  requires std::is_arithmetic_v<T>
struct sequence<tensor<T>> : std::type_identity<T> {
};
template <> struct sequence<std::vector<bool>> {};
template <class In>
concept a_sequence = requires {
  typename sequence<In>::type;
};
/// The compiler's message shows the template arguments of this function.
template <class Element, bool ok> consteval void pack_sequences() {
  static_assert(ok,
                "plumbline: pack joins sequences: std::vector or tensor of numbers, and this element is none, see "
                "Element in this message; map it to the numbers of its tokens");
}
}  // namespace detail

struct pack_op : op_base {
  static constexpr std::string_view name = "pack";
  std::uint64_t row_length;
  pack_options how;
  constexpr auto parameters() const { return std::tuple(row_length, how.rows, how.padding, how.too_long); }

  template <class In> using output = packed<typename detail::sequence<In>::type>;
  template <class Up> static constexpr bool accepts = detail::a_sequence<typename Up::element>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    detail::pack_sequences<typename Up::element, ok>();
  }

  static constexpr stream_facts rule(stream_facts in) {
    if (!in.count.endless) in.count = cardinality::unknown();
    return in;
  }

  template <detail::a_sequence In> struct kernel {
    using T = typename detail::sequence<In>::type;
    struct row {
      std::vector<T> values{};
      std::vector<std::uint32_t> ends{};  ///< of its sequences
      lineage first{};
      template <class Io> void state(Io& io) { io(values, ends, first); }
    };
    const pack_op* op;
    std::vector<row> open{};
    kernel(const pack_op& of, const stream_context&) : op(&of) {}
    void push(In&& x, const lineage& at, auto&& emit) {
      const auto length = static_cast<std::size_t>(op->row_length);
      std::size_t n = x.size();
      if (n > length) {
        if (op->how.too_long == too_long::drop) return;
        if (op->how.too_long == too_long::fail)
          throw shape_mismatch("a sequence of " + std::to_string(n) + " does not fit into a row of " +
                               std::to_string(length) + "; set pack_options::too_long, or a larger length");
        if (op->how.too_long == too_long::cut) n = length;
      }
      for (std::size_t done = 0; done != n;) {
        const auto some = std::min(n - done, length);
        put(x.data() + done, some, done == 0 ? at : at.part(done), emit);
        done += some;
      }
    }
    void finish(auto&& emit) {
      for (auto& r : open) close(r, emit);
      open.clear();
    }
    template <class Io> void state(Io& io) { io(open); }

   private:
    void put(const T* from, std::size_t n, const lineage& at, auto&& emit) {
      const auto length = static_cast<std::size_t>(op->row_length);
      auto fit = std::find_if(open.begin(), open.end(), [&](const row& r) { return length - r.values.size() >= n; });
      if (fit == open.end()) {
        if (open.size() == op->how.rows) {
          const auto fullest = std::max_element(
              open.begin(), open.end(), [](const row& a, const row& b) { return a.values.size() < b.values.size(); });
          pass(fullest, emit);
        }
        open.push_back({{}, {}, at});
        fit = open.end() - 1;
        fit->values.reserve(length);
      }
      fit->values.insert(fit->values.end(), from, from + n);
      fit->ends.push_back(static_cast<std::uint32_t>(fit->values.size()));
      if (fit->values.size() == length) pass(fit, emit);
    }
    void pass(typename std::vector<row>::iterator which, auto&& emit) {
      auto full = std::move(*which);
      open.erase(which);
      close(full, emit);
    }
    void close(row& r, auto&& emit) const {
      const auto length = static_cast<std::size_t>(op->row_length);
      packed<T> out{tensor<T>::uninitialized({length}), tensor<std::int32_t>({length}), tensor<std::int32_t>({length})};
      const auto end = std::copy(r.values.begin(), r.values.end(), out.values.data());
      std::fill(end, out.values.data() + length, detail::padding_as<T>(op->how.padding));
      std::size_t i = 0;
      for (std::size_t s = 0; s != r.ends.size(); ++s)
        for (const auto from = i; i != r.ends[s]; ++i) {
          out.segments.data()[i] = static_cast<std::int32_t>(s + 1);
          out.positions.data()[i] = static_cast<std::int32_t>(i - from);
        }
      emit(std::move(out), r.first);
    }
  };
};

constexpr auto pack(std::uint64_t length, pack_options how = {}) {
  if (length == 0 || length > 0xffffffffU)
    throw std::invalid_argument("plumbline: pack: a row of " + std::to_string(length) +
                                "; give a length from 1 to 4294967295");
  if (how.rows == 0) throw std::invalid_argument("plumbline: pack: no row would be open; give at least 1");
  return pack_op{{}, length, how};
}
constexpr auto pack(std::signed_integral auto length, pack_options how = {}) {
  return pack(detail::count_from("pack", length, "give at least 1"), how);
}

}  // namespace plumbline
