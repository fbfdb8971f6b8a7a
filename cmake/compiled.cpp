// The source of plumbline::compiled: what is no template, compiled once.
#include <plumbline/exec/engine_inl.hpp>
#include <plumbline/exec/port_inl.hpp>
#include <plumbline/exec/run_inl.hpp>
#include <plumbline/exec/tell_inl.hpp>
#include <plumbline/exec/tracer_inl.hpp>
#include <plumbline/image/decode_stb_here.hpp>
#include <plumbline/model/machine_inl.hpp>
#include <plumbline/model/planner_inl.hpp>
#include <plumbline/model/program_inl.hpp>
#include <plumbline/model/second_look_inl.hpp>
#include <plumbline/report/explain_inl.hpp>
#include <plumbline/report/explain_tuning_inl.hpp>
#include <plumbline/report/page_inl.hpp>
#include <plumbline/sources/file_list_inl.hpp>
#include <plumbline/tune/decide_inl.hpp>
#include <plumbline/tune/measure_disk_inl.hpp>

namespace plumbline::detail {
// an inline function is put into the object file when its address is needed
[[gnu::used]] static const auto codecs = &decode_stb;
}  // namespace plumbline::detail
