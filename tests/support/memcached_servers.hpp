#pragma once
// memcached_servers: memcached servers on the loopback, started by scripts/memcached_servers.sh and stopped with the
// object, or with this process if it is killed.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace plumbline_test {

class memcached_servers {
 public:
  // `root`: the project's folder, where it is not the working directory. Throws std::runtime_error if one cannot be
  // started.
  explicit memcached_servers(int count, int megabytes = 64, const std::string& root = ".")
      : root_(root), megabytes_(megabytes) {
    start({"-n", std::to_string(count)});
  }
  memcached_servers(const memcached_servers&) = delete;
  ~memcached_servers() {
    for (const auto& s : scripts_) ::close(s.input);
    for (const auto& s : scripts_) ::waitpid(s.id, nullptr, 0);
  }
  static bool available() { return std::system("command -v memcached >/dev/null") == 0; }

  const std::vector<std::string>& addresses() const { return addresses_; }
  // A server that is killed has ended afterwards, and its port is free: the system may not give it a core at once, and
  // the script takes note of its end after that.
  void signal(std::size_t server, int number) const {
    ::kill(ids_.at(server), number);
    while (number == SIGKILL && ::kill(ids_.at(server), 0) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // A new one with the address of a server that was killed.
  void restart(std::size_t server) {
    const auto address = addresses_.at(server);
    start({"-p", address.substr(address.find(':') + 1)});
    ids_.at(server) = ids_.back();
    ids_.pop_back();
    addresses_.pop_back();
  }

 private:
  struct script {
    pid_t id;
    int input;
  };
  void start(std::vector<std::string> arguments) {
    std::array<int, 2> in{}, out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    arguments.insert(arguments.begin(), {root_ + "/scripts/memcached_servers.sh", "-m", std::to_string(megabytes_)});
    std::vector<char*> argv;
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    const auto id = ::fork();
    if (id == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      ::execv(argv.front(), argv.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    scripts_.push_back({id, in[1]});
    std::string lines;
    std::array<char, 256> some{};
    for (ssize_t n = 0; (n = ::read(out[0], some.data(), some.size())) > 0;)
      lines.append(some.data(), static_cast<std::size_t>(n));
    ::close(out[0]);
    for (std::size_t at = 0, end = 0; (end = lines.find('\n', at)) != lines.npos; at = end + 1) {
      const auto line = lines.substr(at, end - at);
      addresses_.push_back(line.substr(0, line.find(' ')));
      ids_.push_back(std::stoi(line.substr(line.find(' '))));
    }
    if (addresses_.size() != ids_.size() || lines.empty())
      throw std::runtime_error("scripts/memcached_servers.sh started no server");
  }

  std::string root_;
  int megabytes_;
  std::vector<script> scripts_{};
  std::vector<std::string> addresses_{};
  std::vector<pid_t> ids_{};
};

}  // namespace plumbline_test
