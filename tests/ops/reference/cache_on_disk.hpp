#pragma once
// The reference implementation of cache(folder) (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::cache(unused_folder()); ends numbers, needs fixed

#include <plumbline/ops/cache_on_disk.hpp>

#include <support/pulled.hpp>
#include <support/temp_folder.hpp>

#include <atomic>
#include <string>

namespace plumbline_test {

// A folder that nothing else uses, removed at the end of the process.
inline std::string unused_folder() {
  static const temp_folder all;
  static std::atomic<int> next{0};
  return all / std::to_string(next++);
}

// What can be cached is the same in every epoch, so a cache does not change the elements.
template <class Up> auto pulled(const pl::node<pl::cache_on_disk_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}
template <class Up>
auto pulled(const pl::node<pl::share_cache_on_disk_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}

}  // namespace plumbline_test
