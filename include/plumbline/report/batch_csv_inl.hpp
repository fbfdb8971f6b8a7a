#pragma once
/// Definitions of report/batch_csv.hpp.

#include <plumbline/model/format.hpp>
#include <plumbline/model/text_files.hpp>
#include <plumbline/report/batch_csv.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {

/// The columns that are stored: f(name, member, whether it is needed).
void batch_columns(auto& b, auto&& f) {
  f("epoch", b.epoch, false);
  f("index", b.index, true);
  f("worker", b.worker, false);
  f("begun", b.begun, true);
  f("ready", b.ready, true);
  f("asked", b.asked, true);
  f("had", b.had, true);
  f("consumed", b.consumed, true);
  f("released", b.released, false);
  f("arrived", b.arrived, false);
  f("early", b.early, false);
  f("size", b.size, false);
  f("pass", b.pass, false);
  f("consumer", b.consumer, false);
  f("begun_lost", b.begun_lost, false);
}

class batch_csv_reader {
 public:
  batch_csv_reader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}
  batch_log result() {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // a byte order mark, of spreadsheets
    read_line();
    columns_ = cells_;
    check_columns();
    while (read_line()) {
      if (cells_.size() == 1 && cells_[0].empty()) continue;
      if (cells_.size() != columns_.size())
        complain("has " + std::to_string(cells_.size()) + " cells; it must have " + std::to_string(columns_.size()) +
                 ", as the first line");
      auto& b = log_.batches.emplace_back();
      batch_columns(b, [&](const char* column, auto& to, bool) { set(column, to); });
      std::uint64_t dropped = 0;
      set("dropped", dropped);
      log_.dropped = std::max(log_.dropped, dropped);
    }
    return std::move(log_);
  }

 private:
  [[noreturn]] void complain(const std::string& what) const {
    throw std::invalid_argument("plumbline: csv: " + name_ + ":" + std::to_string(line_) + ": " + what);
  }
  void check_columns() const {
    batch_record b;
    batch_columns(b, [&](const std::string& column, auto&, bool needed) {
      const auto n = std::count(columns_.begin(), columns_.end(), column);
      if (n > 1) complain("the column " + column + " is there twice; leave one out");
      if (n == 0 && needed)
        complain("the column " + column +
                 " is missing; the first line must name at least index, begun, ready, asked, had and consumed");
    });
  }
  template <class T> void set(const std::string& column, T& to) const {
    const auto at = std::find(columns_.begin(), columns_.end(), column);
    if (at == columns_.end()) return;
    const auto& cell = cells_[static_cast<std::size_t>(at - columns_.begin())];
    if constexpr (std::same_as<T, std::string>) {
      to = cell;
    } else if constexpr (std::same_as<T, bool>) {
      if (cell != "0" && cell != "1") complain(column + " is \"" + cell + "\"; it must be 0 or 1");
      to = cell == "1";
    } else {
      const auto x = whole_number<T>(cell);
      if (!x)
        complain(column + " is \"" + cell + "\"; it must be a whole number" +
                 (std::unsigned_integral<T> ? ", not negative," : "") + " of 64 bits");
      if constexpr (std::signed_integral<T>)
        if (*x < -most_time || *x >= most_time)
          complain(column + " is " + cell + "; it must be a time between -2^62 and 2^62 ns");
      to = *x;
    }
  }
  /// The cells of the next line, which quotes may make several lines of text; false: there is none.
  bool read_line() {
    line_ = next_;
    cells_.assign(1, "");
    if (rest_.empty()) return false;
    bool quoted = false;
    for (; !rest_.empty(); rest_.remove_prefix(1)) {
      const char c = rest_.front();
      next_ += c == '\n' ? 1 : 0;
      if (quoted && rest_.starts_with("\"\"")) {
        cells_.back() += '"';
        rest_.remove_prefix(1);
      } else if (c == '"' && (quoted || cells_.back().empty())) {
        quoted = !quoted;
      } else if (quoted) {
        cells_.back() += c;
      } else if (c == ',') {
        cells_.emplace_back();
      } else if (c == '\n') {
        rest_.remove_prefix(1);
        return true;
      } else if (c != '\r') {
        cells_.back() += c;
      }
    }
    if (quoted) complain("a cell begins with a quote and does not end; end it with one");
    return true;
  }

  std::string_view rest_;
  const std::string& name_;
  std::size_t line_ = 1, next_ = 1;  ///< numbers of lines of text
  std::vector<std::string> columns_, cells_;
  batch_log log_;
};

}  // namespace detail

PLUMBLINE_INLINE std::string write_csv(const batch_log& of) {
  std::string out;
  const auto quoted = [](const std::string& text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return text;
    std::string q = "\"";
    for (const char c : text) q += c == '"' ? std::string("\"\"") : std::string(1, c);
    return q + '"';
  };
  batch_record none;
  detail::batch_columns(none, [&](const char* column, auto&, bool) { out += std::string(column) + ','; });
  out += "preparation,wait,delay,dropped\n";
  for (const auto* b : detail::in_order(of)) {
    detail::batch_columns(*b, [&](const char*, const auto& x, bool) {
      if constexpr (requires { quoted(x); })
        out += quoted(x) + ',';
      else
        out += std::to_string(x) + ',';
    });
    for (const double s : {b->preparation(), b->wait(), b->delay()}) out += number_text(s, "%.9f") + ',';
    out += std::to_string(of.dropped) + '\n';
  }
  return out;
}

PLUMBLINE_INLINE batch_log read_batch_csv(std::string_view text, const std::string& name) {
  return detail::batch_csv_reader(text, name).result();
}
PLUMBLINE_INLINE batch_log load_batch_csv(const std::string& path) {
  return read_batch_csv(detail::read_text(path, "csv"), path);
}

}  // namespace plumbline
