#pragma once
// own_process: this test executable started again, with one hidden test case, which reads what to do from
// PLUMBLINE_TEST_WORK and writes what it did to the file PLUMBLINE_TEST_OUTPUT.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline_test {

class own_process {
 public:
  own_process(const std::string& test_case, const std::string& work, const std::string& output) : output_(output) {
    std::vector<std::string> environment{"PLUMBLINE_TEST_WORK=" + work, "PLUMBLINE_TEST_OUTPUT=" + output};
    for (char** e = environ; *e != nullptr; ++e) environment.emplace_back(*e);
    std::vector<char*> env;
    for (auto& e : environment) env.push_back(e.data());
    env.push_back(nullptr);
    std::string self = "/proc/self/exe", only = test_case;
    char* arguments[] = {self.data(), only.data(), nullptr};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
    REQUIRE(::posix_spawn(&pid_, self.c_str(), &quiet, nullptr, arguments, env.data()) == 0);
    posix_spawn_file_actions_destroy(&quiet);
  }
  own_process(own_process&& other) noexcept : output_(std::move(other.output_)), pid_(std::exchange(other.pid_, 0)) {}
  own_process& operator=(own_process&& other) noexcept {
    std::swap(output_, other.output_);
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~own_process() { signal(SIGKILL), wait(); }
  pid_t pid() const { return pid_; }
  void signal(int which) const {
    if (pid_ > 0) ::kill(pid_, which);
  }
  void wait() {
    if (pid_ > 0) ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  // The lines that it has written so far, but for the last one of a process that was killed, which may be cut off.
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::ifstream in(output_);
    for (std::string line; std::getline(in, line) && !in.eof();) all.push_back(line);
    return all;
  }

 private:
  std::string output_;
  pid_t pid_ = 0;
};

// A name that no other test on this machine uses.
inline std::string own_name(const std::string& of) { return of + " " + std::to_string(::getpid()); }

// How many sockets of this process's names there are.
inline std::size_t names_in_use() {
  std::ifstream in("/proc/net/unix");
  std::size_t n = 0;
  for (std::string line; std::getline(in, line);)
    if (line.find("@plumbline.") != line.npos && line.find(" " + std::to_string(::getpid())) != line.npos) ++n;
  return n;
}

// How many mappings a process has of files whose path has this in it.
inline std::size_t mapped(pid_t process, std::string_view path) {
  std::ifstream in("/proc/" + std::to_string(process) + "/maps");
  std::size_t n = 0;
  for (std::string line; std::getline(in, line);) n += line.find(path) != line.npos ? 1 : 0;
  return n;
}

// What /dev/shm lists of plumbline's, or with a name of own_name; but for the files of other tests.
inline std::set<std::string> names_in_dev_shm() {
  std::set<std::string> all;
  std::error_code none;
  for (const auto& each : std::filesystem::directory_iterator("/dev/shm", none)) {
    const auto name = each.path().filename().string();
    const bool own = name.find("plumbline") != name.npos || name.find(std::to_string(::getpid())) != name.npos;
    if (own && !name.starts_with("plumbline_test_")) all.insert(name);
  }
  return all;
}

}  // namespace plumbline_test
