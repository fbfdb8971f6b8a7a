// Lines of text to padded batches of word ids, for the hardware map and for each operator alone.
//   hardware_text map|lines|lower|ids|pad FILE [THREADS]
#include <hardware/alone.hpp>

#include <plumbline/plumbline.hpp>
#include <plumbline/symbols.hpp>

#include <stdexcept>
#include <string_view>

namespace pl = plumbline;
using hardware::alone;
using hardware::each;
using hardware::each_alone;

namespace {

constexpr std::size_t width = 32;
using ids = std::vector<std::int32_t>;

std::string lower(const std::string& line) {
  std::string out = line;
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}
/// The words' hashes, modulo a vocabulary's size.
ids ids_of(const std::string& line) {
  ids out;
  for (std::size_t i = 0, end = 0; i < line.size(); i = end + 1) {
    end = std::min(line.find(' ', i), line.size());
    if (end != i) out.push_back(static_cast<std::int32_t>(std::hash<std::string>()(line.substr(i, end - i)) % 30000));
  }
  return out;
}
bool has_words(const ids& x) { return !x.empty(); }

double mapped(const std::string& file, std::size_t threads) {
  const auto p = pl::lines(file)                  //
                 | pl::map(lower).named("lower")  //
                 | pl::map(ids_of).named("ids")   //
                 | pl::filter(has_words)          //
                 | pl::group<width>()             //
                 | pl::map(pl::collate_padded(pl::pad(-1))).named("pad");
  // as under callgrind elements are slow, messages would be smaller than in other runs if their size were not stated
  double sum = 0;
  for (auto& batch : pl::run<pl::tracing::symbols>(p, {.threads = threads, .chunk = 64})) sum += batch.data()[0];
  return sum;
}

double one(std::string_view name, const std::string& file) {
  const auto check = [](const auto& made) { return static_cast<double>(made.size()); };
  if (name == "lines") {
    std::vector<std::string> all(std::size_t{1} << 17);
    std::size_t n = 0;
    const auto source = pl::lines(file).op;
    alone([&] {
      auto reader = source.open(0);
      for (std::string x; reader.next(x); x = {}) all[n++ % all.size()] = std::move(x);
    });
    return static_cast<double>(n);
  }
  auto read = pl::evaluate(pl::lines(file));
  const auto lowered_by = [](std::string&& x, std::size_t) { return lower(x); };
  const auto ids_by = [](std::string&& x, std::size_t) { return ids_of(x); };
  if (name == "lower") return check(each_alone(read, lowered_by));
  auto lowered = each(read, lowered_by);
  if (name == "ids") return check(each_alone(lowered, ids_by));
  auto words = each(lowered, ids_by);
  std::erase_if(words, [](const ids& x) { return x.empty(); });
  if (name != "pad") throw std::invalid_argument("no such operator");
  double sum = 0;
  alone([&] {  // in groups, which the operator before it makes in the pipeline
    const auto pad = pl::collate_padded(pl::pad(-1));
    for (std::size_t i = 0; i < words.size(); i += width) {
      std::vector<ids> group;
      group.reserve(width);
      for (auto k = i; k != std::min(words.size(), i + width); ++k) group.push_back(std::move(words[k]));
      sum += pad(std::move(group)).data()[0];
    }
  });
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  return hardware::program(argc, argv, "hardware_text map|OPERATOR FILE [THREADS]", mapped, one);
}
