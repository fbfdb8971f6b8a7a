#pragma once
/// Definitions of sources/file_list.hpp: the files that a path or a pattern names.

#include <plumbline/sources/file_list.hpp>
#include <plumbline/sources/find_files.hpp>
#include <plumbline/sources/no_match.hpp>

#include <sys/stat.h>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

namespace detail {
inline std::vector<file> find_all(const std::string& shown, const std::string& pattern, file_options options) {
  folder_walk walk(pattern, options);
  std::vector<file> found = walk.run();
  if (!found.empty()) return found;

  throw_no_match(shown, pattern, options, walk.folders_listed(), walk.entries_seen());
}
}  // namespace detail

PLUMBLINE_INLINE std::vector<file> file_list::find(std::string_view pattern, file_options options) {
  const std::string path(pattern);
  struct stat s {};
  if (!path.empty() && ::stat(path.c_str(), &s) == 0) {
    if (S_ISREG(s.st_mode)) return {{path, static_cast<std::uint64_t>(s.st_size)}};
    if (!S_ISDIR(s.st_mode))
      throw io_error("plumbline: files cannot use '" + path +
                         "': it is neither a regular file nor a folder; copy its content into a file",
                     path, 0);
    std::string inside = path.back() == '/' ? path : path + '/';
    for (std::size_t i = inside.find_first_of("*?[{\\"); i != std::string::npos;
         i = inside.find_first_of("*?[{\\", i + 2))
      inside.insert(i, 1, '\\');
    options.ignore_case = false;
    return detail::find_all(path, inside, options);
  }
  if (!path.empty() && errno != ENOENT && errno != ENOTDIR && !is_glob(path))
    detail::throw_errno("files", "inspect", path, 0, errno);
  return detail::find_all(path, path, options);
}

}  // namespace plumbline
