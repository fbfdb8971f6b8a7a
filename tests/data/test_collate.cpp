#include <atomic>
#include <catch2/catch.hpp>
#include <optional>
#include <thread>
#include <vector>

#include <plumbline/data/collate.hpp>
#include <plumbline/data/image.hpp>

namespace pl = plumbline;

namespace {

enum class colour : std::int16_t { red = 3, green = 4 };

struct sample {
  pl::fixed_image<2, 2> picture;
  int label;
  std::string name;
};
struct outer {
  sample inner;
  std::array<float, 3> box;
  bool flag;
};
struct with_c_array {
  float box[4];
  int label;
};
struct scalars {
  int a;
  double b;
  colour c;
  std::pair<int, float> d;
};
struct wide {  // the highest number of members that reflection supports
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x;
};
struct too_wide {
  wide most;
  int b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
};
struct derived : wide {
  int more;
};
struct move_only {
  std::unique_ptr<int> p;
  int q;
};
struct not_plain {
  explicit not_plain(int v) : value(v) {}
  int value;
};

/// A user's type with its own batch type.
struct word_list {
  explicit word_list(std::vector<int> w) : words(std::move(w)) {}
  std::vector<int> words;
};

}  // namespace

template <> struct plumbline::collator<word_list> {
  using batch_type = std::vector<std::vector<int>>;
  explicit collator(std::size_t n) : all(n) {}
  void put(std::size_t slot, word_list&& x) { all[slot] = std::move(x.words); }
  batch_type finish(std::size_t filled) && {
    all.resize(filled);
    return std::move(all);
  }
  batch_type all;
};

namespace {

static_assert(pl::detail::count_fields<sample>() == 3 && pl::detail::count_fields<outer>() == 3 &&
              pl::detail::count_fields<move_only>() == 2);
static_assert(pl::detail::count_fields<with_c_array>() == 0 && pl::detail::count_fields<wide>() == 24 &&
              pl::detail::count_fields<too_wide>() == 0 && pl::detail::count_fields<derived>() == 0 &&
              !pl::reflectable<not_plain>);
// a type of this file, in another type's constructor: clang must not warn
struct local {
  int x;
};
static_assert(!pl::reflectable<std::optional<std::vector<local>>>);
static_assert(!pl::reflectable<std::array<int, 3>> && !pl::reflectable<pl::image> && !pl::reflectable<int>);

static_assert(pl::collatable<int> && pl::collatable<bool> && pl::collatable<colour> && pl::collatable<std::string>);
static_assert(pl::collatable<sample> && pl::collatable<outer> && pl::collatable<pl::columns<pl::columns<outer>>>);
static_assert(pl::collatable<word_list> && pl::collatable<std::tuple<word_list, int>>);
static_assert(!pl::collatable<pl::image> && !pl::collatable<std::tuple<int, pl::image>> &&
              !pl::collatable<std::vector<int>>);
static_assert(!pl::collatable<move_only> && !pl::collatable<with_c_array> && !pl::collatable<not_plain>);

static_assert(std::same_as<pl::batch_of<bool>, pl::tensor<std::uint8_t>>);
static_assert(std::same_as<pl::batch_of<colour>, pl::tensor<std::int16_t>>);
static_assert(std::same_as<pl::batch_of<std::array<double, 2>>, pl::tensor<double>>);
static_assert(std::same_as<pl::batch_of<std::array<std::string, 2>>, std::array<std::vector<std::string>, 2>>);
static_assert(
    std::same_as<pl::batch_of<std::pair<int, pl::tensor<float>>>, std::tuple<pl::tensor<int>, pl::tensor<float>>>);
static_assert(std::same_as<pl::batch_of<sample>, pl::columns<sample>>);
static_assert(std::same_as<std::tuple_element_t<1, pl::columns<sample>>, pl::tensor<int>>);

static_assert(pl::collate_is_cheap<int> && pl::collate_is_cheap<scalars> && pl::collate_is_cheap<std::array<int, 8>>);
static_assert(pl::collate_is_cheap<std::array<int, 256>> && pl::collate_is_cheap<std::string>);
static_assert(!pl::collate_is_cheap<std::array<int, 257>> && !pl::collate_is_cheap<pl::tensor<int>>);
static_assert(pl::fixed_shape<scalars> && pl::fixed_shape<pl::fixed_image<2, 2>> && !pl::fixed_shape<pl::byte_tensor> &&
              !pl::fixed_shape<sample>);

template <class T> pl::batch_of<T> collate(std::vector<T> elements, std::size_t capacity) {
  pl::collator<T> c(capacity);
  for (std::size_t i = elements.size(); i-- > 0;) c.put(i, std::move(elements[i]));  // in reverse order
  return std::move(c).finish(elements.size());
}

}  // namespace

TEST_CASE("numbers, enums and strings") {
  CHECK(collate<int>({1, 2, 3}, 3) == pl::tensor<int>::of({1, 2, 3}));
  CHECK(collate<int>({1, 2}, 5) == pl::tensor<int>::of({1, 2}));
  CHECK(collate<int>({}, 5).size() == 0);
  CHECK(collate<colour>({colour::red, colour::green}, 2) == pl::tensor<std::int16_t>::of({3, 4}));
  CHECK(collate<std::string>({"a", "b"}, 3) == std::vector<std::string>{"a", "b"});
  pl::collator<bool> flags(2);
  flags.put(0, true);
  flags.put(1, false);
  CHECK(std::move(flags).finish(2) == pl::tensor<std::uint8_t>::of({1, 0}));
  CHECK(collate<std::array<int, 2>>({{1, 2}, {3, 4}}, 2) == pl::tensor<int>::of({1, 2, 3, 4}).reshape({2, 2}));
}

TEST_CASE("tensors stack; a different shape is an error that says what to do") {
  const auto b = collate<pl::tensor<float>>({pl::tensor<float>({2, 3}, 1), pl::tensor<float>({2, 3}, 2)}, 4);
  CHECK(b.shape() == pl::shape{2, 2, 3});
  CHECK(b(1, 1, 2) == 2);
  pl::collator<pl::tensor<float>> c(2);
  c.put(1, pl::tensor<float>({2, 3}));
  CHECK(c.misfit(2) == 2);
  c.put(0, pl::tensor<float>({2, 4}));
  CHECK(c.misfit(2) == 1);  // it differs from slot 0, which came later
  CHECK(c.misfit(1) == 1);
  CHECK_THROWS_WITH(
      std::move(c).finish(2),
      "plumbline: the elements of a batch have different shapes: the first has [2, 4], the one at position 1 has "
      "[2, 3]; make them equal first, for example with map(resize<H, W>())");
  CHECK_THROWS_AS(collate<pl::tensor<float>>({pl::tensor<float>({6}), pl::tensor<float>({1, 6})}, 2),
                  pl::shape_mismatch);
  CHECK(collate<pl::tensor<float>>({}, 4).size() == 0);
  CHECK(collate<pl::tensor<float>>({pl::tensor<float>({0, 3})}, 4).shape() == pl::shape{1, 0, 3});
  pl::fixed_tensor<int, 2> one;
  one(1) = 5;
  CHECK(collate<pl::fixed_tensor<int, 2>>({one, one}, 2) == pl::tensor<int>::of({0, 5, 0, 5}).reshape({2, 2}));
}

TEST_CASE("structs become columns, nested ones too") {
  std::vector<outer> elements;
  for (int i = 0; i < 3; ++i) elements.push_back({{{}, i, std::to_string(i)}, {float(i), 0, 1}, i == 1});
  auto b = collate<outer>(elements, 4);
  auto& [inner, boxes, flags] = b;
  CHECK(boxes.shape() == pl::shape{3, 3});
  CHECK(flags == pl::tensor<std::uint8_t>::of({0, 1, 0}));
  CHECK(inner.get<0>().shape() == pl::shape{3, 2, 2, 3});
  CHECK(inner.get<1>() == pl::tensor<int>::of({0, 1, 2}));
  CHECK(inner.get<2>() == std::vector<std::string>{"0", "1", "2"});

  // a batch of batches
  std::vector<pl::columns<outer>> batches;
  batches.push_back(b);
  batches.push_back(b);
  const auto bb = collate(std::move(batches), 2);
  CHECK(bb.get<1>().shape() == pl::shape{2, 3, 3});
  CHECK(bb.get<0>().get<0>().shape() == pl::shape{2, 3, 2, 2, 3});
  CHECK(bb.get<0>().get<2>()[1] == std::vector<std::string>{"0", "1", "2"});
}

TEST_CASE("tuples, pairs, arrays of structs, and a user's collator") {
  auto [words, ids] = collate<std::pair<word_list, int>>({{word_list({1, 2}), 7}, {word_list({3}), 8}}, 2);
  CHECK(words == std::vector<std::vector<int>>{{1, 2}, {3}});
  CHECK(ids == pl::tensor<int>::of({7, 8}));
  const auto two = collate<std::array<std::tuple<int, std::string>, 2>>({{std::tuple(1, "a"), std::tuple(2, "b")}}, 1);
  CHECK(std::get<0>(two[1]) == pl::tensor<int>::of({2}));
  CHECK(std::get<1>(two[1])[0] == "b");
}

TEST_CASE("slots are filled by many threads at once") {
  using element = std::tuple<pl::tensor<int>, int, std::string>;
  for (int round = 0; round < 50; ++round) {
    constexpr std::size_t n = 64;
    pl::collator<element> c(n);
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (std::size_t i; (i = next++) < n;) {
          c.put(i, {pl::tensor<int>({5, 5}, static_cast<int>(i)), static_cast<int>(i), std::to_string(i)});
        }
      });
    }
    for (auto& t : threads) t.join();
    const auto b = std::move(c).finish(n);
    bool good = true;
    for (std::size_t i = 0; i < n; ++i) {
      good = good && std::get<0>(b)(i, 4, 4) == int(i) && std::get<1>(b)(i) == int(i) &&
             std::get<2>(b)[i] == std::to_string(i);
    }
    REQUIRE(good);
  }
}
