#pragma once
/// Drawing for pages: text, rectangles, lines and rows of bars, appended to a page as SVG. Colours are classes of the
/// page's style sheet.

#include <plumbline/model/format.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::detail {

inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}
inline std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 1) + "\u2026";
}

/// One drawing, from its construction to its end.
class svg {
 public:
  svg(std::string& page, double width, double height) : out_(page) {
    out_ += "<svg viewBox=\"0 0 " + at(width) + " " + at(height) + "\">";
  }
  svg(const svg&) = delete;
  svg& operator=(const svg&) = delete;
  ~svg() { out_ += "</svg>\n"; }

  static std::string at(double x) { return number_text(x, "%.1f"); }
  void words(double x, double y, std::string_view text, const char* more = "") {
    out_ += "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" " + more + ">" + escaped(text) + "</text>";
  }
  void rectangle(double x, double y, double w, double h, const std::string& kind) {
    out_ += "<rect x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(std::max(w, 1.0)) + "\" height=\"" + at(h) +
            "\" rx=\"4\" class=\"" + kind + "\"/>";
  }
  void circle(double x, double y, double r, const std::string& kind) {
    out_ += "<circle cx=\"" + at(x) + "\" cy=\"" + at(y) + "\" r=\"" + at(r) + "\" class=\"" + kind + "\"/>";
  }
  /// `way`: as SVG's path data.
  void path(const std::string& way, const std::string& kind) {
    out_ += "<path class=\"" + kind + "\" d=\"" + way + "\"/>";
  }

 private:
  std::string& out_;
};

/// One horizontal bar, with a label before it and words after it.
struct bar {
  std::string label, after;
  double value = 0;  ///< its length, by square roots, as from the least to the most may be many powers of ten
  std::string kind = "bar";
};
/// Bars under each other, the longest across; labels end at `left`.
inline void draw_bars(std::string& page, const std::vector<bar>& bars, double left, double across) {
  const double row = 26;
  double most = 0, y = 2;
  for (const auto& b : bars) most = std::max(most, b.value);
  svg d(page, 960, row * static_cast<double>(bars.size()) + 6);
  for (const auto& b : bars) {
    const double length = most > 0 ? across * std::sqrt(b.value / most) : 0;
    d.words(left - 10, y + 15, b.label, "text-anchor=\"end\"");
    d.rectangle(left, y + 3, length, row - 9, b.kind);
    d.words(left + std::max(length, 1.0) + 6, y + 15, b.after, "class=\"s\"");
    y += row;
  }
}

}  // namespace plumbline::detail
