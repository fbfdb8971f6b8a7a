#include "text/question.hpp"

namespace text {

namespace {
template <class P> delivered drained(P p, std::size_t threads) {
  delivered d;
  for (const auto& batch : pl::run(std::move(p), {.threads = threads})) count(d, batch.data(), batch.size());
  return d;
}
/// Hands out sequences from memory, which are copied.
auto from_memory(const std::vector<ids>& from) {
  return pl::generate(from.size(), [&from](std::uint64_t i) { return from[static_cast<std::size_t>(i)]; });
}
}  // namespace

delivered by_plumbline(const pl::file_list& files, std::shared_ptr<const vocabulary> known, std::size_t threads) {
  const auto to_ids = [known](const std::string& line) {
    ids out;
    words_to_ids(line, *known, out);
    return out;
  };
  return drained(pl::lines(files) | pl::map(to_ids) | pl::filter([](const ids& x) { return !x.empty(); }) |
                     pl::bucket_by_length(buckets, pl::pad(-1)),
                 threads);
}
delivered padded_by_plumbline(const std::vector<ids>& from) {
  return drained(from_memory(from) | pl::padded_batch(64, pl::pad(-1)), 0);
}
delivered bucketed_by_plumbline(const std::vector<ids>& from) {
  return drained(from_memory(from) | pl::bucket_by_length(buckets, pl::pad(-1)), 0);
}

}  // namespace text
