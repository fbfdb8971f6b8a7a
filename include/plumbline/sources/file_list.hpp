#pragma once
/// An ordered, unchanging list of files with their sizes: what files(), lines() and tfrecords() take. Copies share it.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plumbline/core/compiled.hpp>
#include <plumbline/sources/file.hpp>
#include <plumbline/sources/file_options.hpp>
#include <plumbline/sources/io_error.hpp>

namespace plumbline {

/// Made from
///   - the path of a file: that file, whatever characters its name holds;
///   - the path of a folder: every regular file beneath it, at any depth, names that begin with '.' left out;
///   - a pattern (glob.hpp): every regular file that matches;
///   - a list of these: the files of each, in the order of the list.
/// The files of one path or pattern are ordered bytewise by path, so the order is the same on any machine, and listed
/// once, here. Symbolic links are followed, as by `find -L`: a file is listed once for each path that leads to it, and
/// a folder is not entered again from inside itself. Throws io_error if nothing matches (the message says what was
/// searched), a folder cannot be listed, or a match is a symbolic link to nothing. Cost: one readdir per folder and one
/// stat per file.
class file_list {
 public:
  file_list(std::string_view pattern, file_options options = {});  // NOLINT: implicit
  file_list(const std::string& pattern, file_options options = {})
      : file_list(std::string_view(pattern), options) {}      // NOLINT
  file_list(const char* pattern, file_options options = {});  // NOLINT
  file_list(const std::vector<std::string>& patterns, file_options options = {});
  file_list(std::initializer_list<const char*> patterns, file_options options = {});
  file_list(file one);                  // NOLINT
  file_list(std::vector<file> listed);  // NOLINT

  std::uint64_t size() const { return files_->size(); }
  /// `i` must be below size().
  const file& operator[](std::uint64_t i) const { return (*files_)[static_cast<std::size_t>(i)]; }
  auto begin() const { return files_->begin(); }
  auto end() const { return files_->end(); }
  /// The total size of all files when they were listed.
  std::uint64_t bytes() const { return bytes_; }
  /// "40 files, 12345 bytes".
  std::string summary() const;
  /// A hash of their paths and sizes.
  std::uint64_t content() const;
  /// A hash of which files they are now: device, number, size and time of modification. Cost: one stat per file.
  std::uint64_t content_now() const;

 private:
  file_list() = default;
  static file_list share(std::vector<file> files);
  static void append(std::vector<file>& all, std::vector<file> more);

  static std::vector<file> find(std::string_view pattern, file_options options);

  std::shared_ptr<const std::vector<file>> files_;
  std::uint64_t bytes_ = 0;
};

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/file_list_inl.hpp>
#endif
