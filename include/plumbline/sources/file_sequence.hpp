#pragma once
/// Files of records, read one after another. Private to the sources of record formats.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plumbline/sources/file_list.hpp>
#include <plumbline/sources/open_file.hpp>

namespace plumbline::detail {

/// `Reader(path, options)` reads one file: `bool next(element&)`. After it throws, the next call continues with the
/// file's next record if the reader finds it, otherwise with the next file.
template <class Reader> class file_sequence {
 public:
  using element = typename Reader::element;
  using options_type = typename Reader::options_type;

  file_sequence(file_list files, options_type options)
      : files_(std::move(files)),
        options_(options),
        first_(std::make_shared<std::vector<std::atomic<std::uint64_t>>>(static_cast<std::size_t>(files_.size()))) {
    for (auto& f : *first_) f.store(unknown, std::memory_order_relaxed);
  }

  const file_list& files() const { return files_; }
  const options_type& options() const { return options_; }

  class cursor {
   public:
    explicit cursor(const file_sequence& s) : of_(s) {}
    bool next(element& out) {
      for (;;) {
        if (!reader_) {
          if (file_ == of_.files_.size()) return false;
          ++file_;  // a file that cannot be opened is skipped by the next call
          first_ = given_;
          begin();
        }
        if (reader_->next(out)) {
          ++given_;
          return true;
        }
        reader_.reset();
      }
    }
    template <class Io> void state(Io& io) {
      bool open = reader_.has_value();
      io(open, file_, first_, given_);
      if constexpr (Io::loads) {
        reader_.reset();
        if (open) begin();
      }
      if (open) io(*reader_);
    }

   private:
    /// Opens the file before `file_`. The system reads the next one meanwhile: it is asked before this one is opened,
    /// which may wait for all of it, so that the storage always has something to do; but not before the first is read.
    void begin() {
      const auto i = file_ - 1;
      (*of_.first_)[static_cast<std::size_t>(i)].store(first_, std::memory_order_relaxed);
      const bool asked = std::exchange(asked_, file_) == i && i != 0;
      const auto ask = [&] {
        if (file_ != of_.files_.size()) open_file::will_read_next(of_.files_[file_].path);
      };
      if (asked) ask();
      reader_.emplace(of_.files_[i].path, of_.options_);
      if (!asked) ask();
    }
    file_sequence of_;
    std::optional<Reader> reader_;
    std::uint64_t file_ = 0, first_ = 0, given_ = 0;  // `first_`: index of the file's first element
    std::uint64_t asked_ = 0;                         // the file that the system was asked to read; 0: none
  };

  /// The file that element `i` comes from, and its index there, from 0; known once a reader has come that far.
  /// O(files).
  std::optional<std::pair<std::string, std::uint64_t>> locate(std::uint64_t i) const {
    std::optional<std::pair<std::string, std::uint64_t>> found;
    for (std::uint64_t f = 0; f < files_.size(); ++f) {
      const std::uint64_t first = (*first_)[static_cast<std::size_t>(f)].load(std::memory_order_relaxed);
      if (first <= i) found.emplace(files_[f].path, i - first);  // what was read before a state was loaded is unknown
    }
    return found;
  }

 private:
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  file_list files_;
  options_type options_;
  std::shared_ptr<std::vector<std::atomic<std::uint64_t>>> first_;  // by file: the index of its first element
};

}  // namespace plumbline::detail
