#pragma once
/// cache(folder): keeps the elements in files, for the epochs and runs that follow, of this process and others. The
/// rules are those of cache(); elements must be `storable` (data/codec.hpp). What was made is kept even if an epoch is
/// left early or the process is killed, but for the file that was being written. Every element has a checksum.
///   files("*.jpg") | read_file() | map(decode()) | map(resize<224, 224>()) | cache("/fast/resized") | shuffle(1)
/// The folder belongs to one pipeline: its operators, their parameters, the types and plain members of its functions,
/// its elements' types, its sources' files with their sizes. Any other is refused; where elements are made by index,
/// what only changes indices (shard, shuffle, take) may differ. What a function does, what a lambda captures, private
/// members, pointers to functions and what from_range walks cannot be seen, and two lambdas of one function may look
/// alike: change `version` when that changes.
/// Several processes may use one folder at once; in /dev/shm it is shared memory. A file is finished after 30 s, or
/// with 256 MiB (with a 64th of the folder, if that is more). The umask says who else may read it. Memory: about 80
/// bytes for each element that is kept.
///
/// cache(folder, bytes(n)): keeps nothing more once the files have n bytes; the elements that did not fit are made
/// again in each epoch, by the rules of cache(bytes(n)). Processes that fill a folder at once may exceed n by the files
/// that they have not finished.
///   files("*.jpg") | shuffle(1) | read_file() | cache("/fast/photos", bytes(100_GiB)) | map(decode())
///
/// cache(folder, share(from, to)): writes a share of the elements, those of cache(share(from, to)), and reads any that
/// the folder has. The others are made again in each epoch.
/// tf.data: cache(filename), PyTorch: -, grain: -, mlx-data: -

#include <plumbline/core/bytes.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/core/share.hpp>
#include <plumbline/ops/stored_cache.hpp>
#include <plumbline/sources/element_files.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {

/// Elements by index, in files.
template <class T> class disk_store {
 public:
  explicit disk_store(std::shared_ptr<element_files> files) : files_(std::move(files)) {}

  std::optional<T> find(std::uint64_t i) const {
    auto& bytes = buffer();
    const release_large after{bytes};
    if (!files_->find(i, bytes)) return std::nullopt;
    byte_reader from(bytes.data(), bytes.size());
    return decoded<T>(from);
  }
  bool has(std::uint64_t i) const { return files_->has(i); }
  void keep(std::uint64_t i, const T& x) {
    auto& bytes = buffer();
    const release_large after{bytes};
    bytes.clear();
    byte_writer to(bytes);
    codec<T>::encode(x, to);
    files_->keep(i, bytes);
  }

 private:
  static std::vector<std::uint8_t>& buffer() {
    static thread_local std::vector<std::uint8_t> bytes;
    return bytes;
  }
  std::shared_ptr<element_files> files_;
};

/// The same for a share of the elements. Others that an earlier run kept are found, too.
template <class T> class share_on_disk {
 public:
  share_on_disk(std::shared_ptr<element_files> files, share of) : files_(std::move(files)), of_(of) {}
  std::optional<T> find(std::uint64_t i) const { return files_.find(i); }
  bool has(std::uint64_t i) const { return files_.has(i); }
  void keep(std::uint64_t i, const T& x) {
    if (of_.holds(i)) files_.keep(i, x);
  }

 private:
  disk_store<T> files_;
  const share of_;
};

/// The version of what is stored of a sequence. In folders of version 1, which are refused, elements may lack their
/// place.
inline constexpr std::uint64_t sequence_format = 2;

/// Writes the place of an element, and the epoch that made it.
void encode_place(const lineage& at, std::uint64_t epoch, byte_writer& to);
std::pair<lineage, std::uint64_t> decode_place(byte_reader& from);

/// The elements of an epoch by position, in files. Their sources are numbered from the first one of the stream that is
/// kept, as another pipeline may have other sources before it.
template <class T> class sequence_on_disk {
 public:
  sequence_on_disk(std::shared_ptr<element_files> files, const replay_context& cx)
      : files_(std::move(files)), first_source_(cx.first_source), sources_(cx.rounds->size() - cx.first_source) {}
  std::optional<std::uint64_t> whole() { return files_->whole(); }
  static lineage place(std::uint64_t) { return {}; }
  void begin() {}
  void keep(std::uint64_t i, const T& x, lineage at, std::uint64_t epoch) {
    if (files_->has(i)) return;
    at.source_index -= first_source_;
    bytes_.clear();
    byte_writer to(bytes_);
    encode_place(at, epoch, to);
    codec<T>::encode(x, to);
    files_->keep(i, bytes_);
  }
  void finish(std::uint64_t n) { files_->finish_epoch(n); }
  kept_element<T> read(std::uint64_t i) {
    if (!files_->find(i, bytes_))
      throw std::runtime_error("element " + std::to_string(i) + " of a complete epoch is missing");
    byte_reader from(bytes_.data(), bytes_.size());
    auto [at, epoch] = decode_place(from);
    if (at.source_index >= sources_)
      throw std::runtime_error("element " + std::to_string(i) + " is from a source that the pipeline does not have");
    at.source_index += first_source_;
    return {decoded<T>(from), at, epoch};
  }

 private:
  std::shared_ptr<element_files> files_;
  std::uint32_t first_source_;
  std::size_t sources_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace detail

struct cache_on_disk_op : stored_cache_op {
  std::string folder;
  std::uint64_t most = ~std::uint64_t{0};

  /// How explain() shows the operator.
  std::string label() const { return "cache(" + folder + ")"; }

  template <class In> using store = detail::disk_store<In>;
  template <class In> auto open_store(std::uint64_t, const replay_context& cx) const {
    return std::make_shared<store<In>>(open(cx));
  }
  template <class Up> struct cursor : detail::replaying_cursor<Up, detail::sequence_on_disk<typename Up::element>> {
    cursor(const cache_on_disk_op& op, const replay_context& cx, Up up)
        : cursor::replaying_cursor(name, cx, {op.open(cx, detail::sequence_format), cx}, std::move(up)) {}
  };

 protected:
  /// `format`: of what is stored, if it is more than the elements. A folder of another format is refused.
  std::shared_ptr<detail::element_files> open(const replay_context& cx, std::uint64_t format = 0) const;
};

/// The rules of those that keep a part.
struct some_on_disk_op : cache_on_disk_op {
  static constexpr bool keeps_part = true;
  template <class Up> static constexpr bool accepts = stored_part_cache_op::accepts<Up>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    stored_part_cache_op::explain<Up, ok>();
  }
  static constexpr stream_facts rule(stream_facts in) { return stored_part_cache_op::rule(in); }
};
struct part_cache_on_disk_op : some_on_disk_op {
  std::string label() const { return "cache(" + folder + ", " + to_string(bytes(most)) + ")"; }
};
struct share_cache_on_disk_op : some_on_disk_op {
  share of;
  std::string label() const { return "cache(" + folder + ", " + to_string(of) + ")"; }
  template <class In> using store = detail::share_on_disk<In>;
  template <class In> auto open_store(std::uint64_t, const replay_context& cx) const {
    return std::make_shared<store<In>>(open(cx), of);
  }
};

inline auto cache(std::string folder, cache_options how = {}) {
  return cache_on_disk_op{{{}, how.version}, std::move(folder)};
}
inline auto cache(std::string folder, bytes most, cache_options how = {}) {
  return part_cache_on_disk_op{{{{{}, how.version}, std::move(folder), most.count}}};
}
inline auto cache(std::string folder, share of, cache_options how = {}) {
  return share_cache_on_disk_op{{{{{}, how.version}, std::move(folder)}}, of};
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/ops/cache_on_disk_inl.hpp>
#endif
