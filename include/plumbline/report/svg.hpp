#pragma once
/// svg: drawing for pages: text, rectangles and lines, appended to a page as SVG. Colours are classes of the page's
/// style sheet.

#include <plumbline/model/format.hpp>

#include <algorithm>
#include <string>
#include <string_view>

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
/// UTF-8 text of at most `most` characters (code points), the last of which is an ellipsis if some are missing.
inline std::string shortened(const std::string& text, std::size_t most) {
  std::size_t n = 0, cut = 0;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
    if (++n == most) cut = i;
  }
  return n <= most ? text : text.substr(0, cut) + "\u2026";
}

/// One drawing; the destructor completes it.
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
  /// Text of at most `most` characters, in a font of fixed width; the whole of it is shown where the pointer rests.
  void fixed(double x, double y, const std::string& text, std::size_t most, const std::string& kind) {
    out_ += "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" class=\"" + kind + "\"><title>" + escaped(text) +
            "</title>" + escaped(shortened(text, most)) + "</text>";
  }
  void rectangle(double x, double y, double w, double h, const std::string& kind) {
    out_ += "<rect x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(std::max(w, 1.0)) + "\" height=\"" + at(h) +
            "\" rx=\"4\" class=\"" + kind + "\"/>";
  }
  /// The same without rounded corners and as thin as 0.3.
  void strip(double x, double y, double w, double h, const std::string& kind) {
    out_ += "<rect x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(std::max(w, 0.3)) + "\" height=\"" + at(h) +
            "\" class=\"" + kind + "\"/>";
  }
  void circle(double x, double y, double r, const std::string& kind) {
    out_ += "<circle cx=\"" + at(x) + "\" cy=\"" + at(y) + "\" r=\"" + at(r) + "\" class=\"" + kind + "\"/>";
  }
  /// `way`: SVG path data.
  void path(const std::string& way, const std::string& kind) {
    out_ += "<path class=\"" + kind + "\" d=\"" + way + "\"/>";
  }

 private:
  std::string& out_;
};

}  // namespace plumbline::detail
