#pragma once
/// Definitions of report/page.hpp.

#include <plumbline/report/bars.hpp>
#include <plumbline/report/disk_chart.hpp>
#include <plumbline/report/explain_tuning_inl.hpp>
#include <plumbline/report/page.hpp>
#include <plumbline/report/page_head.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {

class page_writer {
 public:
  explicit page_writer(const tuning& t) : t_(t), made_(t.made) {}

  std::string text() {
    const auto& written = t_.attempts.front();
    out_ = page_head("plumbline: the plan");
    out_ +=
        "<p class=\"big\">" + rate(t_.rate()) + " minibatches a second" +
        (written.observed > 0 ? ", " + number_text(t_.rate() / written.observed, "%.2f") + " times as written" : "") +
        "</p><p>" + std::to_string(made_.best.threads) + " threads. " +
        (t_.limits().empty() ? "" : "What limits it: " + escaped(t_.limits().front().text) + ". ") +
        "Traced and planned in " + time_text(t_.seconds) + ".</p>\n";
    pipeline();
    operators();
    limits();
    ladder();
    disk();
    attempts();
    return std::move(out_) + "</body></html>\n";
  }

 private:
  static std::string rate(double x) { return number_text(x, x < 1000 ? "%.3g" : "%.0f"); }
  bool cached(std::uint32_t number) const { return has_cache(made_.best, number); }
  /// The share that the plan's cache after an operator keeps, in memory and on disk together.
  double kept_after(std::uint32_t number) const {
    const auto& p = made_.best;
    const auto c = static_cast<std::size_t>(std::find(p.caches.begin(), p.caches.end(), number) - p.caches.begin());
    return (p.shares.empty() ? 1 : p.shares[c].size()) + (p.on_disk.empty() ? 0 : p.on_disk[c].size());
  }

  /// Sources are on the left; each branch has a row.
  void pipeline() {
    const auto& rows = t_.seen.operators;
    const double width = 164, height = 58, gap = 28, step = height + 34;
    std::vector<std::size_t> column(rows.size()), lane(rows.size());
    std::size_t lanes = 0, columns = 0;
    for (std::size_t i = 0; i != rows.size(); ++i) {
      for (const auto from : rows[i].inputs) column[i] = std::max(column[i], column[from - 1] + 1);
      lane[i] = rows[i].inputs.empty() ? lanes++ : lane[rows[i].inputs.front() - 1];
      columns = std::max(columns, column[i] + 1);
    }
    const std::size_t per_row = 5, folds = (columns + per_row - 1) / per_row;
    const auto x = [&](std::size_t i) { return 4 + static_cast<double>(column[i] % per_row) * (width + gap); };
    const auto y = [&](std::size_t i) {
      return 26 + (static_cast<double>(column[i] / per_row * std::max<std::size_t>(lanes, 1) + lane[i])) * step;
    };
    out_ +=
        "<h2>The pipeline</h2><p>Blue edges: on I/O threads. Dashed: one thread. Green: the cache that the plan "
        "adds. Times are for one minibatch.</p>";
    svg d(out_, 8 + static_cast<double>(std::min(columns, per_row)) * (width + gap),
          26 + static_cast<double>(folds * std::max<std::size_t>(lanes, 1)) * step);
    const auto at = svg::at;
    for (std::size_t i = 0; i != rows.size(); ++i) {
      const auto& r = rows[i];
      for (const auto from : r.inputs) {
        const auto f = from - 1;
        const double x1 = x(f) + width, y1 = y(f) + height / 2, x2 = x(i), y2 = y(i) + height / 2,
                     middle = (y1 + y2) / 2;
        std::string way = "M" + at(x1) + " " + at(y1);
        if (x2 > x1)
          way += "C" + at(x1 + 12) + " " + at(y1) + " " + at(x2 - 12) + " " + at(y2) + " ";
        else  // the drawing continues in the next row
          way += "h10V" + at(middle) + "H" + at(x2 - 4) + "V" + at(y2) + "L";
        d.path(way + at(x2) + " " + at(y2), "way");
      }
      d.rectangle(x(i), y(i), width, height,
                  std::string("box") + (r.blocking ? " io" : "") +
                      (r.how == form::serial || r.how == form::structure ? " serial" : ""));
      d.fixed(x(i) + 8, y(i) + 18, std::to_string(r.number) + " " + r.name, 20, "f");
      d.fixed(x(i) + 8, y(i) + 34, r.element, 22, "f s");
      d.fixed(x(i) + 8, y(i) + 50, time_text(made_.rates.operators[i].cpu_seconds) + " of CPU", 22, "f s");
      if (cached(r.number)) {
        d.rectangle(x(i) + width - 8, y(i) - 8, 16, height + 16, "cache");
        d.words(x(i) + width - 18, y(i) - 11, "cache, " + percent_text(kept_after(r.number)), "class=\"s\"");
      }
    }
  }

  void operators() {
    out_ += "<h2>What each operator costs</h2><div class=\"wide\"><table>";
    bool head = true;
    for (const auto& row : operator_cells(t_)) {
      out_ += !head && row.back().starts_with("HERE") ? "<tr class=\"here\">" : "<tr>";
      for (std::size_t i = 0; i != row.size(); ++i)
        out_ += std::string(head ? "<th" : "<td") + (i + 1 == row.size() ? " class=\"l\">" : ">") + escaped(row[i]) +
                (head ? "</th>" : "</td>");
      out_ += "</tr>";
      head = false;
    }
    out_ += "</table></div>\n";
  }
  void limits() {
    out_ +=
        "<h2>What limits it, minibatches a second</h2><p>Each limit as if it were the only one; the lowest is the "
        "bottleneck.</p>";
    std::vector<bar> bars;
    for (const auto& l : t_.limits()) {
      if (bars.size() == 8) break;
      bars.push_back({l.text, rate(l.rate), l.rate, bars.empty() ? "bar worst" : "bar"});
    }
    draw_bars(out_, bars, rate);
  }
  void ladder() {
    out_ += std::string("<h2>The cache ladder, bytes of an epoch after each operator</h2><p>") +
            (made_.best.shares.empty()
                 ? "Green: kept. The site nearest the end that fits saves most."
                 : "Green: a share of the elements is kept. Together the caches divide the elements.") +
            "</p>";
    for (const auto& line : more_room_texts(made_)) out_ += "<p>Rate: " + escaped(line) + ".</p>";
    std::vector<bar> bars;
    for (std::size_t i = 0; i != made_.sizes.size(); ++i) {
      const auto& o = t_.seen.operators[i];
      const double bytes = made_.sizes[i].bytes;
      bars.push_back({std::to_string(o.number) + " " + o.name, made_.sites[i].reason, std::isfinite(bytes) ? bytes : 0,
                      cached(o.number) ? "cache" : "bar"});
    }
    draw_bars(out_, bars, [](double x) { return bytes_text(x); });
  }
  void disk() {
    if (!made_.best.disk.known()) return;
    out_ += "<h2>The disk, bytes a second by reads at a time</h2><p>" +
            escaped(made_.best.disk.how.empty() ? "As given." : "Dots: as measured, " + made_.best.disk.how + ".") +
            "</p><p>" + escaped(place_on_disk(made_)) + "</p>";
    draw_disk(out_, made_);
  }
  void attempts() {
    compared("Forms tried", t_.attempts, t_.kept);
    if (!t_.alternatives.empty()) compared("Pipelines compared", t_.alternatives, t_.taken);
  }
  void compared(const std::string& what, const std::vector<attempt>& all, std::size_t best) {
    out_ += "<h2>" + what + ", minibatches a second</h2>";
    std::vector<bar> bars;
    for (std::size_t i = 0; i != all.size(); ++i)
      bars.push_back({all[i].what +
                          (all[i].predicted > 0 ? " (predicted " + rate(all[i].predicted) +
                                                      (all[i].after > 0 ? ", then " + rate(all[i].after) : "") + ")"
                                                : "") +
                          (i == best ? ", kept" : ""),
                      all[i].count > 0 ? rate(all[i].observed) : "not run", all[i].observed});
    draw_bars(out_, bars, rate);
  }

  const tuning& t_;
  const planning& made_;
  std::string out_;
};

}  // namespace detail

PLUMBLINE_INLINE std::string page(const tuning& t) { return detail::page_writer(t).text(); }

}  // namespace plumbline
