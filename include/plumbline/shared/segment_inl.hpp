#pragma once
/// Definitions of shared/segment.hpp.

#include <plumbline/shared/segment.hpp>

#include <cerrno>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE shared_segment::shared_segment(std::size_t capacity)
    : shared_file("run_shared", capacity),
      all_(*this, size(), access::read),
      head_(*this, sizeof(shared_header), access::write) {
  if (!reserve(0, sizeof(shared_header))) throw_shared(kind(), "reserve shared memory", ENOMEM);
}
PLUMBLINE_INLINE shared_segment::shared_segment(descriptor opened)
    : shared_file("run_shared", std::move(opened), sizeof(shared_header)),
      all_(*this, size(), access::read),
      head_(*this, sizeof(shared_header), access::write) {}

}  // namespace plumbline::detail
