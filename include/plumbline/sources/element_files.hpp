#pragma once
/// element_files: elements on disk by index, in a folder of files that are complete or absent. Private to
/// cache(folder).
///
/// A file is written under a temporary name that its writer has locked, and gets its name after fsync, so no reader
/// takes a half-written one for a whole one; what a killed process left behind is removed by the next that opens the
/// folder. The folder's file `pipeline` states what its elements belong to. Any number of processes may use a folder at
/// once: each writes files of its own and looks for the others' about once a second. Two that make the same element at
/// the same time may both keep it.
///
///   header    "plumbln1", identity of the pipeline
///   elements  their bytes, one after another
///   table     for each element: index, offset, size, CRC-32C
///   footer    offset of the table, number of elements, 1 + number of elements in the epoch (0: not known), CRC-32C of
///             header, table and footer, "plumbend"

#include <plumbline/core/compiled.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plumbline::detail {

class element_files {
 public:
  /// Makes the folder if it does not exist. Throws std::invalid_argument if it belongs to another pipeline, io_error if
  /// it cannot be used or a file in it is damaged.
  element_files(std::string folder, std::uint64_t identity, std::string pipeline);
  element_files(const element_files&) = delete;
  ~element_files();

  /// Reads element i into `to`; false if it is not kept. Throws io_error if it is damaged.
  bool find(std::uint64_t i, std::vector<std::uint8_t>& to);
  bool has(std::uint64_t i) const;
  /// Keeps an element that is not kept yet. Throws io_error if it cannot be written; what the current file held is then
  /// no longer kept.
  void keep(std::uint64_t i, std::span<const std::uint8_t> bytes);
  /// How many elements the epoch has, if a whole one is kept, under the indices 0, 1, ...
  std::optional<std::uint64_t> whole();
  /// An epoch has ended after `n` elements, which are all kept.
  void finish_epoch(std::uint64_t n);

 private:
  class file;
  struct place {
    const file* in = nullptr;
    std::uint64_t offset = 0, size = 0;
    std::uint32_t crc = 0;
  };
  void claim() const;
  void clean() const;
  /// Reads the tables of files that others have finished, if it is time to look.
  void look();
  void load(const std::string& name);
  void begin_file();
  void flush();
  /// Gives up the file that is being written.
  void abandon(bool remove);
  void leave_to_parent();
  void finish(std::unique_lock<std::shared_mutex>& lock, std::uint64_t epoch_has);
  std::string publish(file& done) const;
  void finish_if_due();

  std::string folder_, pipeline_;
  std::uint64_t identity_;
  mutable std::shared_mutex mutex_;  ///< guards what follows
  std::unordered_map<std::uint64_t, place> places_;
  std::vector<std::unique_ptr<file>> files_;  ///< all that were opened, as a find() may be reading from any
  std::set<std::string> names_;               ///< of complete files that are known
  std::optional<std::uint64_t> whole_;
  file* writing_ = nullptr;
  std::vector<std::uint8_t> unwritten_;  ///< the end of the file that is being written
  std::vector<std::uint64_t> table_;     ///< of that file
  std::uint64_t written_ = 0, kept_bytes_ = 0;
  std::int64_t writer_ = 0;            ///< the process that writes it
  std::atomic<std::int64_t> look_{0};  ///< when to look for files of others, in ns of the steady clock
  std::atomic<std::int64_t> due_{0};   ///< when to finish the file that is being written; 0: there is none
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/element_files_inl.hpp>
#endif
