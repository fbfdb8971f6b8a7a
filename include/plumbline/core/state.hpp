#pragma once
/// The state of a running object, saved and loaded by one function, which names the members that change as it runs:
///   template <class Io> void state(Io& io) { io(left_, draw_); }
/// `saving` stores the values it is given; `loading`, where `Io::loads`, restores them in the same order into an object
/// that may hold anything. Trivially copyable values are kept as bytes, all else that can be copied as shared copies.
/// An object that cannot be saved calls `io.not_now()` or `io.never()`: then an earlier state is used, or the beginning
/// of the epoch, and the elements since then are computed again.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/copies.hpp>
#include <plumbline/core/lineage.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// A state, in memory.
struct saved {
  std::vector<std::byte> bytes{};
  std::vector<std::shared_ptr<const void>> objects{};
};

class saving {
 public:
  static constexpr bool loads = false;
  template <class... T> void operator()(T&... x) { (put(x), ...); }
  /// This part cannot be saved now, but perhaps after its next element: then it is asked again, and so after each
  /// element, with all else that is saved with it. So not for what merely takes long: that is limited elsewhere.
  void not_now() { ok_ = false; }
  /// This part can never be saved.
  void never() { ok_ = hope_ = false; }
  bool ok() const { return ok_; }
  bool hopeless() const { return !hope_; }
  std::shared_ptr<const saved> take() { return std::make_shared<const saved>(std::move(to_)); }

 private:
  template <class T> void put(T& x);
  saved to_;
  bool ok_ = true, hope_ = true;
};

class loading {
 public:
  static constexpr bool loads = true;
  explicit loading(const saved& from) : from_(&from) {}
  template <class... T> void operator()(T&... x) { (get(x), ...); }
  void not_now() {}
  void never() {}

 private:
  template <class T> void get(T& x);
  template <class T> T made();
  const saved* from_;
  std::size_t byte_ = 0, object_ = 0;
};

template <class T>
concept has_state = requires(T& x, saving& s, loading& l) {
  x.state(s);
  x.state(l);
};
template <class T>
concept as_bytes = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;
/// Containers whose elements are all that they hold. Others, as classes derived from them, are copied as a whole.
template <class T> inline constexpr bool is_plain_container = false;
template <class T, class A> inline constexpr bool is_plain_container<std::vector<T, A>> = true;
template <class T, class A> inline constexpr bool is_plain_container<std::deque<T, A>> = true;
template <class C, class T, class A> inline constexpr bool is_plain_container<std::basic_string<C, T, A>> = true;
template <class T>
concept as_sequence = is_plain_container<T> && requires(T& x, typename T::value_type v) {
  x.clear();
  x.push_back(std::move(v));
  requires std::same_as<decltype(*x.begin()), typename T::value_type&>;  // not vector<bool>
};
template <class T> inline constexpr bool is_held = false;
template <class T> inline constexpr bool is_held<std::shared_ptr<const T>> = true;
template <class T> inline constexpr bool is_item = false;
template <class T> inline constexpr bool is_item<item<T>> = true;

template <class T> PLUMBLINE_SETUP void saving::put(T& x) {
  if (!ok_) return;
  if constexpr (has_state<T>) {
    x.state(*this);
  } else if constexpr (as_bytes<T>) {
    const auto at = to_.bytes.size();
    to_.bytes.resize(at + sizeof(T));
    std::memcpy(to_.bytes.data() + at, &x, sizeof(T));
  } else if constexpr (is_held<T>) {
    to_.objects.push_back(x);
  } else if constexpr (as_sequence<T>) {
    auto n = static_cast<std::uint64_t>(x.size());
    put(n);
    for (auto& y : x) put(y);
  } else if constexpr (is_item<T>) {
    put(x.value);
    put(x.at);
  } else if constexpr (copies<T>) {
    to_.objects.push_back(std::make_shared<const T>(x));
  } else {
    not_now();
  }
}

template <class T> PLUMBLINE_SETUP T loading::made() {
  if constexpr (has_state<T>) {
    T x{};
    x.state(*this);
    return x;
  } else if constexpr (as_bytes<T>) {
    std::array<std::byte, sizeof(T)> raw;  // NOLINT: filled below
    std::memcpy(raw.data(), from_->bytes.data() + byte_, sizeof(T));
    byte_ += sizeof(T);
    return std::bit_cast<T>(raw);
  } else if constexpr (is_held<T>) {
    return std::static_pointer_cast<typename T::element_type>(from_->objects[object_++]);
  } else if constexpr (as_sequence<T>) {
    T x;
    get(x);
    return x;
  } else if constexpr (is_item<T>) {
    auto value = made<decltype(T::value)>();
    return T{std::move(value), made<lineage>()};
  } else if constexpr (copies<T>) {
    return T(*static_cast<const T*>(from_->objects[object_++].get()));
  } else {
    std::terminate();  // never reached: such a type is not saved
  }
}
template <class T> PLUMBLINE_SETUP void loading::get(T& x) {
  if constexpr (has_state<T>) {
    x.state(*this);
  } else if constexpr (!as_bytes<T> && as_sequence<T>) {
    x.clear();
    for (auto n = made<std::uint64_t>(); n != 0; --n) x.push_back(made<typename T::value_type>());
  } else {
    x = made<T>();
  }
}

/// A serial part of a run, as seen by the code that begins, saves and resumes it.
struct restartable {
  virtual ~restartable() = default;
  virtual void begin(std::uint64_t epoch) = 0;
  virtual void leave() = 0;
  virtual void save(saving& to) = 0;
  virtual void load(const saved& from) = 0;
};
template <class Cursor> struct restartable_cursor final : restartable {
  Cursor cursor;
  explicit restartable_cursor(Cursor c) : cursor(std::move(c)) {}
  PLUMBLINE_SETUP void begin(std::uint64_t epoch) override { cursor.begin(epoch); }
  PLUMBLINE_SETUP void leave() override { cursor.leave(); }
  PLUMBLINE_SETUP void save(saving& to) override { to(cursor); }
  PLUMBLINE_SETUP void load(const saved& from) override {
    loading io(from);
    io(cursor);
  }
};

/// A point from which a segment can resume: before this element of its epoch. Without `parts`, the index is enough.
struct segment_mark {
  std::uint64_t first = 0;
  std::shared_ptr<const saved> parts{};
};
/// How far a reader has come: the last mark that it passed, and how many elements it has taken since.
struct progress {
  segment_mark from{};
  std::uint64_t since = 0;
  template <class Io> void state(Io& io) { io(from.first, from.parts, since); }
};

}  // namespace plumbline::detail
