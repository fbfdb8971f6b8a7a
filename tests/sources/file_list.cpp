#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <plumbline/sources/file_list.hpp>

#include "support/skip.hpp"
#include "support/temp_folder.hpp"

namespace pl = plumbline;
namespace fs = std::filesystem;
using plumbline_test::temp_folder;
using strings = std::vector<std::string>;
using Catch::Contains;

namespace {

// Paths below the temporary folder.
strings names(const temp_folder& t, const pl::file_list& l) {
  strings out;
  for (const pl::file& f : l) out.push_back(f.path.substr(t.path().size() + 1));
  return out;
}
strings find(const temp_folder& t, const std::string& pattern, pl::file_options o = {}) {
  return names(t, pl::file_list(t / pattern, o));
}

class working_folder {
 public:
  explicit working_folder(const std::string& path) : before_(fs::current_path()) { fs::current_path(path); }
  working_folder(const working_folder&) = delete;
  working_folder& operator=(const working_folder&) = delete;
  ~working_folder() { fs::current_path(before_); }

 private:
  fs::path before_;
};

}  // namespace

TEST_CASE("file_list: patterns") {
  const temp_folder t;
  for (const char* n : {"b.jpg", "a.jpg", "a.png", "c.JPG", "x/a.jpg", "x/y/b.jpeg", "x/y/z/c.jpg", "y/d.txt",
                        ".hidden.jpg", ".git/e.jpg"})
    t.write(n);
  CHECK(find(t, "*.jpg") == strings{"a.jpg", "b.jpg"});
  CHECK(find(t, "*.{jpg,jpeg,png}") == strings{"a.jpg", "a.png", "b.jpg"});
  CHECK(find(t, "**/*.jpg") == strings{"a.jpg", "b.jpg", "x/a.jpg", "x/y/z/c.jpg"});
  CHECK(find(t, "**/*.{jpg,jpeg}") == strings{"a.jpg", "b.jpg", "x/a.jpg", "x/y/b.jpeg", "x/y/z/c.jpg"});
  CHECK(find(t, "**/y/**/*.jp*") == strings{"x/y/b.jpeg", "x/y/z/c.jpg"});
  CHECK(find(t, "x/**") == strings{"x/a.jpg", "x/y/b.jpeg", "x/y/z/c.jpg"});
  CHECK(find(t, "x/*/") == strings{"x/y/b.jpeg", "x/y/z/c.jpg"});
  CHECK(find(t, "*/*.jpg") == strings{"x/a.jpg"});
  CHECK(find(t, "?/[ad].*") == strings{"x/a.jpg", "y/d.txt"});
  CHECK(find(t, "{x/y,y}/*") == strings{"x/y/b.jpeg", "y/d.txt"});
  CHECK(find(t, "{a,b,a}.jpg") == strings{"a.jpg", "b.jpg"});
  CHECK(find(t, "{*,a}.jpg") == strings{"a.jpg", "b.jpg"});
  CHECK(find(t, "x/{missing,a}.jpg") == strings{"x/a.jpg"});
  CHECK(find(t, "**/**/*.txt") == strings{"y/d.txt"});
  CHECK(find(t, "x/../*.png") == strings{"x/../a.png"});
  CHECK(find(t, "*/../a.png") == strings{"x/../a.png", "y/../a.png"});
  CHECK(find(t, "x/./a.jp?") == strings{"x/./a.jpg"});
  CHECK(find(t, "x//a.jp?") == strings{"x/a.jpg"});
  SECTION("hidden names") {
    CHECK(find(t, ".*.jpg") == strings{".hidden.jpg"});
    CHECK(find(t, ".git/*") == strings{".git/e.jpg"});
    CHECK(find(t, "**/*.jpg", {.hidden = true}) ==
          strings{".git/e.jpg", ".hidden.jpg", "a.jpg", "b.jpg", "x/a.jpg", "x/y/z/c.jpg"});
  }
  SECTION("the case of file names can be ignored, that of folders cannot") {
    CHECK(find(t, "*.jpg", {.ignore_case = true}) == strings{"a.jpg", "b.jpg", "c.JPG"});
    CHECK(find(t, "C.jpg", {.ignore_case = true}) == strings{"c.JPG"});
    CHECK_THROWS_AS(find(t, "X/*.jpg", {.ignore_case = true}), pl::io_error);
  }
  SECTION("a folder means everything below it; a name means itself") {
    CHECK(find(t, "x") == strings{"x/a.jpg", "x/y/b.jpeg", "x/y/z/c.jpg"});
    CHECK(find(t, "x/") == strings{"x/a.jpg", "x/y/b.jpeg", "x/y/z/c.jpg"});
    CHECK(find(t, "b.jpg") == strings{"b.jpg"});
    t.write("odd[1]{a,b}*.jpg", "12345");
    CHECK(find(t, "odd[1]{a,b}*.jpg") == strings{"odd[1]{a,b}*.jpg"});
    t.write("odd*dir/in.jpg");
    CHECK(find(t, "odd*dir") == strings{"odd*dir/in.jpg"});
  }
  SECTION("relative to the working directory") {
    const working_folder here(t.path());
    CHECK(pl::file_list("*.png")[0] == pl::file{"a.png", 1});
    CHECK(pl::file_list("./*.png")[0].path == "./a.png");
    CHECK(pl::file_list("**/z/*")[0].path == "x/y/z/c.jpg");
    CHECK(pl::file_list(".").size() == 8);
    CHECK(pl::file_list("**/*.txt").size() == 1);
  }
}

TEST_CASE("file_list: order is bytewise by the whole path, sizes are known, copies share") {
  const temp_folder t;
  for (const char* n : {"b", "B", "a b", "a", "é", "z", "猫/1", "a-1", "a/1", "ab", "10", "9"}) {
    if (std::string(n) != "a/1") t.write(n, "1234");
  }
  const pl::file_list l(t.path());
  const strings found = names(t, l);
  CHECK(found == strings{"10", "9", "B", "a", "a b", "a-1", "ab", "b", "z", "é", "猫/1"});
  CHECK(std::is_sorted(found.begin(), found.end()));
  CHECK(l.bytes() == 44);
  CHECK(l[3].size == 4);
  const pl::file_list copy = l;
  CHECK(&copy[0] == &l[0]);
}

TEST_CASE("file_list: lists keep their order and may repeat") {
  const temp_folder t;
  const std::string a = t.write("a.txt"), b = t.write("b.txt"), c = t.write("d/c.txt");
  CHECK(names(t, pl::file_list(strings{b, a, b})) == strings{"b.txt", "a.txt", "b.txt"});
  CHECK(names(t, pl::file_list({c.c_str(), a.c_str()})) == strings{"d/c.txt", "a.txt"});
  CHECK(names(t, pl::file_list(strings{t / "d/*", t / "*"})) == strings{"d/c.txt", "a.txt", "b.txt"});
  CHECK(pl::file_list(strings{}).size() == 0);
  CHECK(pl::file_list(pl::file{"anything", 7}).bytes() == 7);
  CHECK_THROWS_WITH(pl::file_list(strings{a, t / "gone.txt"}), Contains("gone.txt"));
}

TEST_CASE("file_list: nothing matches") {
  const temp_folder t;
  t.write("photos/a.JPG");
  t.write("photos/b.JPG");
  t.write("photos/.c.png");
  const auto says = [&](const std::string& pattern, pl::file_options o = {}) -> std::string {
    try {
      (void)pl::file_list(t / pattern, o);
      return "no error";
    } catch (const pl::io_error& e) {
      CHECK(e.path() == t / pattern);
      CHECK(e.code() == ENOENT);
      return e.what();
    }
  };
  CHECK_THAT(says("photos/*.gif"), Contains("plumbline: files: nothing matches '" + (t / "photos/*.gif") + "'") &&
                                       Contains("1 folder with 3 entries searched") &&
                                       Contains("the nearest existing folder is '" + (t / "photos") +
                                                "' with 3 entries, the most similar 'a.JPG'; check the pattern"));
  CHECK_THAT(says("photos/*.jpg"), Contains("something matches with file_options{.ignore_case = true}"));
  CHECK_THAT(says("photos/*.png"), Contains("something matches with file_options{.hidden = true}"));
  CHECK_THAT(says("pictures/train/*.jpg"),
             Contains("the nearest existing folder is '" + t.path() + "' with 1 entry, 'photos'; check"));
  CHECK_THAT(says("photos/c.JPG"), Contains("the nearest existing folder is '" + (t / "photos") + "' with 3 entries"));
  CHECK_THAT(says("photos*/x.jpg"), Contains("the nearest existing folder is '" + t.path() + "'"));
  CHECK_THAT(says("photos/a.JPG/x"), Contains("nearest existing folder is '" + (t / "photos") + "'"));
  fs::create_directory(t / "empty");
  fs::create_directory(t / "empty/below");
  const std::string nothing = "' holds no regular files; 2 folders with 1 entry searched; put files there, or name ";
  CHECK_THAT(says("empty"), Contains("plumbline: files: the folder '" + (t / "empty") + nothing));
  CHECK_THAT(says("empty/"), Contains("the folder '" + (t / "empty/") + nothing));
  CHECK_THAT(says("empty/*"), Contains("nothing matches") && Contains("with 1 entry, 'below'"));
  t.write("empty/.hidden");
  CHECK_THAT(says("empty"), Contains("holds no regular files") && Contains("file_options{.hidden = true}"));
  CHECK_THROWS_WITH(pl::file_list(""), Contains("nothing matches ''"));
  CHECK_THROWS_WITH(pl::file_list("/nonexistent/*"), Contains("nearest existing folder is '/'"));
  const working_folder here(t.path());
  CHECK_THROWS_WITH(pl::file_list("nope*"), Contains("nearest existing folder is '.' with 2 entries"));
}

TEST_CASE("file_list: where nothing matches, a brace that is never closed is named") {
  const temp_folder t;
  t.write("a.jpg");
  const auto brace = [](const std::string& rest) {
    return Contains("; the brace in '" + rest + "' is never closed: add '}', or write \\{ for a brace in a name");
  };
  CHECK_THROWS_WITH(pl::file_list(t / "*.{jpg,png"), brace("{jpg,png"));
  CHECK_THROWS_WITH(pl::file_list(t / "{a,{b,c}.jpg"), brace("{a,{b,c}.jpg"));
  CHECK_THROWS_WITH(pl::file_list(t / "{b,c}.jpg"), Contains("check the pattern") && !Contains("brace"));
  CHECK_THROWS_WITH(pl::file_list(t / "\\{b,c.jpg"), !Contains("brace"));
  t.write("*.{jpg,png");
  CHECK(pl::file_list(t / "*.{jpg,pn?").size() == 1);  // it stands for itself
}

TEST_CASE("file_list: where nothing matches, the entry is named that is most like the pattern") {
  const auto similar = [](const strings& entries, const std::string& pattern, pl::file_options o = {}) -> std::string {
    const temp_folder t;
    for (const auto& e : entries) e.back() == '/' ? void(fs::create_directories(t / e)) : void(t.write(e));
    try {
      (void)pl::file_list(t / pattern, o);
      return "no error";
    } catch (const pl::io_error& e) {
      const std::string said = e.what(), before = "the most similar '";
      const auto from = said.find(before);
      return from == said.npos ? said : said.substr(from + before.size(), said.rfind('\'') - from - before.size());
    }
  };
  CHECK(similar({"readme.md", "cat3.jpg", "cat10.jpg", "zebra.jpg"}, "cat1.jpg") == "cat10.jpg");
  CHECK(similar({"bat.jpeg", "cat.jpg", "dog.jpeg"}, "cat.jpeg") == "cat.jpg");  // only the extension differs
  CHECK(similar({"b.png", "a.png", "x.jpeg"}, "*.jpg") == "x.jpeg");
  CHECK(similar({"b.txt", "a.txt"}, "*.jpg") == "a.txt");  // of equals the first
  CHECK(similar({"train.zip", "trains/", "val/"}, "train/*.jpg") == "trains");
  CHECK(similar({"photos/", "photo.txt"}, "photoz") == "photos");
  CHECK(similar({"a.png/", "b.webp"}, "*.jpg") == "b.webp");
  CHECK(similar({"sea/", "a.png", "b.jpeg"}, "**/*.jpg") == "b.jpeg");
  CHECK(similar({".a.jpeg", "z"}, "*.jpg") == "z");
  CHECK(similar({".a.jpeg", "z"}, "*.jpg", {.hidden = true}) == ".a.jpeg");
  CHECK(similar({".a.jpeg", "z"}, ".*.jpg") == ".a.jpeg");
  CHECK(similar({"1.wav", "2.flac"}, "*.{mp3,flac2}") == "2.flac");
  CHECK(similar({"img_b1.png", "im.png"}, "img_[a-c]?.jpg") == "img_b1.png");
}

TEST_CASE("file_list: symbolic links are followed, loops end, dangling links are errors") {
  const temp_folder t;
  t.write("a/1.jpg");
  t.write("a/b/2.jpg");
  fs::create_directory_symlink(t / "a", t / "a/b/up");      // a loop
  fs::create_directory_symlink("..", t / "a/parent");       // another
  fs::create_directory_symlink(t / "a/b", t / "shortcut");  // no loop
  fs::create_symlink(t / "a/1.jpg", t / "a/link.jpg");
  fs::create_symlink("self", t / "self");
  CHECK(find(t, "shortcut/*.jpg") == strings{"shortcut/2.jpg"});
  CHECK(find(t, "a/*.jpg") == strings{"a/1.jpg", "a/link.jpg"});
  CHECK(find(t, "a/**/*.jpg") == strings{"a/1.jpg", "a/b/2.jpg", "a/link.jpg", "a/parent/shortcut/2.jpg"});
  CHECK_THROWS_WITH(pl::file_list(t / "*"), Contains("'" + (t / "self") + "', a symbolic link that leads nowhere"));
  fs::remove(t / "self");
  fs::create_symlink("gone.jpg", t / "a/dangling.jpg");
  CHECK_THROWS_WITH(pl::file_list(t / "a/*.jpg"),
                    Contains("a/dangling.jpg', a symbolic link that leads nowhere: No such file"));
  CHECK(find(t, "a/*k.jpg") == strings{"a/link.jpg"});
}

TEST_CASE("file_list: folders that link to each other are walked once for each path without a repetition") {
  const temp_folder t;
  t.write("a/1.jpg");
  t.write("b/2.jpg");
  fs::create_directory_symlink("../b", t / "a/b");
  fs::create_directory_symlink("../a", t / "b/a");
  fs::create_directory_symlink("a", t / "c");
  const strings all{"a/1.jpg", "a/b/2.jpg", "b/2.jpg", "b/a/1.jpg", "c/1.jpg", "c/b/2.jpg"};  // as find -L
  CHECK(find(t, "**/*.jpg") == all);
  CHECK(find(t, "") == all);
  CHECK(find(t, "a/*/*/*/*.jpg") == strings{"a/b/a/b/2.jpg"});  // a pattern that states its depth ends by itself
}

TEST_CASE("file_list: patterns do not match what is not a regular file; its name is an error") {
  const temp_folder t;
  t.write("a.txt");
  fs::create_directory(t / "b.txt");
  REQUIRE(::mkfifo((t / "c.txt").c_str(), 0600) == 0);
  CHECK(find(t, "*.txt") == strings{"a.txt"});
  CHECK_THROWS_WITH(pl::file_list(t / "c.txt"), Contains("neither a regular file nor a folder"));
}

TEST_CASE("file_list: a null pointer, as of a variable that is not set, is an error") {
  const char* const none = std::getenv("PLUMBLINE_TEST_NOT_SET");
  const auto error = Contains("plumbline: files: the pattern is a null pointer");
  CHECK_THROWS_WITH(pl::file_list(none), error);
  CHECK_THROWS_WITH(pl::file_list({"/", none}), error);
}

TEST_CASE("file_list: a folder that cannot be listed is an error that names it", "[host]") {
  const temp_folder t;
  t.write("open/a.txt");
  t.write("shut/b.txt");
  fs::permissions(t.path(), fs::perms::all);
  fs::permissions(t / "shut", fs::perms::none);
  const bool root = ::geteuid() == 0;
  if (root && ::seteuid(65534) != 0) {
    plumbline_test::skip("root may read everything, and cannot switch to another user here");
    return;
  }
  std::string listed, inspected, literal;
  const auto message = [](const std::string& pattern) -> std::string {
    try {
      (void)pl::file_list(pattern);
      return "";
    } catch (const pl::io_error& e) {
      return std::to_string(e.code()) + " " + e.what();
    }
  };
  listed = message(t / "**/*.txt");
  literal = message(t / "shut/b.txt");
  inspected = message(t / "shut/{b,c}.txt");
  if (root) REQUIRE(::seteuid(0) == 0);
  fs::permissions(t / "shut", fs::perms::all);
  const std::string denied = std::to_string(EACCES);
  CHECK(listed == denied + " plumbline: files cannot list folder '" + (t / "shut/") +
                      "': Permission denied (errno 13); check its permissions and those of the folders above it");
  CHECK_THAT(literal, Contains("cannot inspect '" + (t / "shut/b.txt") + "': Permission denied"));
  CHECK_THAT(inspected, Contains("cannot inspect '" + (t / "shut/b.txt") + "': Permission denied"));
}
