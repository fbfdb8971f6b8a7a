#pragma once
/// Text files, read and written whole, and the whole numbers in them. For logs, tables and traces.

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plumbline::detail {

using open_text = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] inline void refuse_file(const char* who, const std::string& path, const std::string& what) {
  throw std::invalid_argument(std::string("plumbline: ") + who + ": " + path + " cannot be " + what);
}
/// The text of a file. `who` begins the message if it cannot be read, a std::invalid_argument.
inline std::string read_text(const std::string& path, const char* who) {
  const open_text file(std::fopen(path.c_str(), "rb"), &std::fclose);
  std::string text;
  if (file != nullptr) {
    char some[1 << 14];
    for (std::size_t n = 0; (n = std::fread(some, 1, sizeof some, file.get())) != 0;) text.append(some, n);
  }
  if (file == nullptr || std::ferror(file.get()) != 0)
    refuse_file(who, path,
                std::string("read: ") + std::strerror(errno) + "; give the path of a file that you may read");
  return text;
}
/// Writes a file anew; errors as above.
inline void write_text(const std::string& text, const std::string& path, const char* who) {
  open_text file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fclose(file.release()) != 0)
    refuse_file(who, path,
                std::string("written: ") + std::strerror(errno) +
                    "; give a path in a folder that exists, where you may write and there is room");
}

/// The number that the text is, between blanks; empty: it is none, or does not fit.
template <class T> std::optional<T> whole_number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  T x{};
  const auto r = std::from_chars(text.data(), text.data() + text.size(), x);
  if (r.ec != std::errc() || r.ptr != text.data() + text.size()) return {};
  return x;
}

}  // namespace plumbline::detail
