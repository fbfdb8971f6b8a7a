#pragma once
/// Definitions of report/stall_page.hpp.

#include <plumbline/model/format.hpp>
#include <plumbline/report/explain_stalls_inl.hpp>
#include <plumbline/report/line_chart.hpp>
#include <plumbline/report/page_head.hpp>
#include <plumbline/report/stall_page.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace plumbline {

namespace detail {

class stall_page_writer {
 public:
  stall_page_writer(const stall_analysis& of, const prices& each) : of_(of), prices_(each) {}

  std::string text() {
    const auto now = predict(of_);
    out_ = page_head("plumbline: data stalls");
    out_ += "<p class=\"big\">" + rate_and_error(now) + " batches a second, limited by " + now.limit + "</p><p>" +
            shares_text(now) + ".</p>\n";
    rows_as_table(measured_rows(of_, true), 0);
    out_ += "<p>Intervals show what changes within one measurement, not from one run to the next.</p>\n";
    if (!of_.caches.empty()) out_ += "<p>" + escaped(own_caches_text(of_)) + ".</p>\n";
    if (storage_is_unknown(of_)) out_ += std::string("<p>") + unknown_storage_text + ".</p>\n";
    if (reads_uncacheable(of_)) out_ += std::string("<p>Fetching: ") + no_cache_text + ".</p>\n";
    if (cacheable() && std::isfinite(of_.storage_fetch)) {
      if (std::isfinite(of_.data_bytes)) epochs();
      caches();
    }
    cores();
    out_ += "<h2>What if</h2><p>Predicted from this analysis; ± half of a 95 % interval.</p>";
    rows_as_table(what_if_rows(of_), 0);
    places();
    offers();
    return std::move(out_) + "</body></html>\n";
  }

 private:
  bool cacheable() const { return has_size(of_); }
  double batches() const { return of_.bytes_read > 0 ? of_.data_bytes / of_.bytes_read : 0; }

  /// An epoch's time at eleven sizes of the cache.
  void epochs() {
    out_ +=
        "<h2>An epoch's time by the share of the files in memory</h2><p>Green: in the step. Orange: waiting for "
        "preparation. Blue: for fetching, with a cache that never evicts. Dashed: what evicting the least recently "
        "used would add.</p>";
    const auto time = [&](double x) { return batches() / predict(of_, {.memory = x * of_.memory_bytes}).rate; };
    double most = 0;  // mostly the time without a cache
    for (int i = 0; i <= 10; ++i) most = std::max({most, time(i / 10.0), time(lru_hits(i / 10.0))});
    const double left = 90, right = 760, bottom = 250, top = 24;
    svg d(out_, 960, bottom + 48);
    d.path("M" + svg::at(left) + " " + svg::at(top) + "V" + svg::at(bottom) + "H" + svg::at(right), "way");
    const auto height = [&](double seconds) { return (bottom - top) * seconds / most; };
    const double step = (right - left) / 11;
    for (int i = 0; i <= 10; ++i) {
      const double x = i / 10.0, seconds = time(x), lru = time(lru_hits(x)), from = left + step * i + step * 0.15;
      const auto p = predict(of_, {.memory = x * of_.memory_bytes});
      double at = bottom;
      const auto piece = [&](double share, const char* kind) {
        if (!(share > 1e-6)) return;
        at -= height(share * seconds);
        d.rectangle(from, at, step * 0.7, height(share * seconds), kind);
      };
      piece(p.compute, "step");
      piece(p.prep, "prep");
      piece(p.fetch, "fetch");
      if (lru > 1.005 * seconds) d.rectangle(from, bottom - height(lru), step * 0.7, height(lru - seconds), "extra");
      d.words(from + step * 0.35, bottom + 17, percent_text(x), "text-anchor=\"middle\" class=\"s\"");
    }
    if (const double x = least_memory(of_) / of_.memory_bytes; std::isfinite(x)) {
      const double at = left + step * (10 * x + 0.5);  // the bar of a share i / 10 is around left + step * (i + 0.5)
      d.path("M" + svg::at(at) + " " + svg::at(top) + "V" + svg::at(bottom), "knee");
      d.words(at + 6, top - 8, knee_text(), "class=\"s\"");
    }
    for (int i = 0; i <= 4; ++i)
      d.words(left - 8, bottom - height(most * i / 4) + 4, time_text(most * i / 4), "text-anchor=\"end\" class=\"s\"");
    d.words(right, bottom + 36, "of " + bytes_text(of_.memory_bytes) + " of files in memory",
            "text-anchor=\"end\" class=\"s\"");
  }

  void caches() {
    out_ +=
        "<h2>Batches a second by the size of the cache</h2><p>Training runs at most at the lowest line. From "
        "where F is above the lower of P and G, nothing waits for files.</p>";
    if (const auto fall = fall_text(of_); !fall.empty()) out_ += "<p>" + fall + ".</p>";
    chart_line f{"F  fetching", {}}, p{"P  preparation", {}}, g{"G  the step", {}};
    double highest = 0;
    for (int i = 0; i <= 200; ++i) {
      const double memory = i / 200.0 * of_.memory_bytes;
      const auto there = predict(of_, {.memory = memory});
      f.points.emplace_back(memory, there.fetch_rate);
      p.points.emplace_back(memory, there.prep_rate);
      g.points.emplace_back(memory, of_.step);
      highest = std::max({highest, there.prep_rate, of_.step});
    }
    draw_lines(out_,
               {of_.memory_bytes, 1.25 * highest, "cache(bytes) for the files", "batches a second",
                [](double x) { return bytes_text(x); }},
               {f, p, g}, {{least_memory(of_), knee_text()}});
  }
  std::string knee_text() const { return "fetch stall at most 1 %: " + bytes_text(least_memory(of_)); }

  /// An epoch's time by the number of cores; if the number of batches is not known, batches a second.
  void cores() {
    const double enough = least_cores(of_), in_all = batches();
    const bool of_epoch = in_all > 0 && std::isfinite(in_all);
    // a multiple of five, for whole numbers on the axis
    const double most = 5 * std::ceil(std::max(std::isfinite(enough) ? 1.5 * enough : 0, 2 * of_.cores) / 5);
    out_ += std::string(of_epoch ? "<h2>An epoch's time" : "<h2>Batches a second") +
            " by the number of cores</h2><p>With the storage as it is" +
            (cacheable() ? ", and with all files in memory. " : ". ") + cores_text(of_) + ".</p>";
    const auto from_storage = [&](double n) { return predict(of_, {.cores = n}).rate; };
    const auto shown = [&](double rate) { return of_epoch ? in_all / rate : rate; };
    const double best = from_storage(most);
    // with few cores an epoch may take any time; lines end where they leave the chart
    const double height = 1.25 * (of_epoch ? std::max(shown(from_storage(of_.cores)), 3 * shown(best)) : of_.step);
    chart_line stored{"from storage", {}}, held{"from memory", {}}, g{"G  the step", {}};
    const auto add = [&](chart_line& to, double n, double rate) {
      if (shown(rate) <= height || !of_epoch) to.points.emplace_back(n, shown(rate));
    };
    for (int i = 0; i <= 400; ++i) {
      const double n = std::max(most * i / 400.0, 1e-3 * most);
      add(stored, n, from_storage(n));
      if (cacheable()) add(held, n, predict(of_, {.cores = n, .memory = of_.memory_bytes}).rate);
      add(g, n, of_.step);
    }
    std::vector<chart_mark> knees{{enough, "no prep stall: " + count_of_cores(enough)}};
    // from there fetching, or a serial part, is the limit
    double low = 0, high = most;
    while (high - low > 1) {
      const double n = std::floor((low + high) / 2);
      (from_storage(n) < (1 - 1e-9) * best ? low : high) = n;
    }
    if (high < std::min(enough, most)) knees.push_back({high, "no faster from storage: " + count_of_cores(high)});
    draw_lines(out_,
               {most, height, "cores", of_epoch ? "an epoch's time" : "batches a second",
                [](double x) { return number_text(x, "%.3g"); },
                [&](double y) { return of_epoch ? time_text(y) : number_text(y, "%.3g"); }},
               {stored, held, g}, knees);
  }

  void places() {
    const auto rows = placement_rows(of_);
    if (rows.size() == 1) return;
    out_ +=
        "<h2>Where memory is best spent</h2><p>Each place keeps a share of the elements; together they divide them. "
        "Batches a second of preparation and fetching.</p>";
    rows_as_table(rows, 3);
  }
  void offers() {
    out_ += "<h2>Machines with stalls of at most 1 % of the time, cheapest first</h2>";
    const auto rows = price_rows(of_, prices_);
    if (rows.size() == 1) {
      out_ += "<p>None: " + escaped(why_no_offer(of_)) + ".</p>";
      return;
    }
    rows_as_table(rows, 0);
  }
  /// `text`: the column that is text.
  void rows_as_table(const std::vector<std::vector<std::string>>& rows, std::size_t text) {
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

  const stall_analysis& of_;
  const prices& prices_;
  std::string out_;
};

}  // namespace detail

PLUMBLINE_INLINE std::string page(const stall_analysis& of, const prices& each) {
  return detail::stall_page_writer(of, each).text();
}

}  // namespace plumbline
