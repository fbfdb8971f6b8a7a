#pragma once
/// The folder of a cache: what is in it, and which pipeline it belongs to. POSIX; private to element_files.

#include <plumbline/core/listed_files.hpp>
#include <plumbline/sources/element_file.hpp>
#include <plumbline/sources/io_error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plumbline::detail {

/// The names of what a folder holds. Throws io_error.
inline std::vector<std::string> names_in(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) throw_errno("cache", "list", folder, 0, errno);
  std::vector<std::string> all;
  while (const dirent* entry = ::readdir(open.get())) all.emplace_back(entry->d_name);
  return all;
}
/// Makes a folder and those above it that are missing. Throws io_error.
inline void make_folders(const std::string& folder) {
  for (std::size_t end = 0; end != folder.npos;) {
    end = folder.find('/', end + 1);
    const auto part = folder.substr(0, end);
    if (::mkdir(part.c_str(), 0777) == 0) continue;
    const int why = errno;
    struct stat is {};
    if (::stat(part.c_str(), &is) != 0) throw_errno("cache", "make", part, 0, why);
    if (!S_ISDIR(is.st_mode)) throw_errno("cache", "make", part, 0, ENOTDIR);
  }
}
/// The same folder for a process that changes its working directory.
inline std::string absolute(const std::string& folder) {
  const std::unique_ptr<char, void (*)(void*)> found(::realpath(folder.c_str(), nullptr), std::free);
  return found ? found.get() : folder;
}
/// Removes the unfinished files of processes that have ended.
inline void remove_abandoned(const std::string& folder) {
  for (const auto& name : names_in(folder)) {
    if (!name.starts_with(unfinished_prefix)) continue;
    const auto path = folder + "/" + name;
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
    ::close(fd);
  }
}
/// A small file's text; nothing if there is no such file.
inline std::optional<std::string> text_of_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO would wait for a writer
  if (fd < 0 && errno == ENOENT) return std::nullopt;
  if (fd < 0) throw_errno("cache", "open", path, 0, errno);
  std::string text(std::size_t{1} << 16, '\0');
  const auto n = ::read(fd, text.data(), text.size());
  const int why = errno;
  ::close(fd);
  if (n < 0) throw_errno("cache", "read", path, 0, why);
  text.resize(static_cast<std::size_t>(n));
  return text;
}
/// Throws if the folder is of the same pipeline from other files. `line`: the last one of its file `pipeline`.
inline void check_files(const std::string& folder, const std::string& line, const listed_files& from) {
  const auto same = "listed " + std::to_string(from.operators) + " ";
  if (from.text.empty() || !line.starts_with(same)) return;
  const auto theirs = line.substr(same.size());
  if (theirs.starts_with(std::to_string(from.files) + " ")) return;
  throw std::invalid_argument(
      "plumbline: cache(\"" + folder + "\") was filled from other files, by name or size; then " +
      theirs.substr(std::min(theirs.find(' '), theirs.size() - 1) + 1) + ", and now " + from.text +
      "; delete the folder, and its elements are made again, or give these files a folder of "
      "their own");
}
/// Makes the folder this pipeline's, or throws if it is another's.
inline void claim(const std::string& folder, std::uint64_t identity, const std::string& pipeline,
                  const listed_files& from) {
  const auto number = std::to_string(identity) + "\n";
  auto stated = text_of_file(folder + "/pipeline");
  if (!stated) {
    auto text = number + pipeline.substr(0, 1 << 15) + "\n";
    if (!from.text.empty())
      text += "listed " + std::to_string(from.operators) + " " + std::to_string(from.files) + " " +
              from.text.substr(0, 1 << 14) + "\n";
    write_once(folder, "pipeline", text);
    stated = text_of_file(folder + "/pipeline");
  }
  if (stated && stated->starts_with(number)) return;
  if (!stated || stated->find('\n') == std::string::npos)
    throw io_error("plumbline: cache: '" + folder +
                       "/pipeline' is damaged: it does not name the pipeline; delete the "
                       "folder, and its elements are made again",
                   folder + "/pipeline", 0);
  std::string theirs = *stated;
  theirs.erase(0, std::min(theirs.find('\n'), theirs.size() - 1) + 1);
  if (!theirs.empty()) theirs.pop_back();
  if (const auto end = theirs.rfind("\nlisted "); end != std::string::npos) {
    check_files(folder, theirs.substr(end + 1), from);
    theirs.resize(end);
  }
  throw std::invalid_argument("plumbline: cache(\"" + folder + "\") belongs to another pipeline: " + theirs +
                              (theirs == pipeline ? ", with other functions, parameters, elements or sources" : "") +
                              ". This one is " + pipeline +
                              "; delete the folder, or give each pipeline a folder of its own");
}

}  // namespace plumbline::detail
