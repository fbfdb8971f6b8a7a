#pragma once
/// enlarged_photos: copies of photos with twice their height and width, in a temporary folder.

#include <plumbline/image.hpp>
#include <plumbline/image/stb_image_write.hpp>
#include <plumbline/plumbline.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace bench {

namespace pl = plumbline;

class enlarged_photos {
 public:
  explicit enlarged_photos(const pl::file_list& files)
      : folder_(std::filesystem::temp_directory_path() / ("plumbline_enlarged_" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
    auto s = pl::run(pl::files(files) | pl::read_file(), {.threads = 0});
    for (const auto& file : s) {
      const auto small = pl::decode()(file);
      const auto large = pl::resize(2 * small.height(), 2 * small.width())(small);
      const auto path = (folder_ / (std::to_string(paths_.size()) + ".jpg")).string();
      std::ofstream out(path, std::ios::binary);
      pl::detail::stb::stbi_write_jpg_to_func(
          [](void* to, void* data, int size) {
            static_cast<std::ofstream*>(to)->write(static_cast<const char*>(data), size);
          },
          &out, static_cast<int>(2 * small.width()), static_cast<int>(2 * small.height()),
          static_cast<int>(small.channels()), large.data(), 90);
      paths_.emplace(file.path, path);
    }
  }
  enlarged_photos(const enlarged_photos&) = delete;
  ~enlarged_photos() { std::filesystem::remove_all(folder_); }
  const std::string& of(const std::string& path) const { return paths_.at(path); }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string> paths_;
};

}  // namespace bench
