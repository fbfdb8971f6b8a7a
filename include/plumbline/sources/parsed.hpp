#pragma once
/// The elements of a file that is in memory, as a range for flat_map. Private to parse_tfrecords and parse_lines.
/// Memory: the file, and its elements, as flat_map passes on those of a range together.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include <plumbline/data/content_hash.hpp>
#include <plumbline/sources/file_contents.hpp>

namespace plumbline::detail {

/// Walked once, while `Reader` reads; each element is moved out. An error ends the walk; begin() then goes on with the
/// next element, if the reader can find it.
template <class Reader> class parsed {
 public:
  parsed(file_contents file, typename Reader::options_type how)
      : reader_(std::make_shared<const file_contents>(std::move(file)), how) {}

  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = typename Reader::element;

    explicit iterator(parsed& of) : of_(&of) { ++*this; }
    value_type&& operator*() const { return std::move(of_->now_); }
    iterator& operator++() {
      of_->more_ = false;  // if the reader throws
      of_->more_ = of_->reader_.next(of_->now_);
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !of_->more_; }

   private:
    parsed* of_;
  };
  iterator begin() { return iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  Reader reader_;
  typename Reader::element now_{};
  bool more_ = false;
};

/// A function from a file's contents to its elements.
template <class Reader> struct parser {
  typename Reader::options_type how{};
  parsed<Reader> operator()(file_contents f) const { return {std::move(f), how}; }
  std::uint64_t content() const { return content_hash(how.parameters()); }
};

}  // namespace plumbline::detail
