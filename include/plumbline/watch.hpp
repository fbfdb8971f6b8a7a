#pragma once
/// Watching a stream while it runs: stream::stats() and what shows, logs and publishes it. Not in plumbline.hpp, so
/// that code which only runs pipelines does not wait for it to compile. An HTTP endpoint is in ext/httplib.hpp.

#include <plumbline/exec/stream_watch.hpp>
#include <plumbline/watch/log_stats.hpp>
#include <plumbline/watch/open_metrics.hpp>
#include <plumbline/watch/progress.hpp>
#include <plumbline/watch/stats_text.hpp>
