#pragma once
/// The error for a pattern that names no file: what was searched, what is there, and what would match.

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <sys/stat.h>

#include <plumbline/sources/find_files.hpp>
#include <plumbline/sources/glob.hpp>
#include <plumbline/sources/io_error.hpp>
#include <plumbline/sources/similar_name.hpp>

namespace plumbline::detail {

inline bool is_folder(const std::string& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

/// The deepest existing folder above what a pattern names: "photos/train" for "photos/train/*/x.jpg".
inline std::string nearest_folder(std::string path) {
  const std::size_t special = path.find_first_of("*?[{\\");
  if (special != std::string::npos) path.resize(path.rfind('/', special) + 1);  // whole names only; npos + 1 is 0
  while (!path.empty() && !is_folder(path)) {
    const std::size_t slash = path.find_last_of('/', path.size() - (path.size() > 1 && path.back() == '/' ? 2 : 1));
    path.resize(slash == std::string::npos ? 0 : slash == 0 && path.size() > 1 ? 1 : slash);
  }
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.empty() ? "." : path;
}

/// What a pattern wants within that folder, by its alternatives.
inline std::vector<wanted_name> wanted_in(const std::string& folder, std::string_view pattern) {
  std::vector<wanted_name> all;
  for (const std::string& p : expand_braces(pattern)) {
    std::string_view rest = p;
    const bool below = folder != "/" && rest.starts_with(folder + '/');
    if (below) rest.remove_prefix(folder.size());
    wanted_name want;
    do {
      rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
      const std::size_t end = std::min(rest.find('/'), rest.size());
      want = {std::string(rest.substr(0, end)), end != rest.size(), want.any_depth || want.text == "**"};
      rest.remove_prefix(end);
    } while (want.text == "**" && !rest.empty());
    all.push_back(std::move(want));
    if (all.size() == 16) break;  // enough for an example
  }
  return all;
}

/// How many entries a folder has, and the one that is most like what is wanted there.
inline std::pair<std::size_t, std::string> entries_of(const std::string& folder, const std::vector<wanted_name>& wanted,
                                                      bool hidden) {
  std::size_t n = 0;
  most_similar best(wanted, hidden);
  if (DIR* d = ::opendir(folder.c_str())) {
    while (const dirent* e = ::readdir(d)) {  // NOLINT(concurrency-mt-unsafe): safe on distinct streams
      const std::string name = e->d_name;
      if (name == "." || name == "..") continue;
      ++n;
      best.add(name, e->d_type == DT_DIR || (e->d_type != DT_REG && is_folder(folder + '/' + name)));
    }
    ::closedir(d);
  }
  return {n, best.name()};
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
  const std::string searched =
      count(folders, "folder", "folders") + " with " + count(entries, "entry", "entries") + " searched";
  const bool folder = is_folder(shown);  // then the pattern is all that is in it
  std::string m;
  if (folder) {
    m = "plumbline: files: the folder '" + shown + "' holds no regular files; " + searched;
  } else {
    const std::string near = nearest_folder(shown);
    const auto [there, similar] = entries_of(near, wanted_in(near, shown), options.hidden);
    m = "plumbline: files: nothing matches '" + shown + "'; " + (folders > 0 ? searched + ", " : "") +
        "the nearest existing folder is '" + near + "' with " + count(there, "entry", "entries");
    if (there > 0) m += (there > 1 ? ", the most similar '" : ", '") + similar + "'";
  }
  if (const auto open = folder ? std::string::npos : unclosed_brace(shown); open != std::string::npos)
    m += "; the brace in '" + shown.substr(open) + "' is never closed: add '}', or write \\{ for a brace in a name";
  else if (!options.ignore_case && would_match(pattern, {.ignore_case = true, .hidden = options.hidden}))
    m += "; something matches with file_options{.ignore_case = true}";
  else if (!options.hidden && would_match(pattern, {.ignore_case = options.ignore_case, .hidden = true}))
    m += "; something matches with file_options{.hidden = true}";
  else if (folder)
    m += "; put files there, or name another folder";
  else
    m += "; check the pattern, which is taken relative to the working directory";
  throw io_error(m, shown, 0, ENOENT);
}

}  // namespace plumbline::detail
