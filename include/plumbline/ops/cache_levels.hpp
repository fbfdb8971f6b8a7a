#pragma once
/// A cache of two levels, as plans make it that keep elements on disk (tune/on_disk.hpp): one share of the
/// elements in memory, another in files of a folder. An element that an earlier run kept in the folder is read from
/// there, whichever share it belongs to now; one of memory's share then moves up. Elements that cannot be stored
/// (data/codec.hpp) are kept in memory only.

#include <plumbline/core/cache_levels.hpp>
#include <plumbline/ops/cache_on_disk.hpp>
#include <plumbline/ops/cache_share.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace plumbline::detail {

/// An element of a memory_store, or one that was read.
template <class T> class found_in_levels {
 public:
  found_in_levels() = default;
  explicit found_in_levels(const T* kept) : kept_(kept) {}
  explicit found_in_levels(T&& read) : read_(std::move(read)) {}
  explicit operator bool() const { return kept_ != nullptr || read_.has_value(); }
  const T& operator*() const& { return kept_ != nullptr ? *kept_ : *read_; }
  T operator*() && { return kept_ != nullptr ? *kept_ : *std::move(read_); }

 private:
  const T* kept_ = nullptr;
  std::optional<T> read_{};
};

template <class T> class level_store {
 public:
  /// `files`: null if nothing is kept there.
  level_store(std::uint64_t size, share in_memory, std::unique_ptr<share_on_disk<T>> files)
      : memory_(size), in_memory_(in_memory), files_(std::move(files)) {}

  found_in_levels<T> find(std::uint64_t i) const {
    if (const T* kept = memory_.find(i)) return found_in_levels<T>(kept);
    if (!files_) return {};
    auto read = files_->find(i);
    if (!read) return {};
    if (in_memory_.holds(i)) memory_.keep(i, *read);
    return found_in_levels<T>(*std::move(read));
  }
  bool has(std::uint64_t i) const { return memory_.find(i) != nullptr || (files_ && files_->has(i)); }
  void keep(std::uint64_t i, const T& x) {
    if (in_memory_.holds(i))
      memory_.keep(i, x);
    else if (files_)
      files_->keep(i, x);
  }

 private:
  mutable memory_store<T> memory_;  // whose calls may be made from many threads
  const share in_memory_;
  std::unique_ptr<share_on_disk<T>> files_;
};

struct level_cache_op : cache_op {
  static constexpr bool keeps_part = true, persists = true;
  share of;       ///< in memory
  share on_disk;  ///< in the folder
  std::string folder;
  std::uint64_t most = 0;  ///< bytes that the folder's files may have
  std::uint64_t version = 0;

  static constexpr stream_facts rule(stream_facts in) { return in; }
  std::string label() const { return "cache(" + to_string(of) + "; " + folder + ", " + to_string(on_disk) + ")"; }

  template <class In> using store = level_store<In>;
  template <class In> auto open_store(std::uint64_t size, const replay_context& cx) const {
    std::unique_ptr<share_on_disk<In>> files;
    if (on_disk.size() > 0)
      files = std::make_unique<share_on_disk<In>>(
          std::make_shared<element_files>(folder, hash_combine(cx.upstream, version), cx.upstream_text, most,
                                          cx.upstream_files),
          on_disk);
    return std::make_shared<store<In>>(size, of, std::move(files));
  }
};

}  // namespace plumbline::detail

namespace plumbline {

template <class P> struct level_keeper {
  static constexpr bool stores = storable<typename P::element> && detail::comparable_content<P>;
  static auto keeping(const cache_levels& of) {
    if constexpr (stores)
      return detail::level_cache_op{{}, of.memory, of.disk, of.folder, of.most, of.version};
    else
      return share_cache_op{{}, of.memory};
  }
};

}  // namespace plumbline
