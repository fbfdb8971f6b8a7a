#pragma once
#include <stdexcept>
#include <string>

namespace plumbline {

/// Thrown when bytes that should be a picture are not, or are damaged. what() says how.
class decode_error : public std::runtime_error {
 public:
  explicit decode_error(const std::string& what) : std::runtime_error("plumbline: decode: " + what) {}
};

}  // namespace plumbline
