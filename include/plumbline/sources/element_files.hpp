#pragma once
/// element_files: elements on disk by index, in a folder of files that are complete or absent. Private to cache(path).
///
/// A file is written under a temporary name that its writer has locked, and gets its name after fsync, so no reader
/// takes a half-written one for a whole one; what a killed process left behind is removed by the next that opens the
/// folder. Any number of processes may use a folder at once: each writes files of its own and sees the others' when
/// they are complete. Two that make the same element at the same time may both keep it.
///
///   header    "plumbln1", identity of the pipeline, length of its description, description
///   elements  their bytes, one after another
///   table     for each element: index, offset, size, CRC-32C
///   footer    offset of the table, number of elements, number of elements in the epoch, CRC-32C of header, table and
///             footer, "plumbend"

#include <plumbline/core/compiled.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plumbline::detail {

class element_files {
 public:
  /// Makes the folder if it does not exist. Throws std::invalid_argument if it holds elements of another pipeline,
  /// io_error if a file cannot be read or is damaged.
  element_files(std::string folder, std::uint64_t identity, std::string pipeline);
  element_files(const element_files&) = delete;
  ~element_files();

  /// Reads element i into `to`; false if it is not kept. Throws io_error if it is damaged.
  bool find(std::uint64_t i, std::vector<std::uint8_t>& to) const;
  bool has(std::uint64_t i) const;
  /// Keeps an element that is not kept yet.
  void keep(std::uint64_t i, std::span<const std::uint8_t> bytes);
  /// Gives what was kept its name, once it is on the disk.
  void finish();
  /// How many elements the epoch has, if a whole one was kept.
  std::optional<std::uint64_t> whole() const;
  /// An epoch has ended after `n` elements, which are all kept.
  void finish_epoch(std::uint64_t n);

 private:
  class file;
  struct place {
    const file* in = nullptr;
    std::uint64_t offset = 0, size = 0;
    std::uint32_t crc = 0;
  };
  void clean() const;
  void load_new() const;
  void load(const std::string& name) const;
  void begin_file();
  void flush();
  void finish_locked(std::uint64_t epoch_has);
  const place* known(std::uint64_t i) const;
  std::string header() const;

  std::string folder_, pipeline_;
  std::uint64_t identity_;
  mutable std::shared_mutex mutex_;
  mutable std::unordered_map<std::uint64_t, place> places_;
  mutable std::map<std::string, std::unique_ptr<file>> files_;  ///< by name; complete ones
  mutable std::optional<std::uint64_t> whole_;
  mutable std::atomic<std::int64_t> next_look_{0};  ///< when to look for new files of other processes, in ns
  std::unique_ptr<file> writing_;
  std::vector<std::uint8_t> unwritten_;  ///< the end of the file that is being written
  std::vector<std::uint64_t> table_;     ///< of that file
  std::uint64_t written_ = 0;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/element_files_inl.hpp>
#endif
