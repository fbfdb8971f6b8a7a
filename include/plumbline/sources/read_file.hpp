#pragma once
/// read_file(): the whole content of each file, as it is stored. Blocking: runs on I/O threads, several files at once,
/// order kept.
///   files("photos/*.jpg") | read_file() | map(decode())
/// Takes files or paths. Errors: see read_bytes().
/// tf.data: tf.io.read_file, PyTorch: torchvision.io.read_file, grain: -, mlx-data: load_file

#include <optional>
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
  static constexpr bool order_free = true, blocking = true;

  // Type
  template <class Up>
  static constexpr bool accepts =
      std::same_as<typename Up::element, file> || std::convertible_to<typename Up::element, std::string>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    static_assert(ok,
                  "plumbline: read_file() reads files or paths, and this stream holds something else; begin with "
                  "files(pattern), or make the path with map(f)");
  }

  // Kernel
  template <class In> file_contents transform(const no_context&, In&& x) const {
    std::string path = path_of(std::move(x));
    auto data = read_bytes(path);
    return {std::move(path), std::move(data)};
  }
  template <class In> std::optional<file_contents> try_transform(const no_context&, In& x) const {
    if constexpr (std::same_as<In, file> || std::same_as<In, std::string>) {
      auto data = detail::read_cached_bytes(path_of(std::as_const(x)));
      if (!data) return std::nullopt;
      return file_contents{path_of(std::move(x)), *std::move(data)};
    } else {
      std::string path(x);
      auto data = detail::read_cached_bytes(path);
      if (!data) return std::nullopt;
      return file_contents{std::move(path), *std::move(data)};
    }
  }

 private:
  static const std::string& path_of(const file& f) { return f.path; }
  static std::string path_of(file&& f) { return std::move(f.path); }
  static const std::string& path_of(const std::string& path) { return path; }
  static std::string path_of(std::string&& path) { return std::move(path); }
  template <class T> static std::string path_of(T&& path) { return std::string(std::forward<T>(path)); }
};

inline constexpr auto read_file() { return read_file_op{}; }

}  // namespace plumbline
