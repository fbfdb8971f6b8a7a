#include <algorithm>
#include <fstream>

#include "text/question.hpp"

namespace text {

namespace {
/// A tensor of the sequences, padded with -1.
pl::tensor<std::int32_t> padded(const std::vector<ids>& rows) {
  std::size_t longest = 0;
  for (const auto& r : rows) longest = std::max(longest, r.size());
  auto out = pl::tensor<std::int32_t>::uninitialized({rows.size(), longest});
  auto* to = out.data();
  for (const auto& r : rows) {
    std::fill(std::copy(r.begin(), r.end(), to), to + longest, -1);
    to += longest;
  }
  return out;
}
class bucketing {
 public:
  void put(ids x) {
    const auto b = static_cast<std::size_t>(
        std::upper_bound(buckets.boundaries.begin(), buckets.boundaries.end(), x.size()) - buckets.boundaries.begin());
    open_[b].push_back(std::move(x));
    if (open_[b].size() == buckets.batch_sizes[b]) pass(open_[b]);
  }
  delivered finish() {
    for (auto& rows : open_)
      if (!rows.empty()) pass(rows);
    return done_;
  }

 private:
  void pass(std::vector<ids>& rows) {
    const auto batch = padded(rows);
    count(done_, batch.data(), batch.size());
    rows.clear();
  }
  std::vector<std::vector<ids>> open_ = std::vector<std::vector<ids>>(buckets.batch_sizes.size());
  delivered done_;
};
}  // namespace

delivered by_hand(const pl::file_list& files, const vocabulary& known) {
  bucketing all;
  std::string line;
  for (const auto& f : files) {
    std::ifstream in(f.path, std::ios::binary);
    while (std::getline(in, line)) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      ids x;
      words_to_ids(line, known, x);
      if (!x.empty()) all.put(std::move(x));
    }
  }
  return all.finish();
}
delivered padded_by_hand(const std::vector<ids>& from) {
  delivered d;
  std::vector<ids> rows;
  const auto pass = [&] {
    const auto batch = padded(rows);
    count(d, batch.data(), batch.size());
    rows.clear();
  };
  for (const auto& x : from) {
    rows.push_back(x);
    if (rows.size() == 64) pass();
  }
  if (!rows.empty()) pass();
  return d;
}
delivered bucketed_by_hand(const std::vector<ids>& from) {
  bucketing all;
  for (const auto& x : from) all.put(x);
  return all.finish();
}

}  // namespace text
