#pragma once
/// Definitions of watch/progress.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/core/printable_text.hpp>
#include <plumbline/model/format.hpp>
#include <plumbline/watch/progress.hpp>
#include <plumbline/watch/stats_text.hpp>
#include <plumbline/watch/ticker.hpp>

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::detail {

PLUMBLINE_INLINE double recent_rate::at(const stream_stats& now) {
  const auto change = between(before_, now);
  before_ = now;
  if (change.seconds > 0) {
    constexpr double weight = 0.3;
    const auto mix = [&](double& to, double x) { to = seconds_ > 0 ? weight * x + (1 - weight) * to : x; };
    mix(elements_, static_cast<double>(change.elements));
    mix(waited_, change.waited_seconds);
    mix(seconds_, change.seconds);
  }
  return seconds_ > 0 ? elements_ / seconds_ : 0;
}

/// "12", "1.2k", "3.4M": at most five characters.
inline std::string short_number(double x) {
  const char* const units[] = {"", "k", "M", "G", "T"};
  std::size_t u = 0;
  for (; x >= 999.5 && u != 4; ++u) x /= 1000;
  return number_text(x, x >= 99.95 || (u == 0 && x == std::floor(x)) ? "%.0f"
                        : x >= 9.995                                 ? "%.1f"
                                                                     : "%.2f") +
         units[u];
}
/// "00:12", "1:02:03".
inline std::string clock_text(double seconds) {
  const auto all = static_cast<long long>(std::min(seconds, 3.6e9));
  char text[40];
  if (all >= 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", all / 3600, all / 60 % 60, all % 60);
  else
    std::snprintf(text, sizeof text, "%02lld:%02lld", all / 60, all % 60);
  return text;
}
/// A bar of `width` columns.
inline std::string bar_text(double share, std::size_t width, bool blocks) {
  const std::vector<std::string> ascii{" ", "1", "2", "3", "4", "5", "6", "7", "8", "9", "#"},
      smooth{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  const auto& marks = blocks ? smooth : ascii;
  const auto steps = marks.size() - 1;
  const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(width * steps));
  std::string bar;
  for (std::size_t i = 0; i != width; ++i) bar += marks[std::min(steps, full - std::min(full, i * steps))];
  return bar;
}
/// The first `width` characters (code points) of UTF-8 text.
inline std::string cut_to_width(std::string text, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
    if (columns++ == width) {
      text.resize(i);
      break;
    }
  }
  return text;
}

PLUMBLINE_INLINE std::string progress_line(const stream_stats& now, double rate, double stalled,
                                           const progress_options& how, std::size_t width, bool blocks) {
  std::string before = how.name.empty() ? "" : printable_text(how.name) + ", ";
  before += "epoch " + std::to_string(now.epoch) + ": ";
  const double seconds = now.this_epoch ? now.this_epoch->seconds : 0;
  const bool running = now.phase == stream_phase::running;
  std::string after = std::to_string(now.position);
  if (now.size) after += '/' + std::to_string(*now.size);
  after += (how.unit.empty() ? " [" : ' ' + printable_text(how.unit) + " [") + clock_text(seconds);
  if (const auto eta = now.eta_seconds(rate); running && now.size) after += '<' + (eta ? clock_text(*eta) : "?");
  after += ", " + (rate > 0 ? short_number(rate) : "?") + "/s";
  if (now.limit()) after += ", " + printable_text(limit_text(now, stalled));
  if (now.failures != 0) after += ", " + std::to_string(now.failures) + (now.failures == 1 ? " failure" : " failures");
  if (now.phase == stream_phase::stopped) after += ", stopped";
  after += ']';
  if (!now.size || *now.size == 0) return cut_to_width(before + after, width);
  const double share = static_cast<double>(now.position) / static_cast<double>(*now.size);
  before += number_text(std::floor(100 * share), "%3.0f") + "%";
  const auto used = before.size() + after.size() + 3;  // "|", "| "
  constexpr std::size_t least = 4, most = 30;
  if (used + least > width) return cut_to_width(before + ' ' + after, width);
  return before + '|' + bar_text(share, std::min(width - used, most), blocks) + "| " + after;
}

/// Those that draw on a terminal; the last one does.
struct drawing {
  std::mutex mutex;
  std::vector<const void*> all;
  static drawing& here() {
    static auto* const it = new drawing;  // used until the end of the process
    return *it;
  }
};

struct progress_display::state {
  stream_watch of;
  progress_options how;
  bool blocks;
  recent_rate rate{};
  std::string last{};  ///< the last line; empty: none yet
  /// The figures when the line began, until an epoch has begun since: one that had ended before is not drawn.
  std::optional<stream_stats> before{};
  ticker draws{};

  void draw() {
    const std::scoped_lock lock(drawing::here().mutex);
    const auto now = of.stats();
    if (!now || (before && before->phase == now->phase && before->seconds >= now->seconds)) return;
    before.reset();
    const auto r = rate.at(*now);
    last = progress_line(*now, r, rate.stalled(), how, width(), blocks);
    if (drawing::here().all.back() == this) write('\r' + last + "\x1b[K");
  }
  void write(const std::string& text) const {
    for (std::string_view rest = text; !rest.empty();) {
      const auto n = ::write(how.file, rest.data(), rest.size());
      if (n <= 0) return;  // the terminal is gone
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  /// One column is left free: some terminals break the line after the last one.
  std::size_t width() const {
    winsize size{};
    const bool known = ioctl(how.file, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? size.ws_col - std::size_t{1} : 79;
  }
  /// True if the terminal's encoding is UTF-8, as the environment states it.
  static bool has_blocks() {
    for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"})
      if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
        const std::string_view v = value;
        for (const auto* as : {"UTF-8", "utf-8", "UTF8", "utf8"})
          if (v.find(as) != std::string_view::npos) return true;
        return false;
      }
    return false;
  }
};

PLUMBLINE_INLINE progress_display::progress_display(stream_watch of, progress_options how) {
  if (!(how.seconds >= 0.01))
    throw std::invalid_argument("plumbline: progress: seconds is " + exact_number(how.seconds) +
                                "; give at least 0.01");
  if (isatty(how.file) == 0) return;
  state_.reset(new state{std::move(of), std::move(how), state::has_blocks()});
  {
    auto& on = drawing::here();
    const std::scoped_lock lock(on.mutex);
    on.all.push_back(state_.get());
  }
  if (auto now = state_->of.stats(); now && (now->phase == stream_phase::ended || now->phase == stream_phase::failed))
    state_->before = std::move(now);
  state_->draw();
  state_->draws.start(state_->how.seconds, [s = state_.get()] { s->draw(); });
}
PLUMBLINE_INLINE progress_display::~progress_display() {
  if (state_ == nullptr) return;
  state_->draws.stop();
  state_->draw();
  auto& on = drawing::here();
  const std::scoped_lock lock(on.mutex);
  const bool drawn = on.all.back() == state_.get();
  on.all.erase(std::find(on.all.begin(), on.all.end(), state_.get()));
  if (state_->last.empty()) return;  // nothing has begun
  if (!state_->how.leaves_line)
    state_->write("\r\x1b[K");
  else
    state_->write((drawn ? "" : '\r' + state_->last + "\x1b[K") + '\n');
}

}  // namespace plumbline::detail
