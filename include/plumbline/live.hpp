#pragma once
/// run_live, and the explanation of its changes. Not in plumbline.hpp, so that code which only runs pipelines does not
/// wait for the planner to compile.

#include <plumbline/plumbline.hpp>
#include <plumbline/report/explain_live.hpp>
#include <plumbline/tune/live.hpp>
