#pragma once
/// read_file(): the whole content of each file, as it is stored. Blocking: runs on I/O threads, several files at once,
/// order kept.
///   files("photos/*.jpg") | read_file() | map(decode())
/// Takes files or paths. Errors: see read_bytes().

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/sources/file.hpp>
#include <plumbline/sources/file_contents.hpp>

namespace plumbline {

struct read_file_op : op_base {
  static constexpr std::string_view name = "read_file";
  static constexpr bool one_to_one = true, emits_once = true, order_free = true, blocking = true, tries = true;

  // Type
  template <class In> using output = file_contents;
  template <class Up>
  static constexpr bool accepts =
      std::same_as<typename Up::element, file> || std::convertible_to<typename Up::element, std::string>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    static_assert(ok,
                  "plumbline: read_file() reads files or paths, and this stream holds something else; begin with "
                  "files(pattern), or make the path with map(f)");
  }

  // Model
  static constexpr stream_facts rule(stream_facts in) {
    in.blocking = true;
    return in;
  }

  // Kernel
  template <class In> void apply(const element_context&, In&& x, auto&& emit) const {
    if constexpr (std::same_as<std::remove_cvref_t<In>, file>) {
      bytes data = read_bytes(x.path);
      emit(file_contents{std::forward<In>(x).path, std::move(data)});
    } else {
      std::string path(x);  // a copy: who tries leaves the element as it was
      bytes data = read_bytes(path);
      emit(file_contents{std::move(path), std::move(data)});
    }
  }
};

inline constexpr auto read_file() { return read_file_op{}; }

}  // namespace plumbline
