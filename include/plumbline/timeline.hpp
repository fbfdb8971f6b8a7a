#pragma once
/// run<tracing::timeline> and batches in time: the report of their preparation, waits and delays, as text and as a
/// page, tables of batches, and Lotus' logs. Not in plumbline.hpp, so that code which only runs pipelines does not wait
/// for it to compile.

#include <plumbline/exec/event_log.hpp>
#include <plumbline/model/lotus_log.hpp>
#include <plumbline/model/timeline.hpp>
#include <plumbline/model/timeline_batches.hpp>
#include <plumbline/report/batch_csv.hpp>
#include <plumbline/report/batch_page.hpp>
#include <plumbline/report/explain_batches.hpp>
