#pragma once
/// file_options: how the pattern of files() is matched.

namespace plumbline {

struct file_options {
  /// Whether "*.jpg" also matches "A.JPG": the file's name, not its folders, without regard to ASCII case.
  bool ignore_case = false;
  /// Whether names that begin with '.' match wildcards.
  bool hidden = false;
};

}  // namespace plumbline
