#pragma once
/// element_file: one file of elements, which is complete or absent. It is written under a temporary name that its
/// writer has locked, and gets its name after fsync, so no reader takes a half-written one for a whole one. Private to
/// element_files.
///
///   header    "plumbln1", identity of the pipeline
///   elements  their bytes, one after another
///   table     for each element: index, offset, size, CRC-32C
///   footer    offset of the table, number of elements, 1 + number of elements in the epoch (0: not known), CRC-32C of
///             header, table and footer, "plumbend"

#include <plumbline/core/compiled.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::detail {

inline constexpr std::string_view element_file_suffix = ".elements", unfinished_prefix = ".unfinished-";

struct element_file_header {
  std::array<char, 8> begin{'p', 'l', 'u', 'm', 'b', 'l', 'n', '1'};
  std::uint64_t identity = 0;
};
/// Where an element is in its file.
struct element_row {
  std::uint64_t index = 0, offset = 0, size = 0, crc = 0;
};

struct element_file_footer {
  std::uint64_t table = 0, count = 0, epoch = 0, crc = 0;
  std::array<char, 8> end{'p', 'l', 'u', 'm', 'b', 'e', 'n', 'd'};
  friend bool operator==(const element_file_footer&, const element_file_footer&) = default;
};

class element_file {
 public:
  /// Opens a complete file; null if it is gone. Throws io_error if it is damaged.
  static std::unique_ptr<element_file> open(const std::string& path, std::uint64_t identity);
  /// Makes an unfinished file.
  static std::unique_ptr<element_file> create(const std::string& folder, std::uint64_t identity);
  element_file(const element_file&) = delete;
  ~element_file();

  const std::vector<element_row>& rows() const { return rows_; }
  /// How many elements the epoch has, if the file ends one.
  std::optional<std::uint64_t> epoch_size() const { return epoch_size_; }
  /// Bytes so far.
  std::uint64_t size() const { return written_ + unwritten_.size(); }

  /// Copies an element that has not been written yet; false if it has been. Not while append() or close() runs.
  bool copy_unwritten(const element_row& row, std::vector<std::uint8_t>& to) const;
  /// Reads an element that has been written; false if the file is gone, or another has its name. Throws io_error if it
  /// is damaged. From any thread, at any time.
  bool read(const element_row& row, std::vector<std::uint8_t>& to) const;
  element_row append(std::uint64_t index, std::span<const std::uint8_t> bytes);
  /// Writes what is left. `epoch_size`: the file ends an epoch of so many elements.
  void close(std::optional<std::uint64_t> epoch_size);
  /// Gives a closed file its name in the folder, once it is on the disk; returns the name.
  std::string publish(const std::string& folder);
  /// Removes an unfinished file at once, so that its space on the disk is free: after that its elements are gone. A
  /// read() of another thread ends first.
  void remove_unfinished();
  /// Keeps no descriptor of a complete file: each read opens it.
  void open_for_each_read();
  /// Forgets the rows, which the caller has.
  void drop_rows() { std::vector<element_row>().swap(rows_); }  // = {} would keep their memory
  /// True in the process that made it, false in a child of fork().
  bool mine() const;

 private:
  struct descriptor {
    int number;
    explicit descriptor(int fd) : number(fd) {}
    descriptor(const descriptor&) = delete;
    ~descriptor();
  };
  element_file(std::string path, int fd, bool unfinished);
  std::string path() const;
  /// The file, opened if it is not kept open; null if it is gone, or another has its name.
  std::shared_ptr<const descriptor> opened() const;
  void read_raw(int fd, void* to, std::size_t n, std::uint64_t offset) const;
  void flush();
  [[noreturn]] void damaged(std::uint64_t offset, const std::string& why) const;
  std::uint32_t checksum(std::uint64_t table) const;
  void load(std::uint64_t identity);

  mutable std::mutex mutex_{};  ///< guards path_ and file_, as others may be reading
  std::string path_;
  std::shared_ptr<const descriptor> file_;
  std::int64_t writer_ = 0;  ///< the process that writes it; 0: it is complete
  std::uint64_t identity_ = 0, written_ = 0;
  element_file_footer footer_{};  ///< of a complete file
  std::vector<element_row> rows_{};
  std::optional<std::uint64_t> epoch_size_{};
  std::vector<std::uint8_t> unwritten_{};  ///< its end
};

/// Writes a small file under a temporary name and gives it its name after fsync, unless there is one already.
void write_once(const std::string& folder, const std::string& name, std::string_view text);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/element_file_inl.hpp>
#endif
