#include <catch2/catch.hpp>
#include <memory>
#include <thread>

#include <plumbline/data/eigen.hpp>
#include <plumbline/data/image.hpp>
#include <plumbline/data/nbytes.hpp>

namespace pl = plumbline;

static_assert(std::is_nothrow_move_constructible_v<pl::tensor<int>> && std::copyable<pl::tensor<int>>);
static_assert(sizeof(pl::fixed_tensor<float, 3, 2>) == sizeof(void*));
static_assert(pl::fixed_tensor<float, 3, 2>::size() == 6);
static_assert(pl::shape{2, 3, 4}.row_major_strides() == pl::shape{12, 4, 1});
static_assert(pl::memory_pool::footprint_of(1) >= 65);

TEST_CASE("shape") {
  CHECK(pl::shape{}.count() == 1);
  CHECK(pl::shape{3, 0, std::size_t(-1), 5}.count() == 0);
  CHECK_THROWS_AS((pl::shape{std::size_t(1) << 40, std::size_t(1) << 40}.count()), std::length_error);
  CHECK_THROWS_AS((pl::shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), std::length_error);
  CHECK(to_string(pl::shape{2, 3}) == "[2, 3]");
  CHECK(pl::shape{2, 3} != pl::shape{2, 3, 1});
  CHECK(pl::shape{2, 3}.stacked(4) == pl::shape{4, 2, 3});
}

TEST_CASE("tensor: values, views, copies and moves") {
  pl::tensor<int> t({2, 3}, 7);
  CHECK(t.rank() == 2);
  CHECK(t.size() == 6);
  CHECK(reinterpret_cast<std::uintptr_t>(t.data()) % 64 == 0);
  t(1, 2) = 5;
  CHECK(t[1][2] == 5);
  t[0][1] = 9;
  CHECK(t(0, 1) == 9);
  CHECK(t[1].shape() == pl::shape{3});
  const pl::tensor_view<const int> view = t[1];
  CHECK(view(2) == 5);

  auto copy = t;
  copy(0, 0) = 1;
  CHECK(t(0, 0) == 7);
  CHECK_FALSE(copy == t);
  const int* before = t.data();
  const pl::tensor<int> moved = std::move(t);
  CHECK(moved.data() == before);
  CHECK(t.empty());
  CHECK(t.shape() == pl::shape{0});
  t = moved;
  CHECK(t == moved);
  CHECK(pl::tensor<int>() == pl::tensor<int>());
  CHECK(pl::tensor<int>(pl::shape{}, 3)() == 3);
}

TEST_CASE("tensor: reshape and truncate_front") {
  auto t = pl::tensor<int>::of({1, 2, 3, 4, 5, 6}).reshape({3, 2});
  CHECK(t(2, 1) == 6);
  CHECK_THROWS_WITH(t.reshape({4}), Catch::Contains("[3, 2]") && Catch::Contains("[4]"));
  const int* data = t.data();
  t.truncate_front(2);
  CHECK(t == pl::tensor<int>::of({1, 2, 3, 4}).reshape({2, 2}));
  CHECK(t.data() == data);
  t.truncate_front(9);
  CHECK(t.shape() == pl::shape{2, 2});
  CHECK(t.truncate_front(0).size() == 0);
}

TEST_CASE("fixed_tensor") {
  pl::fixed_tensor<float, 2, 3> t;
  CHECK(t(1, 2) == 0);
  t(1, 0) = 4;
  const auto copy = t;
  CHECK(copy == t);
  const float* data = t.data();
  const pl::tensor<float> dynamic = std::move(t);
  CHECK(dynamic.data() == data);
  CHECK(dynamic[1][0] == 4);
  const pl::tensor<float> copied = copy;
  CHECK(copied == dynamic);
}

TEST_CASE("tensor: impossible sizes are errors") {
  CHECK_THROWS_AS(pl::tensor<double>::uninitialized({std::size_t(1) << 61}), std::length_error);
  CHECK_THROWS_AS(pl::tensor<std::uint8_t>::uninitialized({std::size_t(1) << 50}), std::bad_alloc);
}

TEST_CASE("image") {
  pl::image x(4, 5, 3);
  x(3, 4, 2) = 8;
  CHECK(x.row(3)[14] == 8);
  CHECK(x.height() * x.width() * x.channels() == x.pixels.size());
  CHECK_THROWS_AS(pl::image(pl::byte_tensor::of({1, 2})), pl::shape_mismatch);
  CHECK(pl::image().height() == 0);
}

TEST_CASE("pool: reuses blocks, and keeps no more than its limit") {
  auto& pool = pl::memory_pool::instance();
#ifdef PLUMBLINE_DETAIL_POOL_OFF
  { const pl::byte_tensor t({1000000}); }
  CHECK(pool.retained() == 0);
#else
  const void* first = nullptr;
  {
    const pl::byte_tensor t({1000000});
    first = t.data();
  }
  CHECK(pl::byte_tensor({1000000}).data() == first);

  const auto limit = pool.retained_limit();
  pool.retain_at_most(std::size_t{40} << 20);
  for (std::size_t mb : {9u, 12u, 15u, 20u, 30u, 39u}) {  // too large for the cache of a thread
    std::vector<pl::byte_tensor> many;
    for (int i = 0; i < 5; ++i) many.emplace_back(pl::byte_tensor::uninitialized({mb << 20}));
    many.clear();
    CHECK(pool.retained() <= std::size_t{40} << 20);
    // the pool now keeps blocks of the size in use
    const auto kept = pool.retained();
    const auto one = pl::byte_tensor::uninitialized({mb << 20});
    if (pl::memory_pool::footprint_of(mb << 20) <= std::size_t{40} << 20) CHECK(pool.retained() < kept);
  }
  pool.retain_at_most(0);
  CHECK(pool.retained() == 0);
  pool.retain_at_most(limit);
#endif
}

TEST_CASE("pool: size classes waste at most a quarter") {
  for (std::size_t n = 65; n < (std::size_t{1} << 40); n += n / 5 + 1) {
    const auto f = pl::memory_pool::footprint_of(n);
    REQUIRE(f >= n + 64);
    REQUIRE(4 * f <= 5 * (n + 64) + 4 * 32);
  }
}

TEST_CASE("pool: many threads, blocks released by other threads and after their own thread ended") {
  std::vector<std::vector<pl::tensor<std::size_t>>> made(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 3000; ++i) {
        made[t].push_back(pl::tensor<std::size_t>({1 + (i * 37) % 3000}, t * 10000 + i));
        if (i % 3 == 2) made[t].erase(made[t].begin() + static_cast<std::ptrdiff_t>(made[t].size() / 2));
        const auto& last = made[t].back();
        if (last.data()[0] != last.data()[last.size() - 1]) std::abort();
      }
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& list : made) {
    for (const auto& t : list) {
      for (std::size_t v : t.span()) REQUIRE(v == t.data()[0]);
    }
  }
}

TEST_CASE("nbytes") {
  struct sample {
    pl::byte_tensor data;
    std::string name;
    int label;
  };
  const pl::byte_tensor b({1000});
  CHECK(pl::nbytes(3) == sizeof(int));
  CHECK(pl::nbytes(b) == sizeof b + b.footprint());
  CHECK(b.footprint() >= 1000);
  CHECK(pl::nbytes(std::string("short")) == sizeof(std::string));
  const std::string text(1000, 'x');
  CHECK(pl::nbytes(text) >= 1000 + sizeof text);
  const sample s{b, text, 1};
  CHECK(pl::nbytes(s) == sizeof s + s.data.footprint() + s.name.capacity() + 1);
  const std::vector<sample> v{s, s};
  CHECK(pl::nbytes(v) >= 2 * (1000 + 1000) + sizeof v);
  const auto shared = std::make_shared<pl::byte_tensor>(b);
  CHECK(pl::nbytes(shared) == sizeof shared + pl::nbytes(b));
  CHECK(pl::nbytes(std::tuple(b, 1)) == sizeof(std::tuple<pl::byte_tensor, int>) + b.footprint());
  CHECK(pl::nbytes(pl::image(10, 10, 3)) > 300);
  CHECK(pl::nbytes(std::array<float, 4>{}) == 16);
  CHECK(pl::nbytes(std::array<std::string, 300>{text}) == 300 * sizeof(std::string) + text.capacity() + 1);
  // of what these point to nothing is known
  struct only_declared;
  struct unknown {
    std::unique_ptr<float[]> array;
    std::shared_ptr<float[]> shared_array;
    std::shared_ptr<void> anything;
    std::shared_ptr<only_declared> hidden;
  };
  CHECK(pl::nbytes(unknown{std::make_unique<float[]>(9), {}, {}, {}}) == sizeof(unknown));
  static_assert(pl::detail::uncounted<unknown>() && pl::detail::uncounted<std::shared_ptr<float[]>>());
  static_assert(!pl::detail::uncounted<sample>() && !pl::detail::uncounted<std::array<std::vector<sample>, 300>>());
}

TEST_CASE("Eigen sees the same memory") {
  auto t = pl::tensor<float>::of({1, 2, 3, 4, 5, 6}).reshape({2, 3});
  auto m = pl::as_matrix(t);
  CHECK(m.rows() == 2);
  CHECK(m(1, 0) == 4);
  m(1, 0) = 40;
  CHECK(t(1, 0) == 40);
  const auto& constant = t;
  CHECK(pl::as_vector(constant).sum() == 57);
  t.reshape({1, 2, 3});
  CHECK(pl::as_matrix(t).cols() == 6);
  const pl::fixed_tensor<double, 2, 2> f;
  CHECK(pl::as_matrix(f).norm() == 0);
}
