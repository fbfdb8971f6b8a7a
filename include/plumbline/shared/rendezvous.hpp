#pragma once
/// rendezvous: where the jobs of one name on one machine find each other. Each listens on a Unix socket in the abstract
/// namespace, whose name vanishes with the process, and gives the segment's descriptor to those that connect. So
/// nothing is left behind, whatever happens to a job. Only processes of the same user get it.

#include <plumbline/core/compiled.hpp>
#include <plumbline/shared/segment.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace plumbline::detail {

/// A job's place among those of the name.
class rendezvous {
 public:
  /// Finds the others' segment, or makes one (`create`) if there are none; `check` throws if it is another pipeline's.
  /// One job does this at a time. Throws std::runtime_error if there are too many jobs, or those that there are do not
  /// answer.
  rendezvous(const std::string& name, const std::function<std::shared_ptr<shared_segment>()>& create,
             const std::function<void(const shared_header&)>& check);
  rendezvous(const rendezvous&) = delete;
  ~rendezvous();

  const std::shared_ptr<shared_segment>& segment() const { return segment_; }
  /// The number of this job, from 0, whose byte of the segment it has locked.
  std::size_t number() const { return number_; }
  /// Gives the segment to those that ask, until `stop` is readable or `ms` milliseconds have passed.
  void serve(int stop, int ms) const;
  /// Says that the process runs. It does so at least every 50 ms.
  void beat() const { segment_->header().job[number_].beat.fetch_add(1); }
  /// Is no longer found by others. The job itself ends with this object.
  void hide();

 private:
  std::shared_ptr<shared_segment> segment_;
  std::size_t number_ = 0;
  int listening_ = -1;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/shared/rendezvous_inl.hpp>
#endif
