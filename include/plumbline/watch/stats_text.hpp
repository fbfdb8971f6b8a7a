#pragma once
/// What limits a stream, in words, and its figures as JSON.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/stream_stats.hpp>

#include <ostream>
#include <string>
#include <string_view>

namespace plumbline {

/// The figures as one JSON object without line breaks. What is not known is null. Text that is not UTF-8 is written
/// with U+FFFD.
std::string write_stats(const stream_stats& s);

std::ostream& operator<<(std::ostream& out, const stream_stats& s);

namespace detail {

std::string_view name_of_phase(stream_phase p);
std::string_view name_of_limit(stream_limit l);
/// "the consumer is the limit", "waits 12% for reading", "waits 40% for map(decode) (4)". `stalled`: the share of the
/// time in which the consumer waited.
std::string limit_text(const stream_stats& s, double stalled);
/// The text with every byte that is not part of UTF-8 replaced.
std::string as_utf8(std::string_view text);

}  // namespace detail

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/watch/stats_text_inl.hpp>
#endif
