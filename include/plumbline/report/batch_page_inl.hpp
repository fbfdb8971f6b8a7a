#pragma once
/// Definitions of report/batch_page.hpp.

#include <plumbline/model/format.hpp>
#include <plumbline/report/batch_page.hpp>
#include <plumbline/report/box_plot.hpp>
#include <plumbline/report/explain_batches_inl.hpp>
#include <plumbline/report/page_head.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace plumbline {

namespace detail {

class batch_page_writer {
 public:
  batch_page_writer(const batch_log& of, const batch_report_options& how) : of_(of), r_(report(of, how)) {}

  std::string text() {
    out_ = page_head("plumbline: batches");
    out_ += "<p class=\"big\">" + escaped(r_.verdict) + "</p>\n";
    for (const auto& s : batch_sentences(r_)) out_ += "<p>" + escaped(s) + ".</p>";
    if (r_.batches != 0) {
      strips();
      boxes();
      if (!r_.worst.empty()) {
        heading("Batches that took longest to prepare", "With their slowest elements, of those that were timed.");
        rows_as_table(worst_rows(r_, 4), 5);
      }
      if (!r_.slowest.empty()) {
        heading("The slowest elements",
                "By their longest time, with how often each was timed in all epochs, the mean, and its share of the "
                "variance of preparation.");
        rows_as_table(slowest_rows(r_), 2);
      }
    }
    return std::move(out_) + "</body></html>\n";
  }

 private:
  static constexpr std::size_t most_strips = 300;
  void heading(const std::string& what, const std::string& text) {
    out_ += "<h2>" + escaped(what) + "</h2>" + (text.empty() ? "" : "<p>" + escaped(text) + "</p>") + "\n";
  }

  /// One line for each batch, over a common axis of time.
  void strips() {
    auto all = in_order(of_);
    const auto total = all.size();
    std::size_t first = 0;
    if (total > most_strips) {
      const auto longest = std::max_element(all.begin(), all.end(), [](const auto* a, const auto* b) {
        return a->ready - a->begun < b->ready - b->begun;
      });
      first = std::min(static_cast<std::size_t>(longest - all.begin()) -
                           std::min<std::size_t>(static_cast<std::size_t>(longest - all.begin()), most_strips / 2),
                       total - most_strips);
      all = {all.begin() + static_cast<std::ptrdiff_t>(first),
             all.begin() + static_cast<std::ptrdiff_t>(first + most_strips)};
    }
    heading("Batch by batch",
            "Orange: in preparation. Blue: ready, until the consumer used it. Red: the consumer waited "
            "for it. Green: in use." +
                (total > all.size() ? " Of " + std::to_string(total) + " batches, the " + std::to_string(all.size()) +
                                          " from number " + std::to_string(first) + " on."
                                    : std::string()));
    auto from = std::numeric_limits<std::int64_t>::max(), to = std::numeric_limits<std::int64_t>::min();
    for (const auto* b : all) {
      from = std::min(from, b->begun);
      to = std::max({to, b->ready, b->consumed, b->released});
    }
    const double left = 90, right = 950, top = 8, row = std::clamp(900.0 / static_cast<double>(all.size()), 3.0, 16.0);
    const double bottom = top + row * static_cast<double>(all.size());
    const auto x = [&](std::int64_t t) {
      return left +
             (right - left) * static_cast<double>(t - from) / static_cast<double>(std::max<std::int64_t>(to - from, 1));
    };
    svg d(out_, 960, bottom + 26);
    for (int i = 0; i <= 5; ++i) {
      const double at = left + (right - left) * i / 5;
      d.path("M" + svg::at(at) + " " + svg::at(top) + "V" + svg::at(bottom), "grid");
      d.words(at, bottom + 16, time_text(1e-9 * static_cast<double>(to - from) * i / 5),
              i == 5 ? "text-anchor=\"end\" class=\"s\"" : "text-anchor=\"middle\" class=\"s\"");
    }
    double named = -100;
    for (std::size_t i = 0; i != all.size(); ++i) {
      const auto& b = *all[i];
      const double y = top + row * static_cast<double>(i), h = row > 5 ? row - 2 : row - 0.5;
      const auto piece = [&](std::int64_t a, std::int64_t z, double at, double height, const char* kind) {
        if (z > a) d.strip(x(a), at, x(z) - x(a), height, kind);
      };
      piece(b.begun, b.ready, y, h, "prep");
      piece(b.ready, b.consumed, y + h / 4, h / 2, "fetch");
      if (b.released != 0) piece(b.consumed, b.released, y, h, "step");
      piece(b.asked, b.had, y + h / 4, h / 2, "waited");
      if (y < named + 14) continue;
      named = y;
      d.words(left - 8, y + std::min(row, 11.0), batch_name(r_, b.epoch, b.index), "text-anchor=\"end\" class=\"s\"");
    }
  }

  void boxes() {
    heading(
        "Preparation, wait and delay",
        "Of a batch. The box is from the lower to the upper quartile, with the median; the line is from the least to "
        "the most.");
    std::vector<box_row> rows;
    const auto add = [&](const char* name, const distribution& d) {
      if (d.count == 0) return;
      std::string after = time_text(d.mean) + " ± " + time_text(d.deviation);
      for (const auto& a : d.above)
        after += ", " + number_text(100 * a.share, "%.1f") + " % above " + time_text(a.limit);
      rows.push_back({name, std::move(after), d});
    };
    add("preparation", r_.preparation);
    add("wait", r_.wait);
    add("delay", r_.delay);
    add("step", r_.step);
    add("out of order, kept", r_.kept);
    draw_boxes(out_, rows);
    if (r_.operators.empty()) return;
    heading("Operators", "Of an element, where it was timed, and the operator's share of the variance of preparation.");
    rows.clear();
    for (const auto& o : r_.operators)
      rows.push_back({o.name,
                      time_text(o.seconds.mean) + " ± " + time_text(o.seconds.deviation) + ", " +
                          variance_text(r_, o.explains) + " of the variance",
                      o.seconds});
    draw_boxes(out_, rows);
    rows_as_table(operator_rows(r_), 0);
  }

  /// `text`: the column that is text.
  void rows_as_table(const table_rows& rows, std::size_t text) {
    out_ += "<div class=\"wide\"><table>";
    for (std::size_t i = 0; i != rows.size(); ++i) {
      out_ += "<tr>";
      for (std::size_t k = 0; k != rows[i].size(); ++k)
        out_ += std::string(i == 0 ? "<th" : "<td") + (k == text ? " class=\"l\">" : ">") + escaped(rows[i][k]) +
                (i == 0 ? "</th>" : "</td>");
      out_ += "</tr>";
    }
    out_ += "</table></div>\n";
  }

  const batch_log& of_;
  const batch_report r_;
  std::string out_;
};

}  // namespace detail

PLUMBLINE_INLINE std::string page(const batch_log& of, const batch_report_options& how) {
  return detail::batch_page_writer(of, how).text();
}

}  // namespace plumbline
