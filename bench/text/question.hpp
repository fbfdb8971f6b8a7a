#pragma once
/// The question of bench_text: lines of text to padded batches of word ids, by length.

#include <plumbline/plumbline.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace text {

namespace pl = plumbline;

using ids = std::vector<std::int32_t>;
/// A word's id, from 1; the most frequent words of the files. 0: any other word.
using vocabulary = std::unordered_map<std::string, std::int32_t>;

inline const pl::bucket_options buckets{.boundaries = {8, 16, 32, 64}, .batch_sizes = {256, 128, 64, 32, 16}};

/// What a contender delivered: the batches, their tokens without padding, and the sum of the ids.
struct delivered {
  std::uint64_t batches = 0, tokens = 0, sum = 0;
  friend bool operator==(const delivered&, const delivered&) = default;
};
/// Counts what a padded batch holds; ids are positive, padding is -1.
inline void count(delivered& d, const std::int32_t* x, std::size_t n) {
  ++d.batches;
  for (std::size_t i = 0; i != n; ++i)
    if (x[i] >= 0) ++d.tokens, d.sum += static_cast<std::uint64_t>(x[i]);
}
inline void words_to_ids(const std::string& line, const vocabulary& known, ids& out) {
  out.clear();
  std::string word;
  for (std::size_t i = 0, end; i < line.size(); i = end + 1) {
    end = std::min(line.find(' ', i), line.size());
    if (end == i) continue;
    word.assign(line, i, end - i);
    const auto found = known.find(word);
    out.push_back(found == known.end() ? 0 : found->second);
  }
}

/// One epoch: lines, ids, without empty lines, buckets by length, padded batches.
delivered by_plumbline(const pl::file_list& files, std::shared_ptr<const vocabulary> known, std::size_t threads);
delivered by_hand(const pl::file_list& files, const vocabulary& known);

/// The same sequences from memory: padded batches of 64, and buckets.
delivered padded_by_plumbline(const std::vector<ids>& from);
delivered padded_by_hand(const std::vector<ids>& from);
delivered bucketed_by_plumbline(const std::vector<ids>& from);
delivered bucketed_by_hand(const std::vector<ids>& from);

}  // namespace text
