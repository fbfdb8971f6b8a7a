#pragma once
/// Definitions of sources/io_error.hpp.

#include <plumbline/sources/io_error.hpp>

#include <system_error>
#include <utility>

namespace plumbline {

PLUMBLINE_INLINE io_error::io_error(const std::string& message, std::string path, std::uint64_t offset, int code)
    : std::runtime_error(message), path_(std::move(path)), offset_(offset), code_(code) {}

PLUMBLINE_INLINE record_error::record_error(const std::string& message, std::string path, std::uint64_t record,
                                            std::uint64_t offset, bool resumable)
    : std::runtime_error(message), path_(std::move(path)), record_(record), offset_(offset), resumable_(resumable) {}

}  // namespace plumbline

namespace plumbline::detail {

PLUMBLINE_INLINE std::string errno_text(int code) {
  return std::generic_category().message(code) + " (errno " + std::to_string(code) + ")";
}

PLUMBLINE_INLINE std::string_view errno_advice(int code) {
  switch (static_cast<std::errc>(code)) {
    case std::errc::no_such_file_or_directory:
    case std::errc::not_a_directory:
      return "check the path; it is taken relative to the working directory";
    case std::errc::permission_denied:
    case std::errc::operation_not_permitted:
      return "check its permissions and those of the folders above it";
    case std::errc::too_many_files_open:
    case std::errc::too_many_files_open_in_system:
      return "raise the limit (ulimit -n) or read fewer files at once";
    case std::errc::io_error:
      return "the storage reports a fault; check the disk or the mount, then the file";
    case std::errc::not_enough_memory:
      return "read smaller files or fewer at once";
    default:
      return "check the file and the storage that holds it";
  }
}

[[noreturn]] PLUMBLINE_INLINE void throw_errno(std::string_view who, std::string_view verb, const std::string& path,
                                               std::uint64_t offset, int code) {
  std::string m = "plumbline: ";
  m.append(who).append(" cannot ").append(verb).append(" '").append(path).append("'");
  if (offset > 0) m.append(" at byte ").append(std::to_string(offset));
  m.append(": ").append(errno_text(code)).append("; ").append(errno_advice(code));
  throw io_error(m, path, offset, code);
}

}  // namespace plumbline::detail
