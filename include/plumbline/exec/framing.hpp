#pragma once
/// framing: what a run with tracing::symbols puts around its operators (frames.hpp, with plumbline/symbols.hpp), and a
/// run with tracing::markers around its parts (markers.hpp). Other runs have none of it.

#include <cstdint>

namespace plumbline::detail {

/// Leaves everything as it is.
struct no_frame {
  template <class Kernel> using kernel = Kernel;
  template <class Cursor> using cursor = Cursor;
  template <class Up> using input = Up;
  template <class View> using view = View;
  template <class Op> using index = Op;
};

template <class Trace> struct framing {
  static constexpr bool frames = false, marks = false;
  /// What operator `Id`, of type `Op`, is put in.
  template <std::uint32_t Id, class Op> using of = no_frame;
};

}  // namespace plumbline::detail
