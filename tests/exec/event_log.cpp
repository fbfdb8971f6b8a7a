// event_log: its threads may begin before its constructor has ended.
#include <plumbline/exec/event_log.hpp>

#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>

#include <catch2/catch.hpp>

#include <dlfcn.h>
#include <pthread.h>

#include <chrono>
#include <thread>

namespace {
// How long the thread that starts another one loses its core.
thread_local std::chrono::milliseconds after_start{0};
}  // namespace

// Takes the place of the C library's in this program. Sanitizers have their own.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1  // clang 16 does not define it
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" int pthread_create(pthread_t* id, const pthread_attr_t* how, void* (*f)(void*), void* with) noexcept {
  static const auto real = reinterpret_cast<decltype(&::pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  const int error = real(id, how, f, with);
  if (after_start.count() != 0) std::this_thread::sleep_for(after_start);
  return error;
}
#endif

TEST_CASE("event log: the thread that writes the file runs before the log is made") {
  const plumbline_test::temp_folder at;
  after_start = std::chrono::milliseconds(100);  // it writes every 5
  const plumbline::detail::event_log log({.bytes = 1U << 16U, .threads = 1, .file = at / "events"}, true);
  after_start = {};
  CHECK(true);  // no crash
}
