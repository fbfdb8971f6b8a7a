#pragma once
/// open_metrics(stats): a stream's figures as OpenMetrics text, for Prometheus and what reads its format.
///   std::cout << pl::open_metrics(stream.stats(), {{"job", "train"}});

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/stream_stats.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

/// Names and values. A name consists of letters, digits and _, and begins with no digit and not with two _.
using metric_labels = std::vector<std::pair<std::string, std::string>>;

/// The content type of such text in HTTP.
inline constexpr std::string_view open_metrics_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// OpenMetrics 1.0 text, complete with "# EOF". All metrics begin with plumbline_; seconds and bytes are the units.
/// What is not known is left out. `labels` are added to each sample. Throws std::invalid_argument for the name of a
/// label that OpenMetrics does not allow, that occurs twice, or that plumbline uses: operator,
/// name, after, queue, for.
std::string open_metrics(const stream_stats& s, const metric_labels& labels = {});

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/watch/open_metrics_inl.hpp>
#endif
