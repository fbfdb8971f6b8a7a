// bench_text: lines of text to padded batches of word ids, the library compared with loops written by hand.
// bench/text/against_tf_data.py compares it with tf.data.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "support/report.hpp"
#include "text/question.hpp"

namespace {

using namespace text;

/// The ids of the 10,000 most frequent words, as against_tf_data.py makes them: by count, then by the word.
std::shared_ptr<const vocabulary> vocabulary_of(const pl::file_list& files) {
  std::unordered_map<std::string, std::int64_t> counts;
  for (const auto& line : pl::run(pl::lines(files), {.threads = 0}))
    for (std::size_t i = 0, end; i < line.size(); i = end + 1) {
      end = std::min(line.find(' ', i), line.size());
      if (end != i) ++counts[line.substr(i, end - i)];
    }
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [word, n] : counts) order.emplace_back(-n, word);
  std::sort(order.begin(), order.end());
  order.resize(std::min<std::size_t>(order.size(), 10'000));
  auto ids_of = std::make_shared<vocabulary>();
  for (const auto& [n, word] : order) ids_of->emplace(word, static_cast<std::int32_t>(ids_of->size()) + 1);
  return ids_of;
}

/// For against_tf_data.py: seconds of one epoch after another, and what it delivered.
int repeat_epochs(const pl::file_list& files, std::size_t threads, int epochs) {
  const auto known = vocabulary_of(files);
  by_plumbline(files, known, threads);
  for (int i = 0; i != epochs; ++i) {
    delivered d;
    const double s = bench::seconds([&] { d = by_plumbline(files, known, threads); });
    std::cout << s << ' ' << d.batches << ' ' << d.tokens << ' ' << d.sum << '\n';
  }
  return 0;
}

int measure(int argc, char** argv) {
  bench::options o;
  std::vector<std::string> given;
  int epochs = 0;
  std::size_t threads = 2;
  CLI::App app("Compares plumbline with loops written by hand: text to padded batches.");
  bench::add_options(app, o);
  app.add_option("--files", given, "text files; otherwise those of PLUMBLINE_DATA/text, or the documentation");
  app.add_option("--epochs", epochs, "only print the seconds of so many epochs and what they delivered");
  app.add_option("--threads", threads, "with --epochs");
  CLI11_PARSE(app, argc, argv);

  const char* folder = std::getenv("PLUMBLINE_DATA");
  const std::string data = (folder != nullptr ? folder : PLUMBLINE_SOURCE_DIR "/../shared/data") + std::string("/text");
  if (given.empty() && std::filesystem::is_directory(data))
    given = {data + "/tinyshakespeare.txt",
             data + "/wikitext2_test.raw"};  // without a byte order mark, as tf.data keeps it
  if (given.empty()) given = {PLUMBLINE_SOURCE_DIR "/docs/*.md"};
  const pl::file_list files(given);
  if (epochs != 0) return repeat_epochs(files, threads, epochs);

  bench::report report("text: lines, words to ids, no empty lines, buckets by length, padded batches", o);
  report.note("files", std::to_string(files.size()) + ", " + std::to_string(files.bytes() / 1000) + " kB in all");
  const auto known = vocabulary_of(files);
  const auto want = by_hand(files, *known);
  std::vector<ids> all;
  for (const auto& line : pl::run(pl::lines(files), {.threads = 0})) {
    ids x;
    words_to_ids(line, *known, x);
    if (!x.empty()) all.push_back(std::move(x));
  }
  const int times = o.quick ? 3 : 10;
  const auto contender = [&](auto run, delivered wanted) {
    return [run, wanted, times] {
      return bench::seconds([&] {
        for (int i = 0; i != times; ++i)
          if (run() != wanted) throw std::runtime_error("a contender delivered something else");
      });
    };
  };
  const auto s = bench::in_turns({contender([&] { return by_plumbline(files, known, 0); }, want),
                                  contender([&] { return by_plumbline(files, known, 1); }, want),
                                  contender([&] { return by_plumbline(files, known, 2); }, want),
                                  contender([&] { return by_hand(files, *known); }, want)},
                                 o.rounds_or(9, 5));
  const auto rate = [&](const bench::series& t) {
    return t.as([&](double sec) { return 1e-6 * static_cast<double>(want.tokens) * times / sec; });
  };
  report.table("files to batches", "million tokens a second", 2,
               {{"plumbline, in the consumer's thread", rate(s[0])},
                {"plumbline, 1 thread", rate(s[1])},
                {"plumbline, 2 threads", rate(s[2])},
                {"by hand, 1 thread", rate(s[3])}});
  report.quiet(s);
  const auto padded = padded_by_hand(all), bucketed = bucketed_by_hand(all);
  const auto m = bench::in_turns({contender([&] { return padded_by_plumbline(all); }, padded),
                                  contender([&] { return padded_by_hand(all); }, padded),
                                  contender([&] { return bucketed_by_plumbline(all); }, bucketed),
                                  contender([&] { return bucketed_by_hand(all); }, bucketed)},
                                 o.rounds_or(9, 5));
  report.table("sequences in memory to batches, one thread", "million tokens a second", 1,
               {{"padded_batch", rate(m[0])},
                {"padded, by hand", rate(m[1])},
                {"bucket_by_length", rate(m[2])},
                {"in buckets, by hand", rate(m[3])}});
  report.quiet(m);
  report.table("ratios of speed, round by round", "times", 3,
               {{"plumbline to by hand, no threads", bench::ratio(s[3], s[0])},
                {"plumbline to by hand, 1 thread", bench::ratio(s[3], s[1])},
                {"plumbline, 2 threads to 1", bench::ratio(s[1], s[2])},
                {"padded_batch to by hand", bench::ratio(m[1], m[0])},
                {"bucket_by_length to by hand", bench::ratio(m[3], m[2])}});
  report.at_least("padded_batch relative to by hand", bench::ratio(m[1], m[0]).median(), 0.9, 3, &m);
  report.at_least("bucket_by_length relative to by hand", bench::ratio(m[3], m[2]).median(), 0.9, 3, &m);
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure(argc, argv); });
}
