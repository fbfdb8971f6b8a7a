#pragma once
/// Which files a pattern names: the walk over the folders behind files().

#include <algorithm>
#include <cerrno>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <plumbline/sources/file.hpp>
#include <plumbline/sources/file_options.hpp>
#include <plumbline/sources/glob.hpp>
#include <plumbline/sources/io_error.hpp>

namespace plumbline {

namespace detail {

/// Walks each folder once for all alternatives of a pattern, as an automaton: what is left to match is a set of
/// (alternative, component).
class folder_walk {
 public:
  folder_walk(std::string_view pattern, file_options options) : options_(options) {
    for (const std::string& p : expand_braces(pattern)) {
      std::vector<component> parts;
      for (std::size_t from = 0; from < p.size();) {
        const std::size_t to = std::min(p.find('/', from), p.size());
        if (to > from) parts.emplace_back(p.substr(from, to - from));
        from = to + 1;
      }
      if (p.empty()) continue;
      if (p.back() == '/') parts.emplace_back("**");  // "x/" is everything in x
      if (parts.back().any_depth) parts.emplace_back("*");
      if (options_.ignore_case) parts.back().literal = false;
      absolute_.push_back(p.front() == '/');
      alternatives_.push_back(std::move(parts));
    }
  }

  /// All regular files that match, ordered bytewise by path, each once.
  std::vector<file> run() {
    for (const bool absolute : {false, true}) {
      states start;
      for (std::uint32_t i = 0; i < alternatives_.size(); ++i)
        if (absolute_[i] == absolute) start.push_back({i, 0});
      if (!start.empty()) walk(absolute ? "/" : "", std::move(start));
    }
    std::sort(found_.begin(), found_.end(), [](const file& a, const file& b) { return a.path < b.path; });
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

  std::size_t folders_listed() const { return folders_; }
  std::size_t entries_seen() const { return entries_; }

 private:
  struct component {
    explicit component(std::string t)
        : text(std::move(t)), any_depth(text == "**"), literal(!is_glob(text)), dots(text == "." || text == "..") {}
    std::string text;
    bool any_depth, literal, dots;
  };
  struct state {
    std::uint32_t alternative, at;
    friend auto operator<=>(const state&, const state&) = default;
  };
  using states = std::vector<state>;
  struct child {
    std::string name;
    states left;  // what is to be matched beneath it
  };

  const component& part(state s) const { return alternatives_[s.alternative][s.at]; }
  bool is_last(state s) const { return s.at + 1 == alternatives_[s.alternative].size(); }

  bool fits(state s, const std::string& name) const {
    const component& c = part(s);
    if (c.literal) return c.text == name;
    if (name[0] == '.' && !options_.hidden && c.text[0] != '.' && c.text.substr(0, 2) != "\\.") return false;
    return c.any_depth || matches_name(c.text, name, options_.ignore_case && is_last(s));
  }

  void walk(const std::string& folder, states now) {
    for (std::size_t i = 0; i < now.size(); ++i)  // "**" may also match no folder at all
      if (part(now[i]).any_depth) now.push_back({now[i].alternative, now[i].at + 1});
    std::sort(now.begin(), now.end());
    now.erase(std::unique(now.begin(), now.end()), now.end());

    std::vector<child> children;
    bool must_list = false;
    for (const state& s : now) must_list = must_list || !part(s).literal;
    for (const state& s : now) {
      if (!part(s).literal || (must_list && !part(s).dots)) continue;
      states left;
      if (!is_last(s)) left.push_back({s.alternative, s.at + 1});
      look_at(AT_FDCWD, folder, folder + part(s).text, part(s).text, DT_UNKNOWN, is_last(s), std::move(left), false,
              children);
    }
    std::size_t entered = 0;
    if (must_list && list(folder, now, children)) entered = 1;
    for (child& c : children) walk(folder + c.name + "/", std::move(c.left));
    if (entered != 0) trail_.pop_back();
  }

  /// Reads one folder; false if a chain of symbolic links has led back to one that is already being walked.
  bool list(const std::string& folder, const states& now, std::vector<child>& children) {
    const std::string shown = folder.empty() ? "." : folder;
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(shown.c_str()), &::closedir);
    if (!dir) throw_errno("files", "list folder", shown, 0, errno);
    struct stat self {};
    if (::fstat(::dirfd(dir.get()), &self) != 0) throw_errno("files", "inspect", shown, 0, errno);
    auto here = std::make_tuple(self.st_dev, self.st_ino, now);
    if (std::find(trail_.begin(), trail_.end(), here) != trail_.end()) return false;
    trail_.push_back(std::move(here));
    ++folders_;
    for (;;) {
      errno = 0;
      const dirent* e = ::readdir(dir.get());  // NOLINT(concurrency-mt-unsafe): safe on distinct streams
      if (e == nullptr && errno != 0) throw_errno("files", "list folder", shown, 0, errno);
      if (e == nullptr) return true;
      const std::string name = e->d_name;
      if (name == "." || name == "..") continue;
      ++entries_;
      bool last = false;
      states left;
      for (const state& s : now) {
        if (!fits(s, name)) continue;
        if (part(s).any_depth)
          left.push_back(s);
        else if (is_last(s))
          last = true;
        else
          left.push_back({s.alternative, s.at + 1});
      }
      if (last || !left.empty())
        look_at(::dirfd(dir.get()), folder, name, name, e->d_type, last, std::move(left), true, children);
    }
  }

  /// Records `name` as a file that was found or as a folder to enter.
  void look_at(int at, const std::string& folder, const std::string& reach, const std::string& name, unsigned char type,
               bool last, states left, bool listed, std::vector<child>& children) {
    if (type == DT_DIR && left.empty()) return;
    if (type == DT_REG && !last) return;
    struct stat s {};
    if (type != DT_DIR && ::fstatat(at, reach.c_str(), &s, 0) != 0) {
      const int code = errno;
      const bool absent = code == ENOENT || code == ENOTDIR || code == ELOOP;
      struct stat link {};
      if (absent && (!last || !listed || ::fstatat(at, reach.c_str(), &link, AT_SYMLINK_NOFOLLOW) != 0)) return;
      if (absent)
        throw io_error("plumbline: files found '" + folder + name + "', a symbolic link that leads nowhere: " +
                           errno_text(code) + "; restore what it points to, or delete it",
                       folder + name, 0, code);
      throw_errno("files", "inspect", folder + name, 0, code);
    }
    const bool is_folder = type == DT_DIR || S_ISDIR(s.st_mode);
    if (is_folder && !left.empty()) children.push_back({name, std::move(left)});
    if (last && !is_folder && S_ISREG(s.st_mode))
      found_.push_back({folder + name, static_cast<std::uint64_t>(s.st_size)});
  }

  file_options options_;
  std::vector<std::vector<component>> alternatives_;
  std::vector<bool> absolute_;
  std::vector<file> found_;
  std::vector<std::tuple<dev_t, ino_t, states>> trail_;
  std::size_t folders_ = 0, entries_ = 0;
};

}  // namespace detail
}  // namespace plumbline
