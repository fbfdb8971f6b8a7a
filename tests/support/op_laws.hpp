#pragma once
// op_laws(pipeline): checks that a pipeline satisfies the laws.
//   1. The facts of its type contain the facts of the object, which contain what a run shows.
//   2. A run gives the elements of the reference in order, for any number of threads and any chunk size. An unordered
//      run gives the same elements. This holds for two epochs, and after epochs that are abandoned early.
//   3. The parts that run are exactly those that the partition of its type describes.
//   4. After a state is saved at any element, on any number of threads, and loaded into a fresh stream with another
//      number of threads, the remaining elements are the same, and so is the next epoch.
//   5. Its randomness depends only on the seed, and its draws do depend on the seed.

#include <plumbline/exec/run.hpp>

#include <support/reference.hpp>
#include <support/text.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace plumbline_test {

// Each described part must have been built exactly once, or, if each open stream has one, at least once.
struct description {
  std::vector<pl::built_part> parts;
  std::vector<bool> streams;
};
template <class P, pl::running How> description described_parts() {
  constexpr auto& cut = pl::partition_of<P, How>;
  description all;
  for (std::uint32_t n = 1; n <= cut.count; ++n) {
    all.parts.push_back(cut.described(n));
    all.streams.push_back(cut.parts[n].streams);
  }
  return all;
}
inline std::string part_text(const pl::built_part& p) {
  auto out = "part " + std::to_string(p.number) + (p.serial ? ", serial" : "") + (p.blocks ? ", blocks" : "") + ":";
  for (const auto o : p.operators) out += " " + std::to_string(o);
  return out;
}
inline void built_as_described(std::vector<pl::built_part> ran, const description& want) {
  for (std::size_t i = 0; i != want.parts.size(); ++i) {
    const auto n = std::erase(ran, want.parts[i]);
    if (n == 1 || (n > 1 && want.streams[i])) continue;
    INFO("built " << n << " times: " << part_text(want.parts[i]));
    for (const auto& p : ran) UNSCOPED_INFO("also built: " << part_text(p));
    REQUIRE(n == 1);
  }
  for (const auto& p : ran) FAIL_CHECK("not described: " << part_text(p));
}

struct law_options {
  std::size_t limit = 300;  // elements to check of an endless stream
  std::uint64_t seed = 7;
  bool differs_by_seed = true;  // for random pipelines: whether another seed changes the elements
};

template <class P> texts reference_texts(const P& p, epoch_of e) {
  texts out;
  for (const auto& x : reference(p, e)) out.push_back(text(x.value));
  return out;
}
template <class P> bool reaches(const P& p, std::size_t n) { return reference(p, {0, 0, n}).size() == n; }
// The remaining elements of a stream's epoch, at most `limit`.
template <class T> texts drained(pl::stream<T>& s, std::size_t limit = ~std::size_t{0}) {
  texts out;
  while (out.size() < limit) {
    auto x = s.next();
    if (!x) break;
    out.push_back(text(*x));
  }
  return out;
}

inline pl::run_options with(std::size_t threads, std::optional<std::size_t> chunk = {}, std::uint64_t seed = 7,
                            pl::output_order order = pl::output_order::kept) {
  pl::run_options o;
  o.threads = threads;
  o.chunk = chunk;
  o.seed = seed;
  o.order = order;
  return o;
}
inline std::string described(const pl::run_options& o, const std::string& what) {
  return what + ", threads " + std::to_string(*o.threads) + ", chunk " +
         (o.chunk ? std::to_string(*o.chunk) : "unset") + (o.order == pl::output_order::kept ? "" : ", unordered");
}
inline void must_equal(const std::string& context, texts got, texts want, bool in_order) {
  if (!in_order) {
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
  }
  const auto d = difference(got, want);
  if (d.empty()) return;
  INFO(context);
  REQUIRE(d == std::string());
}
inline bool contains(const pl::stream_facts& outer, const pl::stream_facts& inner) {
  return outer.count.contains(inner.count) &&
         (outer.order == pl::ordering::permuted || inner.order == pl::ordering::fixed) &&
         (outer.draws == pl::randomness::seeded || inner.draws == pl::randomness::none);
}

// What the laws compare a pipeline with: the texts of some epochs, from the reference.
struct expectation {
  texts epoch[3];
  bool endless = false;
  bool random = false;
  std::size_t limit = 0;
};

inline void facts_hold(const pl::stream_facts& type, const pl::stream_facts& now, const expectation& want) {
  CHECK(contains(type, now));
  for (const auto& e : want.epoch) {
    if (now.count.endless) {
      CHECK(e.size() == want.limit);
    } else if (!want.endless) {
      CHECK(now.count.least <= e.size());
      CHECK(e.size() <= now.count.most);
    }
  }
  if (now.order == pl::ordering::fixed && now.draws == pl::randomness::none) {
    CHECK(difference(want.epoch[1], want.epoch[0]) == std::string());
  }
}

// Opens a stream of the pipeline; type-erased, so that the laws are compiled once for each type of element.
template <class T> using opener = std::function<pl::stream<T>(const pl::run_options&)>;

template <class T> void runs_equal(const opener<T>& open, const expectation& want, std::uint64_t seed) {
  const std::size_t limit = want.endless ? want.limit : ~std::size_t{0};
  for (const std::size_t threads : {0U, 1U, 2U, 3U, 8U}) {
    for (const std::optional<std::size_t> chunk : {std::optional<std::size_t>{}, {1}, {7}, {256}}) {
      const auto how = with(threads, chunk, seed);
      auto s = open(how);
      must_equal(described(how, "epoch 0"), drained(s, limit), want.epoch[0], true);
      s.restart();
      must_equal(described(how, "epoch 1"), drained(s, limit), want.epoch[1], true);
      if (want.endless) continue;
      auto order_free = with(threads, chunk, seed, pl::unordered);
      auto u = open(order_free);
      must_equal(described(order_free, "epoch 0"), drained(u), want.epoch[0], false);
      u.restart();
      must_equal(described(order_free, "epoch 1"), drained(u), want.epoch[1], false);
    }
    // abandon two epochs early, then read a whole one
    const auto how = with(threads, threads == 2 ? std::optional<std::size_t>(3) : std::nullopt, seed);
    auto s = open(how);
    s.restart();  // begins epoch 0, even if nothing of it is read
    const std::size_t some = want.epoch[0].size() / 3 + 1;
    must_equal(described(how, "epoch 0, some"), drained(s, std::min(some, want.epoch[0].size())),
               texts(want.epoch[0].begin(),
                     want.epoch[0].begin() + static_cast<std::ptrdiff_t>(std::min(some, want.epoch[0].size()))),
               true);
    s.restart();
    s.restart();
    must_equal(described(how, "epoch 2"), drained(s, limit), want.epoch[2], true);
  }
}

template <class T> void states_go_on(const opener<T>& open, const expectation& want, std::uint64_t seed) {
  pl::rng random(pl::hash_combine(seed, want.epoch[0].size()));
  const auto from = [](const texts& all, std::size_t i) {
    return texts(all.begin() + static_cast<std::ptrdiff_t>(i), all.end());
  };
  for (const auto& [saves, loads] : {std::pair{0U, 0U}, {1U, 3U}, {3U, 8U}, {8U, 1U}, {2U, 0U}}) {
    auto how = with(saves, saves == 3 ? std::optional<std::size_t>(1) : std::nullopt, seed);
    how.saves = saves != 1;  // otherwise marks are taken from the first save on
    const auto e = static_cast<std::size_t>(random.below(2));
    const auto& all = want.epoch[e];
    auto s = open(how);
    s.restart(e);
    for (std::size_t n = 0; n != all.size();) {
      const auto some = 1 + static_cast<std::size_t>(random.below(all.size() - n));
      drained(s, some);
      n += some;
      const auto state = s.save();
      CHECK(state.taken() == n);
      auto fresh = open(with(loads, {}, seed));
      fresh.load(state);
      const auto what = "saved after " + std::to_string(n) + " of epoch " + std::to_string(e) + ", loaded on " +
                        std::to_string(loads);
      must_equal(described(how, what), drained(fresh, want.endless ? all.size() - n : ~std::size_t{0}), from(all, n),
                 true);
      if (want.endless || n < all.size() / 2) continue;
      fresh.restart();
      must_equal(described(how, what + ", next epoch"), drained(fresh), want.epoch[e + 1], true);
    }
  }
}

template <class P> void op_laws(const P& p, law_options o = {}) {
  const auto now = p.facts();
  expectation want;
  want.limit = o.limit;
  want.endless = now.count.endless || (now.count.most == pl::unbounded && reaches(p, 20'000));  // endless, or nearly so
  const std::size_t limit = want.endless ? o.limit : ~std::size_t{0};
  for (std::uint64_t e = 0; e != 3; ++e) want.epoch[e] = reference_texts(p, {o.seed, e, limit});
  facts_hold(P::type_facts, now, want);
  const auto threads = described_parts<P, pl::running::on_threads>();
  const auto call = described_parts<P, pl::running::in_the_call>();
  const opener<typename P::element> open = [&](const pl::run_options& how) {
    auto s = pl::run(p, how);
    built_as_described(s.parts(), how.threads == 0U ? call : threads);
    return s;
  };
  runs_equal(open, want, o.seed);
  states_go_on(open, want, o.seed);
  if (now.draws == pl::randomness::seeded && !want.epoch[0].empty() && o.differs_by_seed) {
    const auto other = reference_texts(p, {o.seed + 1, 0, limit});
    CHECK(difference(other, want.epoch[0]) != std::string());
    auto s = pl::run(p, with(2, {}, o.seed + 1));
    must_equal("another seed", drained(s, limit), other, true);
  }
}

// The elements of one epoch of a run, for expectations that are written by hand.
template <class P> texts shown(const P& p, std::size_t limit = ~std::size_t{0}, std::uint64_t epoch = 0) {
  pl::run_options o = with(2, {}, 0);
  o.first_epoch = epoch;
  auto s = pl::run(p, o);
  return drained(s, limit);
}

}  // namespace plumbline_test
