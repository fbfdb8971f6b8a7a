#pragma once
// mps: a reader of linear programs in MPS files, fixed and free form, for the reference problems. RANGES and all kinds
// of BOUNDS, OBJSENSE, MARKER lines; an RHS entry of the objective row is minus its constant. Numbers from 1e30 on are
// infinite. The form is described in IBM's MPSX/370 manual and at https://lpsolve.sourceforge.net/5.5/mps-format.htm

#include <plumbline/lp/problem.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <istream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace plumbline_test {

enum class mps_form { fixed, free };

class mps_reader {
 public:
  static plumbline::lp::problem read(std::istream& in, mps_form form) {
    mps_reader r(form);
    std::string line;
    while (std::getline(in, line)) {
      ++r.number_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.find_first_not_of(" \t") == std::string::npos || line[0] == '*') continue;
      if (line[0] != ' ' && line[0] != '\t') {
        if (!r.section(line)) break;
      } else {
        r.data(line);
      }
    }
    r.finish();
    return std::move(r.p_);
  }
  static plumbline::lp::problem read_file(const std::string& path, mps_form form = mps_form::fixed) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot open " + path);
    return read(in, form);
  }

 private:
  explicit mps_reader(mps_form form) : form_(form) {}
  using number = double;
  static constexpr int objective_row = -1, ignored_row = -2;

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("mps: line " + std::to_string(number_) + ": " + what);
  }

  bool section(const std::string& line) {
    std::istringstream words(line);
    words >> section_;
    if (section_ == "OBJSENSE") {
      std::string sense;
      if (words >> sense) set_sense(sense);
    }
    return section_ != "ENDATA";
  }
  void set_sense(const std::string& word) {
    if (word.rfind("MAX", 0) == 0)
      p_.goal = plumbline::lp::sense::maximise;
    else if (word.rfind("MIN", 0) != 0)
      fail("unknown objective sense " + word);
  }

  // The fields of a data line: by place in fixed form (2-3, 5-12, 15-22, 25-36, 40-47, 50-61), by blanks in free form.
  std::vector<std::string> fields(const std::string& line) const {
    std::vector<std::string> out;
    if (form_ == mps_form::free) {
      std::istringstream words(line);
      for (std::string w; words >> w;) out.push_back(w);
      return out;
    }
    static constexpr std::size_t begin[] = {1, 4, 14, 24, 39, 49}, end[] = {3, 12, 22, 36, 47, 61};
    for (int f = 0; f < 6; ++f) {
      std::string piece;
      if (line.size() > begin[f]) piece = line.substr(begin[f], end[f] - begin[f]);
      const auto first = piece.find_first_not_of(" \t"), last = piece.find_last_not_of(" \t");
      out.push_back(first == std::string::npos ? "" : piece.substr(first, last - first + 1));
    }
    return out;
  }

  number value(const std::string& text) const {
    char* end = nullptr;
    std::string plain = text;
    for (char& c : plain)
      if (c == 'D' || c == 'd') c = 'E';  // Fortran's
    const number x = std::strtod(plain.c_str(), &end);
    if (plain.empty() || end != plain.c_str() + plain.size()) fail("`" + text + "` is no number");
    return x >= 1e30 ? plumbline::lp::infinity : x <= -1e30 ? -plumbline::lp::infinity : x;
  }
  int row_of(const std::string& name) const {
    const auto found = rows_.find(name);
    if (found == rows_.end()) fail("no row is called " + name);
    return found->second;
  }
  int variable_of(const std::string& name) const {
    const auto found = variables_.find(name);
    if (found == variables_.end()) fail("no column is called " + name);
    return found->second;
  }

  void data(const std::string& line) {
    std::vector<std::string> f = fields(line);
    if (section_ == "OBJSENSE") {
      std::istringstream words(line);
      std::string sense;
      words >> sense;
      set_sense(sense);
    } else if (section_ == "ROWS") {
      if (f.size() < 2) fail("a row has a kind and a name");
      add_row(f[0], f[1]);
    } else if (section_ == "COLUMNS") {
      // fixed: ["", column, row, value, row, value]; free: without the first
      if (form_ == mps_form::free) f.insert(f.begin(), "");
      f.resize(6);
      if (f[2] == "'MARKER'") {
        integer_ = f[4] == "'INTORG'" || f[3] == "'INTORG'";
        return;
      }
      coefficients(f);
    } else if (section_ == "RHS" || section_ == "RANGES") {
      if (form_ == mps_form::free) {
        if (f.size() % 2 == 0) f.insert(f.begin(), "");  // the set's name may be missing
        f.insert(f.begin(), "");
      }
      f.resize(6);
      for (std::size_t k = 2; k < 6; k += 2)
        if (!f[k].empty())
          section_ == "RHS" ? right_side(row_of(f[k]), value(f[k + 1])) : range(row_of(f[k]), value(f[k + 1]));
    } else if (section_ == "BOUNDS") {
      if (form_ == mps_form::free) {
        const bool valueless = f[0] == "FR" || f[0] == "MI" || f[0] == "PL" || f[0] == "BV";
        if (f.size() == (valueless ? 2U : 3U)) f.insert(f.begin() + 1, "");
      }
      f.resize(4);
      bound(f[0], variable_of(f[2]), f[3]);
    } else if (section_ != "NAME") {
      fail("unknown section " + section_);
    }
  }

  void add_row(const std::string& kind, const std::string& name) {
    int place = ignored_row;
    if (kind == "N") {
      if (!has_objective_) place = objective_row;
      has_objective_ = true;
    } else {
      plumbline::lp::row r{.name = name, .lower = -plumbline::lp::infinity, .upper = plumbline::lp::infinity};
      if (kind == "E" || kind == "G") r.lower = 0;
      if (kind == "E" || kind == "L") r.upper = 0;
      if (kind != "E" && kind != "G" && kind != "L") fail("unknown kind of row " + kind);
      place = p_.add_row(r, {});
      kinds_.push_back(kind[0]);
    }
    if (!rows_.emplace(name, place).second) fail("a second row is called " + name);
  }

  void coefficients(const std::vector<std::string>& f) {
    const auto [found, added] = variables_.emplace(f[1], static_cast<int>(p_.variables.size()));
    if (added) {
      p_.add_variable({.name = f[1], .integer = integer_});
      if (integer_) p_.variables.back().upper = 1;  // until BOUNDS says otherwise, as in CPLEX
      upper_given_.push_back(false);
    }
    for (std::size_t k = 2; k < 6; k += 2) {
      if (f[k].empty()) continue;
      const int row = row_of(f[k]);
      const number x = value(f[k + 1]);
      if (row == objective_row) p_.variables[static_cast<std::size_t>(found->second)].cost += x;
      if (row >= 0) p_.entries.push_back({row, found->second, x});
    }
  }

  void right_side(int row, number x) {
    if (row == objective_row) p_.constant = -x;
    if (row < 0) return;
    auto& r = p_.rows[static_cast<std::size_t>(row)];
    if (r.lower != -plumbline::lp::infinity) r.lower = x;
    if (r.upper != plumbline::lp::infinity) r.upper = x;
  }

  void range(int row, number x) {
    if (row >= 0) ranges_.emplace_back(row, x);  // RHS may still come
  }

  void bound(const std::string& kind, int j, const std::string& text) {
    auto& v = p_.variables[static_cast<std::size_t>(j)];
    const auto given = upper_given_.begin() + j;
    if (kind == "FR") {
      v.lower = -plumbline::lp::infinity;
      v.upper = plumbline::lp::infinity;
    } else if (kind == "MI") {
      v.lower = -plumbline::lp::infinity;
    } else if (kind == "PL") {
      v.upper = plumbline::lp::infinity;
    } else if (kind == "BV") {
      v.integer = true;
      v.lower = 0;
      v.upper = 1;
    } else if (kind == "UP" || kind == "UI") {
      v.upper = value(text);
      if (v.upper < 0 && v.lower == 0) v.lower = -plumbline::lp::infinity;
      if (kind == "UI") v.integer = true;
    } else if (kind == "LO" || kind == "LI") {
      v.lower = value(text);
      if (kind == "LI") v.integer = true;
      if (v.integer && !*given) v.upper = plumbline::lp::infinity;
    } else if (kind == "FX") {
      v.lower = v.upper = value(text);
    } else {
      fail("unknown kind of bound " + kind);
    }
    if (kind != "LO" && kind != "LI" && kind != "MI") *given = true;
  }

  void finish() {
    for (const auto& [row, x] : ranges_) {
      auto& r = p_.rows[static_cast<std::size_t>(row)];
      switch (kinds_[static_cast<std::size_t>(row)]) {
        case 'L':
          r.lower = r.upper - std::abs(x);
          break;
        case 'G':
          r.upper = r.lower + std::abs(x);
          break;
        default:
          x < 0 ? r.lower += x : r.upper += x;
      }
    }
  }

  mps_form form_;
  plumbline::lp::problem p_{};
  std::string section_{};
  std::unordered_map<std::string, int> rows_{}, variables_{};
  std::vector<char> kinds_{};
  std::vector<bool> upper_given_{};
  std::vector<std::pair<int, number>> ranges_{};
  bool has_objective_ = false, integer_ = false;
  int number_ = 0;
};

}  // namespace plumbline_test
