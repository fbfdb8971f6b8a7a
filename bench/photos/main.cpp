// bench_photos: photographs to training batches, the library compared with threads written by hand.
#if __has_include(<jconfig.h>) && defined(PLUMBLINE_HAS_TURBOJPEG)
#include <jconfig.h>
#endif
#include <cstdlib>
#include <filesystem>

#include "photos/question.hpp"
#include "support/report.hpp"

namespace {

using namespace photos;

struct collection {
  std::string name, folder;
};

/// Measures four contenders alternately, with one decoder on one collection.
void compare(bench::report& report, const std::string& title, const pl::file_list& list, bool stb, std::size_t epochs,
             std::size_t rounds) {
  const auto wanted = static_cast<std::size_t>(list.size()) * epochs;
  const auto contender = [&](const photos::contender& run, std::size_t threads) {
    return [&list, run, threads, epochs, wanted] {
      delivered d;
      const double s = bench::seconds([&] { d = run(list, threads, epochs); });
      if (d.photos != wanted || !(d.looked < 1e18)) throw std::runtime_error("a contender lost photographs");
      return s;
    };
  };
  const auto ours = plumbline_runs(stb), hand = by_hand_runs(stb);
  const auto s =
      bench::in_turns({contender(ours, 1), contender(hand, 1), contender(ours, 2), contender(hand, 2)}, rounds);
  const auto rate = [&](const bench::series& t) {
    return t.as([&](double seconds) { return static_cast<double>(wanted) / seconds; });
  };
  report.table(title, "photos a second", 0,
               {{"plumbline, 1 thread", rate(s[0])},
                {"by hand, 1 thread", rate(s[1])},
                {"plumbline, 2 threads", rate(s[2])},
                {"by hand, 2 threads", rate(s[3])}});
  report.quiet(s);
  const auto against = bench::ratio(s[3], s[2]), own = bench::ratio(s[0], s[2]);
  report.table("ratios of speed, round by round", "times", 3,
               {{"plumbline to by hand, 1 thread", bench::ratio(s[1], s[0])},
                {"plumbline to by hand, 2 threads", against},
                {"plumbline, 2 threads to 1", own},
                {"by hand, 2 threads to 1", bench::ratio(s[1], s[3])}});
  report.at_least("speed relative to by hand, 2 threads, " + title, against.median(), 0.95, 3, &s);
  report.at_least("speed of 2 threads relative to 1, " + title, own.median(), 1.85, 3, &s);
}

int measure(int argc, char** argv) {
  bench::options o;
  CLI::App app("Compares plumbline with threads written by hand: photographs to training batches.");
  bench::add_options(app, o);
  CLI11_PARSE(app, argc, argv);

  bench::report report(
      "photos: files, shuffle, read, decode, random resized crop 224, flip, normalise, planar, batch 32", o);
#ifdef PLUMBLINE_HAS_TURBOJPEG
#ifdef LIBJPEG_TURBO_VERSION
#define PLUMBLINE_BENCH_STRING_OF(x) #x
#define PLUMBLINE_BENCH_STRING(x) PLUMBLINE_BENCH_STRING_OF(x)
  report.note("decoders", "libjpeg-turbo " PLUMBLINE_BENCH_STRING(LIBJPEG_TURBO_VERSION) "; stb_image");
#else
  report.note("decoders", "libjpeg-turbo; stb_image");
#endif
  const std::vector<std::pair<std::string, bool>> decoders{{"libjpeg-turbo", false}, {"stb_image", true}};
#else
  const std::vector<std::pair<std::string, bool>> decoders{{"stb_image", true}};
  report.note("decoders", "stb_image");
#endif
  report.note("by hand", "std::thread, each taking the next photo from an atomic counter; the same functions");
  const char* given = std::getenv("PLUMBLINE_DATA");
  const std::string data = given != nullptr ? given : PLUMBLINE_SOURCE_DIR "/../shared/data";
  const std::vector<collection> collections{{"demo photos", PLUMBLINE_SOURCE_DIR "/examples/data/photos"},
                                            {"photos_clothing", data + "/photos_clothing"},
                                            {"photos_pixabay_classes", data + "/photos_pixabay_classes"}};
  for (const auto& c : collections) {
    if (!std::filesystem::is_directory(c.folder)) {
      report.skipped(c.name, "no folder " + c.folder + "; set PLUMBLINE_DATA to the folder that holds it");
      continue;
    }
    const pl::file_list list(c.folder + "/**/*.{jpg,jpeg}", {.ignore_case = true});
    const std::size_t photos = o.quick ? 300 : 900;  // at least this many per round, as threads idle at the end
    const std::size_t epochs = (photos + list.size() - 1) / list.size();
    report.note(c.name, std::to_string(list.size()) + " photos, " + std::to_string(list.bytes() / list.size() / 1000) +
                            " kB on average, " + std::to_string(epochs) + " epochs per round, from the page cache");
    for (const auto& [decoder, stb] : decoders)
      compare(report, c.name + ", " + decoder, list, stb, epochs, o.rounds_or(7, 3));
  }
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure(argc, argv); });
}
