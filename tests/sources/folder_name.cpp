#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

#include <plumbline/sources/folder_name.hpp>

using plumbline::folder_name;

TEST_CASE("the label of a file is the name of its folder") {
  CHECK(folder_name("photos/dunes/a.jpg") == "dunes");
  CHECK(folder_name("a.jpg").empty());
  CHECK(folder_name("").empty());
  CHECK(folder_name("/").empty());
  for (const std::string path : {"a/b", "/a/b", "/a", "a//b", "/x//y///z", "../a", "./a", "a/b/", "a b/c.d/e", "//"}) {
    INFO(path);
    CHECK(folder_name(path) == std::filesystem::path(path).parent_path().filename().string());
  }
}
