#pragma once
/// optimize, pick_best and the explanation of what they did. Not in plumbline.hpp, so that code which only runs
/// pipelines need not wait for the planner to compile.

#include <plumbline/model/place_caches.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/report/explain_stalls.hpp>
#include <plumbline/report/explain_tuning.hpp>
#include <plumbline/report/page.hpp>
#include <plumbline/report/stall_page.hpp>
#include <plumbline/tune/analyze.hpp>
#include <plumbline/tune/choices.hpp>
#include <plumbline/tune/measure_disk.hpp>
#include <plumbline/tune/optimize.hpp>
#include <plumbline/tune/pick_best.hpp>
