// Code written by hand, without a library: threads take the next photograph from an atomic counter, process it, and put
// it into its slot in its batch; the consumer gets full batches in order. At most `ahead` batches are open.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <optional>
#include <plumbline/sources/file_contents.hpp>
#include <random>
#include <thread>

#include "photos/question.hpp"

namespace photos {
namespace {

class loader {
 public:
  explicit loader(const pl::file_list& list) : list_(list), order_(list.size()), ring_(ahead) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  template <class Decode, class Use>
  void epoch(std::uint64_t number, std::size_t threads, const Decode& decode, const Use& use) {
    std::shuffle(order_.begin(), order_.end(), std::mt19937_64(number));
    next_ = 0;
    used_ = 0;
    const std::size_t batches = (order_.size() + batch_size - 1) / batch_size;
    for (std::size_t b = 0; b < std::min(ahead, batches); ++b) open(b);
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t) workers.emplace_back([&] { work(number, decode); });
    for (std::size_t b = 0; b < batches; ++b) {
      auto& slot = ring_[b % ahead];
      {
        std::unique_lock lock(mutex_);
        full_.wait(lock, [&] { return slot.missing == 0; });
      }
      use(*slot.pixels, size_of(b));
      slot.pixels.reset();
      {
        const std::scoped_lock lock(mutex_);
        ++used_;
        if (b + ahead < batches) open(b + ahead);
      }
      room_.notify_all();
    }
    for (auto& w : workers) w.join();
  }

 private:
  static constexpr std::size_t ahead = 4, numbers = 3 * side * side;
  struct open_batch {
    std::optional<pl::tensor<float>> pixels{};
    std::size_t missing = 0;
  };

  std::size_t size_of(std::size_t b) const { return std::min(batch_size, order_.size() - b * batch_size); }
  void open(std::size_t b) {
    ring_[b % ahead] = {pl::tensor<float>::uninitialized({size_of(b), 3, side, side}), size_of(b)};
  }
  template <class Decode> void work(std::uint64_t number, const Decode& decode) {
    for (std::size_t i; (i = next_.fetch_add(1)) < order_.size();) {
      const std::size_t b = i / batch_size;
      float* to = nullptr;
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return b < used_ + ahead; });
        to = ring_[b % ahead].pixels->data() + i % batch_size * numbers;
      }
      pl::rng random(pl::hash_combine(number, order_[i]));
      auto picture = flip(crop(decode(pl::read_bytes(list_[order_[i]].path)), random), random);
      const auto made = planar(normalize(picture));
      std::copy_n(made.data(), numbers, to);
      bool done = false;
      {
        const std::scoped_lock lock(mutex_);
        done = --ring_[b % ahead].missing == 0;
      }
      if (done) full_.notify_one();
    }
  }

  const pl::file_list& list_;
  std::vector<std::size_t> order_;
  std::vector<open_batch> ring_;
  std::mutex mutex_;
  std::condition_variable full_, room_;
  std::atomic<std::size_t> next_{0};
  std::size_t used_ = 0;
};

template <class Decode>
delivered run(const pl::file_list& list, std::size_t threads, std::size_t epochs, Decode decode) {
  loader l(list);
  delivered d;
  for (std::size_t e = 0; e < epochs; ++e) {
    l.epoch(e, threads, decode, [&](const pl::tensor<float>& pixels, std::size_t n) {
      d.looked += look_at(pixels.data(), n);
      d.photos += n;
      ++d.batches;
    });
  }
  return d;
}

}  // namespace

contender by_hand_runs(bool stb) {
  if (stb) return [](const auto& list, auto threads, auto epochs) { return run(list, threads, epochs, stb_decoder()); };
  return [](const auto& list, auto threads, auto epochs) { return run(list, threads, epochs, usual_decoder()); };
}

}  // namespace photos
