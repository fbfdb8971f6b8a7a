#pragma once
/// What several benchmarks read: photos, and text files that are written for the purpose.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace bench {

/// PLUMBLINE_DATA, or the folder beside the project.
inline std::string data_folder() {
  const char* stated = std::getenv("PLUMBLINE_DATA");
  return stated != nullptr ? stated : PLUMBLINE_SOURCE_DIR "/../shared/data";
}
/// The pattern of the photos there, or of those that the project has.
inline std::string photos() {
  const auto there = data_folder() + "/photos_clothing";
  return (std::filesystem::is_directory(there) ? there : PLUMBLINE_SOURCE_DIR "/examples/data/photos") + "/**/*.jpg";
}

/// An empty folder, removed with the object. One for each program.
class temporary_folder {
 public:
  temporary_folder()
      : folder_(std::filesystem::temp_directory_path() / ("plumbline_bench_" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  temporary_folder(const temporary_folder&) = delete;
  ~temporary_folder() { std::filesystem::remove_all(folder_); }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// One with 200 files of numbers as text.
class text_files : public temporary_folder {
 public:
  explicit text_files(int numbers, int files = 200) {
    for (int i = 0; i != files; ++i) {
      std::ofstream out(folder() / (std::to_string(1000 + i) + ".txt"));
      for (int k = 0; k != numbers; ++k)
        out << (static_cast<unsigned>(k) * 2654435761U + static_cast<unsigned>(i)) % 9973 << ' ';
    }
  }
  std::string pattern() const { return (folder() / "*.txt").string(); }
};

}  // namespace bench
