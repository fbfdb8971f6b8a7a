#pragma once
/// spare_vectors: the storage of vectors that are no longer needed, for the next of the same kind. A group of 64
/// elements takes more than 1 kB, and a malloc of that size makes glibc merge all the small blocks that were freed
/// since the last one, which costs more than padding the group.

#include <cstddef>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// Each thread keeps one vector for itself; the others share 16. None is larger than 1 MiB.
template <class T> class spare_vectors {
 public:
  /// An empty vector with room for n elements.
  static constexpr std::vector<T> take(std::size_t n) {
    std::vector<T> v;
    if (!std::is_constant_evaluated() && n >= least) v = any();
    v.reserve(n);
    return v;
  }
  /// Destroys the elements and keeps the storage.
  [[gnu::noinline]] static void give(std::vector<T> v) {
    v.clear();
    if (v.capacity() < least || v.capacity() > most) return;
    if (auto* mine = own(); mine != nullptr && mine->capacity() == 0) return mine->swap(v);
    auto& all = shared();
    const std::scoped_lock lock(all.mutex);
    if (all.vectors.size() != all.vectors.capacity()) all.vectors.push_back(std::move(v));
  }

 private:
  static constexpr std::size_t least = 1024 / sizeof(T) + 1, most = (std::size_t{1} << 20) / sizeof(T);
  struct shared_vectors {
    std::mutex mutex{};
    std::vector<std::vector<T>> vectors{};
    shared_vectors() { vectors.reserve(16); }
  };
  /// Null once the thread destroys its objects: their destructors may still run pipelines.
  static std::vector<T>* own() {
    static thread_local bool over = false;
    struct until_exit {
      std::vector<T> kept{};
      ~until_exit() { over = true; }
    };
    if (over) return nullptr;
    static thread_local until_exit mine;
    return &mine.kept;
  }
  /// Never destroyed: vectors with static lifetime may be given back at exit.
  static shared_vectors& shared() {
    static auto* const all = new shared_vectors;
    return *all;
  }
  [[gnu::noinline]] static std::vector<T> any() {
    if (auto* mine = own(); mine != nullptr && mine->capacity() != 0) return std::exchange(*mine, {});
    auto& all = shared();
    const std::scoped_lock lock(all.mutex);
    if (all.vectors.empty()) return {};
    auto v = std::move(all.vectors.back());
    all.vectors.pop_back();
    return v;
  }
};

}  // namespace plumbline::detail
