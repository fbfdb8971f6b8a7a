#pragma once
/// element_files: elements on disk by index, in a folder of files that are complete or absent (element_file.hpp).
/// Private to cache(folder). The folder's file `pipeline` states what its elements belong to. Any number of processes
/// may use a folder at once: each writes files of its own and looks for the others' about once a second. Two that make
/// the same element at the same time may both keep it. Called from many threads at once.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/listed_files.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plumbline::detail {

class element_files {
 public:
  /// Makes the folder if it does not exist. Throws std::invalid_argument if it belongs to another pipeline, io_error if
  /// it cannot be used or a file in it is damaged. `most`: keeps nothing more once the files have so many bytes; those
  /// that other processes have not finished do not count. `from`: for the message if it was filled from other files.
  element_files(const std::string& folder, std::uint64_t identity, const std::string& pipeline,
                std::uint64_t most = ~std::uint64_t{0}, const listed_files& from = {});
  element_files(const element_files&) = delete;
  ~element_files();

  /// Reads element i into `to`; false if it is not kept. Throws io_error if it is damaged.
  bool find(std::uint64_t i, std::vector<std::uint8_t>& to);
  bool has(std::uint64_t i) const;
  /// Keeps an element that is not kept yet, if it fits. Throws io_error if it cannot be written; the current file is
  /// then removed, and what it held no longer kept.
  void keep(std::uint64_t i, std::span<const std::uint8_t> bytes);
  /// How many elements the epoch has, if a whole one is kept, under the indices 0, 1, ...
  std::optional<std::uint64_t> whole();
  /// An epoch has ended after `n` elements, which are all kept.
  void finish_epoch(std::uint64_t n);

 private:
  struct folder_state;
  std::unique_ptr<folder_state> self_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/element_files_inl.hpp>
#endif
