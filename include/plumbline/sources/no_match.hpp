#pragma once
/// The error for a pattern that names no file: what was searched, what is there, and what would match.

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <sys/stat.h>

#include <plumbline/sources/find_files.hpp>
#include <plumbline/sources/io_error.hpp>

namespace plumbline::detail {

inline bool is_folder(const std::string& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

/// The deepest existing folder above what a pattern names: "photos/train" for "photos/train/*/x.jpg".
inline std::string nearest_folder(std::string path) {
  path.resize(std::min(path.find_first_of("*?[{\\"), path.size()));
  while (!path.empty() && !is_folder(path)) {
    const std::size_t slash = path.find_last_of('/', path.size() - (path.size() > 1 && path.back() == '/' ? 2 : 1));
    path.resize(slash == std::string::npos ? 0 : slash == 0 && path.size() > 1 ? 1 : slash);
  }
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.empty() ? "." : path;
}

/// How many entries a folder has, and the bytewise first of them.
inline std::pair<std::size_t, std::string> entries_of(const std::string& folder) {
  std::size_t n = 0;
  std::string first;
  if (DIR* d = ::opendir(folder.c_str())) {
    while (const dirent* e = ::readdir(d)) {  // NOLINT(concurrency-mt-unsafe): safe on distinct streams
      const std::string name = e->d_name;
      if (name == "." || name == "..") continue;
      if (n++ == 0 || name < first) first = name;
    }
    ::closedir(d);
  }
  return {n, first};
}

inline bool would_match(const std::string& pattern, file_options options) {
  try {
    return !folder_walk(pattern, options).run().empty();
  } catch (const io_error&) {
    return false;
  }
}

/// `shown` is what the user wrote, `pattern` what was searched for.
[[noreturn]] inline void throw_no_match(const std::string& shown, const std::string& pattern, file_options options,
                                        std::size_t folders, std::size_t entries) {
  const auto count = [](std::size_t n, std::string_view one, std::string_view many) {
    return std::to_string(n).append(" ").append(n == 1 ? one : many);
  };
  std::string m = "plumbline: files: nothing matches '" + shown + "'; ";
  if (folders > 0)
    m += count(folders, "folder", "folders") + " with " + count(entries, "entry", "entries") + " searched, ";
  const std::string near = nearest_folder(shown);
  const auto [there, first] = entries_of(near);
  m += "the nearest existing folder is '" + near + "' with " + count(there, "entry", "entries");
  if (there > 0) m += ", such as '" + first + "'";
  if (!options.ignore_case && would_match(pattern, {.ignore_case = true, .hidden = options.hidden}))
    m += "; something matches with file_options{.ignore_case = true}";
  else if (!options.hidden && would_match(pattern, {.ignore_case = options.ignore_case, .hidden = true}))
    m += "; something matches with file_options{.hidden = true}";
  else
    m += "; check the pattern, which is taken relative to the working directory";
  throw io_error(m, shown, 0, ENOENT);
}

}  // namespace plumbline::detail
