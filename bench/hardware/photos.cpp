// Photos to batches, for the hardware map and for each operator alone.
//   hardware_photos map|decode|resize|flip|normalise|planar|batch FOLDER [THREADS]
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

constexpr std::array mean{0.485F, 0.456F, 0.406F}, deviation{0.229F, 0.224F, 0.225F};
constexpr std::size_t width = 8;

auto pipeline(const std::string& folder) {
  return pl::files(folder + "/**/*.{jpg,jpeg}", {.ignore_case = true})  //
         | pl::shuffle(2026)                                            //
         | pl::read_file()                                              //
         | pl::map(pl::decode()).named("decode")                        //
         | pl::map(pl::resize<224, 224>()).named("resize")              //
         | pl::map(pl::random_flip()).named("flip")                     //
         | pl::map(pl::normalize(mean, deviation)).named("normalise")   //
         | pl::map(pl::to_planar()).named("planar")                     //
         | pl::batch<width>();
}

double mapped(const std::string& folder, std::size_t threads) {
  double sum = 0;
  for (auto& batch : pl::run<pl::tracing::symbols>(pipeline(folder), {.threads = threads}))
    sum += static_cast<double>(batch.data()[0]);
  return sum;
}

double one(std::string_view name, const std::string& folder) {
  const auto decode = [f = pl::decode()](pl::file_contents&& x, std::size_t) { return f(x); };
  const auto resize = [f = pl::resize<224, 224>()](auto&& x, std::size_t) { return f(std::move(x)); };
  const auto flip = [f = pl::random_flip()](auto&& x, std::size_t i) {
    pl::rng random(i);
    return f(std::move(x), random);
  };
  const auto normalise = [f = pl::normalize(mean, deviation)](auto&& x, std::size_t) { return f(std::move(x)); };
  const auto planar = [f = pl::to_planar()](auto&& x, std::size_t) { return f(std::move(x)); };
  const auto check = [](const auto& made) { return static_cast<double>(made.size()); };

  auto read = pl::evaluate(pl::files(folder + "/**/*.{jpg,jpeg}", {.ignore_case = true}) | pl::read_file());
  if (name == "decode") return check(each_alone(read, decode));
  auto decoded = each(read, decode);
  if (name == "resize") return check(each_alone(decoded, resize));
  auto resized = each(decoded, resize);
  if (name == "flip") return check(each_alone(resized, flip));
  auto flipped = each(resized, flip);
  if (name == "normalise") return check(each_alone(flipped, normalise));
  auto normal = each(flipped, normalise);
  if (name == "planar") return check(each_alone(normal, planar));
  auto planes = each(normal, planar);
  if (name != "batch") throw std::invalid_argument("no such operator");
  double sum = 0;
  alone([&] {
    using element = std::remove_cvref_t<decltype(planes[0])>;
    for (std::size_t i = 0; i < planes.size(); i += width) {
      pl::collator<element> batch(width);
      std::size_t n = 0;
      for (; n != width && i + n != planes.size(); ++n) batch.put(n, std::move(planes[i + n]));
      sum += static_cast<double>(std::move(batch).finish(n).data()[0]);
    }
  });
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  return hardware::program(argc, argv, "hardware_photos map|OPERATOR FOLDER [THREADS]", mapped, one);
}
