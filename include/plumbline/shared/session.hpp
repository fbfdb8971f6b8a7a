#pragma once
/// shared_session: a job's threads. One lets others join, and takes the preparer's place when it is free; another is
/// the preparer then.

#include <plumbline/core/compiled.hpp>
#include <plumbline/shared/preparer.hpp>
#include <plumbline/shared/reader.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace plumbline::detail {

class shared_session {
 public:
  using opener = shared_preparer::opener;
  shared_session(std::shared_ptr<shared_reader> reader, opener open, double patience);
  shared_session(const shared_session&) = delete;
  ~shared_session();

  shared_reader& reader() const { return *reader_; }
  const std::shared_ptr<shared_reader>& reader_handle() const { return reader_; }
  bool prepares() const { return prepares_.load(); }
  std::uint64_t prepared() const { return preparer_.made(); }
  std::uint64_t copied() const { return preparer_.copied(); }
  std::size_t jobs() const;
  /// Ends everything but what is held. From any thread.
  void stop();

 private:
  void serve();
  void prepare();

  const std::shared_ptr<shared_reader> reader_;
  const opener open_;
  shared_preparer preparer_;
  std::atomic<bool> prepares_{false}, stopped_{false};
  std::thread preparing_, serving_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/shared/session_inl.hpp>
#endif
