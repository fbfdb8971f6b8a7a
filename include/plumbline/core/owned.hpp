#pragma once
/// owned<Base, T>(arguments...): a new T, as a unique_ptr<Base>. std::make_unique would also instantiate unique_ptr<T>
/// and its conversion, thirty templates for each T.

#include <memory>
#include <utility>

namespace plumbline::detail {

template <class Base, class T, class... Args> std::unique_ptr<Base> owned(Args&&... args) {
  return std::unique_ptr<Base>(new T(std::forward<Args>(args)...));
}

}  // namespace plumbline::detail
