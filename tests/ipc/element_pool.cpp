// element_pool: what is kept is found; claims of the dead, children of fork, memory that is not there.
#include "pools.hpp"

#include <plumbline/ops/cache_in_shared_memory.hpp>

#include <support/own_process.hpp>
#include <support/temp_folder.hpp>

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

using namespace plumbline_test;

namespace {

// What a child of fork does, which may die of it; its exit status, or the signal + 1000.
int in_child(auto&& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    f();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("element_pool: what is kept is found, by others too, and the rest is not there") {
  const auto name = own_name("pool");
  element_pool a(name, 1 << 20), b(name, 1 << 20);
  const auto in_a = a.open(1, 1000), in_b = b.open(1, 1000), other = b.open(2, 1000);
  for (std::uint64_t i = 0; i < 1000; i += 3) a.keep(in_a, i, element(i));
  for (std::uint64_t i = 0; i != 1000; ++i) {
    CHECK(holds(b, in_b, i) == (i % 3 == 0));
    CHECK(!b.find(other, i));
  }
  CHECK(a.counts().elements == 334);
  CHECK(b.counts().processes == 2);
}

TEST_CASE("element_pool: elements anywhere in a stream that is longer than the pool, or has no end") {
  const auto name = own_name("long");
  constexpr std::uint64_t most = 1 << 20, many = 60'000;  // which cannot all fit
  element_pool a(name, most), b(name, most);
  for (const std::uint64_t n : {many, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    CAPTURE(n);
    const auto before = a.counts();
    const auto in_a = a.open(n, n), in_b = b.open(n, n);
    const auto index = [&](std::uint64_t k) { return k % 2 == 0 ? k : n - k; };
    for (std::uint64_t k = 0; k != 500; ++k) CHECK(!b.find(in_b, index(k)));
    for (std::uint64_t k = 0; k != 500; ++k) (k % 3 == 0 ? a : b).keep(k % 3 == 0 ? in_a : in_b, index(k), element(k));
    for (std::uint64_t k = 0; k != 500; ++k) {
      const auto found = (k % 3 == 0 ? b : a).find(k % 3 == 0 ? in_b : in_a, index(k));
      REQUIRE(found);
      CHECK(std::ranges::equal(*found, element(k)));
    }
    CHECK(a.counts().elements - before.elements == 500);
    CHECK(a.counts().bytes - before.bytes < 500 * (100 + 32 + 24) + most / 32);
    CHECK(!a.find(in_a, 501));
  }
}

TEST_CASE("element_pool: of a stream without an end it keeps what fits") {
  element_pool pool(own_name("full"), 64 << 10);
  const auto in = pool.open(1, ~std::uint64_t{0});
  const std::vector<std::uint8_t> kilobyte(1000, 1);
  for (std::uint64_t i = 0; i != 1000; ++i) pool.keep(in, i, kilobyte);
  CHECK(pool.counts().elements >= 60);
  const auto full = pool.counts().bytes;
  for (std::uint64_t i = 1000; i != 2000; ++i) pool.keep(in, i, kilobyte);
  CHECK(pool.counts().bytes == full);  // what is refused takes nothing
}

TEST_CASE("element_pool: an element whose process was killed while keeping it is kept by another") {
  const std::uint64_t size = GENERATE(std::uint64_t{10}, ~std::uint64_t{0});
  const auto name = own_name("claims");
  element_pool a(name, 1 << 20);
  const auto in = a.open(1, size);
  const int died = in_child([&] {
    element_pool own(name, 1 << 20);
    void* nothing = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::signal(SIGSEGV, SIG_DFL);
    ::signal(SIGBUS, SIG_DFL);
    own.keep(own.open(1, size), 4, {static_cast<const std::uint8_t*>(nothing), 100});  // is killed in the copy
  });
  CHECK(died == 1000 + SIGSEGV);
  CHECK(!a.find(in, 4));
  CHECK(a.counts().processes == 1);
  a.keep(in, 4, element(4));
  CHECK(holds(a, in, 4));
  CHECK(a.counts().elements == 1);
}

TEST_CASE("element_pool: where the system has no more memory, elements are refused") {
  const auto name = own_name("memory");
  const int result = in_child([&] {
    element_pool pool(name, 64 << 20);
    const auto in = pool.open(1, 10);
    const std::vector<std::uint8_t> small(1000, 1), large(4 << 20, 2);
    pool.keep(in, 0, small);
    int closed = 0;  // of its descriptors of the memory, without which it cannot reserve more
    for (int fd = 0; fd != 1000; ++fd) {
      const auto path = "/proc/self/fd/" + std::to_string(fd);
      char target[100] = {};
      if (::readlink(path.c_str(), target, sizeof target - 1) > 0 && std::strstr(target, "memfd:plumbline") != nullptr)
        closed += ::close(fd) == 0 ? 1 : 0;
    }
    if (closed == 0) ::_exit(2);
    pool.keep(in, 1, large);
    pool.keep(in, 2, small);  // in what is reserved already
    ::_exit(pool.find(in, 0) && !pool.find(in, 1) && pool.find(in, 2) ? 0 : 3);
  });
  CHECK(result == 0);
}

TEST_CASE("element_pool: a child of fork leaves its parent's alone, and opens it again") {
  const auto name = own_name("fork");
  auto a = std::make_unique<element_pool>(name, 1 << 20);
  const auto in = a->open(1, 10);
  a->keep(in, 3, element(3));
  const int result = in_child([&] {
    if (a->here()) ::_exit(1);
    a.reset();
    element_pool own(name, 1 << 20);
    const auto again = own.open(1, 10);
    own.keep(again, 5, element(5));
    ::_exit(own.find(again, 3) && own.counts().processes == 2 ? 0 : 2);
  });
  CHECK(result == 0);
  CHECK(holds(*a, in, 5));
  element_pool later(name, 1 << 20);  // the parent still answers
  CHECK(later.counts().elements == 2);
}

TEST_CASE("element_pool: a child that goes on with its parent's keeps nothing there, nor the memory") {
  const auto name = own_name("child");
  auto a = std::make_unique<element_pool>(name, 64 << 20);
  const auto in = a->open(1, 10);
  a->keep(in, 3, element(3));
  const temp_folder folder;
  const auto others = folder / "file";
  const int result = in_child([&] {
    for (int k = 0; k != 8; ++k)  // whose numbers are those of the parent's descriptors
      if (::open(others.c_str(), O_RDWR | O_CREAT, 0600) < 0) ::_exit(1);
    const std::vector<std::uint8_t> large(4 << 20, 2);
    a->keep(in, 5, large);
    ::_exit(a->find(in, 3) || a->find(in, 5) ? 2 : 0);
  });
  CHECK(result == 0);
  CHECK(std::filesystem::file_size(others) == 0);
  CHECK(holds(*a, in, 3));
  CHECK(!a->find(in, 5));
  const pid_t child = ::fork();  // one that lives longer than the pool
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  std::ifstream maps("/proc/" + std::to_string(child) + "/maps");
  const std::string all(std::istreambuf_iterator<char>(maps), {});
  CHECK(all.find("memfd:plumbline") == all.npos);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("element_pool: the users of a name in a process have one, others have another") {
  const auto name = own_name("one");
  const auto a = element_pool::of_process(name, 1 << 20), b = element_pool::of_process(name, 1 << 20);
  CHECK(a == b);
  CHECK(a->counts().processes == 1);
  CHECK_THROWS_WITH(element_pool::of_process(name, 2 << 20),
                    Catch::Matchers::Contains("another pipeline or process states 1 MiB"));
  const int result = in_child([&] {
    const auto c = element_pool::of_process(name, 1 << 20);
    ::_exit(c != a && c->here() && c->counts().processes == 2 ? 0 : 1);
  });
  CHECK(result == 0);
}

TEST_CASE("element_pool: a limit on the size of files is an error that says so") {
  const auto name = own_name("ulimit");
  const int result = in_child([&] {
    const rlimit small{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &small);
    try {
      element_pool pool(name, 64 << 20);
    } catch (const std::system_error& e) {
      const std::string why = e.what();
      ::_exit(why.find("cache in shared memory: cannot make shared memory of ") != why.npos &&
                      why.find("ulimit -f") != why.npos
                  ? 0
                  : 1);
    }
    ::_exit(2);
  });
  CHECK(result == 0);
}

TEST_CASE("element_pool: more pipelines than there are tables") {
  element_pool pool(own_name("tables"), 1 << 20);
  for (std::uint64_t p = 0; p != 256; ++p) CHECK_NOTHROW(pool.open(p, 10));
  CHECK_NOTHROW(pool.open(200, 10));
  CHECK_THROWS_WITH(pool.open(256, 10), Catch::Matchers::Contains("elements of 256 pipelines already"));
}

TEST_CASE("element_pool: nothing is left after the last") {
  const auto name = own_name("last");
  {
    element_pool a(name, 1 << 20);
    a.keep(a.open(1, 10), 1, element(1));
  }
  CHECK(names_in_use() == 0);
  element_pool b(name, 2 << 20);  // another limit, as it is another pool
  CHECK(b.counts().elements == 0);
}

TEST_CASE("cache(shared_memory): what was kept takes no memory of the thread's own") {
  const auto pool = std::make_shared<element_pool>(own_name("large"), std::uint64_t{64} << 20);
  pl::detail::shared_store<std::string> store(pool, 1, 10);
  const auto allocated = [] {
    const auto now = ::mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  const std::string large(20'000'000, 'x');
  const auto before = allocated();
  store.keep(1, large);
  CHECK(allocated() < before + 8'000'000);
  CHECK(store.find(1) == large);
}
