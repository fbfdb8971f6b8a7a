#pragma once
/// folder_name(path): the label of a file in a labelled tree, the name of its folder.
///   files("photos/**/*.jpg") | map([](const file& f) { return std::pair(f, folder_name(f.path)); })
/// tf.data: image_dataset_from_directory, PyTorch: DatasetFolder, grain: -, mlx-data: load_images_from_folder

#include <string>
#include <string_view>

namespace plumbline {

/// "dunes" for "photos/dunes/a.jpg": the name of the folder that holds a file, which in a tree with one folder per
/// class is its label (torchvision's ImageFolder). Empty where the path names no folder. Only the text is used.
inline std::string folder_name(std::string_view path) {
  const std::size_t file = path.rfind('/');
  if (file == std::string_view::npos) return {};
  const std::size_t last = path.find_last_not_of('/', file);
  if (last == std::string_view::npos) return {};
  const std::string_view folders = path.substr(0, last + 1);
  return std::string(folders.substr(folders.rfind('/') + 1));  // npos + 1 is 0
}

}  // namespace plumbline
