#pragma once
/// Measurements in several processes at once. The program must not have started threads before.

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <new>
#include <stdexcept>
#include <vector>

namespace bench {

constexpr std::size_t most_processes = 8;

/// The base of what the processes of a measurement share.
struct meeting_point {
  pthread_barrier_t barrier;
};
/// An object that the processes share.
template <class T> T& shared_by_processes() {
  void* const memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("mmap");
  return *new (memory) T{};
}
/// Runs work(rank, wait) in n processes, where wait() returns once all have called it. Throws if one fails.
template <class F> void in_processes(std::size_t n, meeting_point& shared, const F& work) {
  pthread_barrierattr_t attributes;
  ::pthread_barrierattr_init(&attributes);
  ::pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  ::pthread_barrier_init(&shared.barrier, &attributes, static_cast<unsigned>(n));
  std::vector<pid_t> children;
  for (std::size_t rank = 0; rank != n; ++rank) {
    const auto child = ::fork();
    if (child == 0) {
      ::alarm(300);
      try {
        work(rank, [&] { ::pthread_barrier_wait(&shared.barrier); });
        ::_exit(0);
      } catch (const std::exception& e) {
        std::cerr << "process " << rank << ": " << e.what() << std::endl;
        ::_exit(1);
      }
    }
    children.push_back(child);
  }
  bool all = true;
  for (const auto child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    all = all && status == 0;
    if (!all)
      for (const auto other : children) ::kill(other, SIGKILL);  // they would wait for it
  }
  ::pthread_barrier_destroy(&shared.barrier);
  if (!all) throw std::runtime_error("a process of the measurement failed");
}

}  // namespace bench
