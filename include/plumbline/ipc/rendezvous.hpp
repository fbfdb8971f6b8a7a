#pragma once
/// rendezvous: where the processes of one name on one machine find each other. Each listens on a Unix socket in the
/// abstract namespace, whose name vanishes with the process, and gives the shared file's descriptor to those that
/// connect. So nothing is left behind, whatever happens to a process. Only processes of the same user get it, within a
/// network namespace.

#include <plumbline/core/compiled.hpp>
#include <plumbline/ipc/shared_file.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace plumbline::detail {

/// A process's place among those of the name.
class rendezvous {
 public:
  static constexpr std::size_t most = 64;  ///< processes of one name

  /// Opens the others' file with its descriptor, or makes one, with none; throws if it is not for this process.
  using opener = std::function<std::shared_ptr<shared_file>(descriptor theirs)>;
  /// Called with the number of the place before others find this process.
  using initializer = std::function<void(std::size_t number)>;

  /// Takes a place. One process of a name does this at a time. `kind`: what shares the file; names of different kinds
  /// do not meet. Throws std::runtime_error if there are too many processes, or those that there are do not answer.
  rendezvous(const std::string& kind, const std::string& name, const opener& open, const initializer& begin = {});
  rendezvous(const rendezvous&) = delete;
  ~rendezvous();

  /// The number of the place, from 0, whose byte of the file is locked.
  std::size_t number() const { return number_; }
  /// Gives the file to a process that asks for it; returns after that, or after `ms` milliseconds (-1: never). False
  /// after stop(): the place is no longer found by others, and is left with this object.
  bool serve(int ms);
  /// From any thread.
  void stop();

 private:
  std::shared_ptr<shared_file> file_;
  std::size_t number_ = 0;
  descriptor stopped_, listening_{};  ///< the first is readable after stop()
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/ipc/rendezvous_inl.hpp>
#endif
