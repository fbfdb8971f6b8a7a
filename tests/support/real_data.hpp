#pragma once
// Real inputs that are not part of the project: the folder named by PLUMBLINE_DATA, or ../shared/data.

#include <support/skip.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace plumbline_test {

// The path of `name` in the folder of real inputs; if it is missing, reports the skip and returns nothing.
inline std::optional<std::string> real_data(const std::string& name) {
  const char* root = std::getenv("PLUMBLINE_DATA");
  const std::string path = std::string(root != nullptr ? root : "../shared/data") + "/" + name;
  if (std::filesystem::exists(path)) return path;
  skip("no " + path + "; set PLUMBLINE_DATA to the folder of real inputs");
  return std::nullopt;
}

inline std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace plumbline_test
