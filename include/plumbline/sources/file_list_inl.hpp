#pragma once
/// Definitions of sources/file_list.hpp: the files that a path or a pattern names.

#include <plumbline/core/rng.hpp>
#include <plumbline/data/crc32.hpp>
#include <plumbline/sources/file_list.hpp>
#include <plumbline/sources/find_files.hpp>
#include <plumbline/sources/no_match.hpp>

#include <sys/stat.h>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

namespace detail {
inline std::string_view pattern_of(const char* text) {
  if (text == nullptr)
    throw std::invalid_argument(
        "plumbline: files: the pattern is a null pointer; was it to come from an environment variable that is not "
        "set?");
  return text;
}
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

PLUMBLINE_INLINE file_list::file_list(std::string_view pattern, file_options options) {
  *this = share(find(pattern, options));
}

PLUMBLINE_INLINE file_list::file_list(const std::vector<std::string>& patterns, file_options options) {
  std::vector<file> all;
  for (const std::string& p : patterns) append(all, find(p, options));
  *this = share(std::move(all));
}

PLUMBLINE_INLINE file_list::file_list(const char* pattern, file_options options)
    : file_list(detail::pattern_of(pattern), options) {}

PLUMBLINE_INLINE file_list::file_list(std::initializer_list<const char*> patterns, file_options options) {
  std::vector<std::string> all;
  for (const char* p : patterns) all.emplace_back(detail::pattern_of(p));
  *this = file_list(all, options);
}

PLUMBLINE_INLINE file_list::file_list(file one) { *this = share({std::move(one)}); }

PLUMBLINE_INLINE file_list::file_list(std::vector<file> listed) { *this = share(std::move(listed)); }

PLUMBLINE_INLINE file_list file_list::share(std::vector<file> files) {
  file_list l;
  for (const file& f : files) l.bytes_ += f.size;
  l.files_ = std::make_shared<const std::vector<file>>(std::move(files));
  return l;
}

PLUMBLINE_INLINE void file_list::append(std::vector<file>& all, std::vector<file> more) {
  if (more.size() == 1)
    all.push_back(std::move(more[0]));  // grows geometrically
  else
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

PLUMBLINE_INLINE std::string file_list::summary() const {
  return std::to_string(size()) + (size() == 1 ? " file, " : " files, ") + std::to_string(bytes()) + " bytes";
}
PLUMBLINE_INLINE std::uint64_t file_list::content() const {
  std::uint64_t all = size();
  for (const auto& f : *this)
    all = hash_combine(hash_combine(all, f.size),
                       crc32c({reinterpret_cast<const std::uint8_t*>(f.path.data()), f.path.size()}));
  return all;
}
PLUMBLINE_INLINE std::uint64_t file_list::content_now() const {
  std::uint64_t all = size();
  for (const auto& f : *this) {
    struct stat s {};
    if (::stat(f.path.c_str(), &s) != 0) continue;  // reading it will report the error
    for (const auto part : {static_cast<std::uint64_t>(s.st_dev), static_cast<std::uint64_t>(s.st_ino),
                            static_cast<std::uint64_t>(s.st_size), static_cast<std::uint64_t>(s.st_mtim.tv_sec),
                            static_cast<std::uint64_t>(s.st_mtim.tv_nsec)})
      all = hash_combine(all, part);
  }
  return all;
}

}  // namespace plumbline
