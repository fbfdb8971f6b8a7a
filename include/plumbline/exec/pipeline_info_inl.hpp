#pragma once
/// Definitions of exec/pipeline_info.hpp.

#include <plumbline/exec/pipeline_info.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace plumbline::detail {

[[noreturn]] PLUMBLINE_INLINE void throw_failure(const pipeline_info& p, const std::exception_ptr& error) {
  std::exception_ptr own = error;
  try {
    std::rethrow_exception(error);
  } catch (const thrown& t) {
    if (t.op != 0 || !t.op_name.empty()) {
      const auto all = p.names();
      const auto names = t.op == 0 ? operator_names{} : all[t.op - 1];
      // of a stream that the operator opened
      const bool inner = !t.op_name.empty() && !names.type.empty() && names.type != t.op_name;
      const std::string name(inner || names.shown.empty() ? t.op_name : names.shown);
      std::string text = "plumbline: " + name + (inner ? " in " + std::string(names.shown) : "");
      const auto number = t.op == 0 ? 0 : p.as_written(t.op);
      if (t.op != 0)
        text += (number == p.as_written(t.op - 1) ? " (inserted by the plan after operator " : " (operator ") +
                std::to_string(number) + " of " + std::to_string(p.operators()) + ")";
      text += " failed";
      if (t.at_element) {
        const auto from = p.origin_of(t.at);
        text += " at ";
        if (!from.source.empty()) text += "element " + std::to_string(t.at.index) + " of " + std::string(from.source);
        if (t.at.sub != 0 && t.at.sub < (std::uint64_t{1} << 32)) text += ", part " + std::to_string(t.at.sub - 1);
        if (!from.what.empty()) text += " (" + from.what + ")";
        text += ", epoch " + std::to_string(t.at.epoch);
      }
      std::string why = text_of(t.cause);
      if (const std::string_view prefix = "plumbline: "; why.starts_with(prefix)) why.erase(0, prefix.size());
      throw failure(text + ": " + why, name, number, t.at, t.cause);
    }
    own = t.cause;
  } catch (...) {
  }
  // between operators: an element could not be moved, or memory ran out
  throw failure("plumbline: an element could not be passed on: " + text_of(own), {}, 0, {}, own);
}

[[noreturn]] PLUMBLINE_INLINE void throw_other_pipeline(const pipeline_identity& saved, const pipeline_identity& here,
                                                        const pipeline_info& of) {
  const auto text = [](const cardinality& n) {
    return n.exact() ? std::to_string(n.least) : std::string("another number of");
  };
  if (saved.operators == here.operators && saved.sources.size() == here.sources.size())
    for (std::size_t i = 0; i != here.sources.size(); ++i) {
      const auto [number, now] = here.sources[i];
      const auto then = saved.sources[i].second;
      if (then == now) continue;
      throw std::invalid_argument(
          "plumbline: load: " + std::string(of.names()[number - 1].shown) + " (operator " +
          std::to_string(of.as_written(number)) + ") has " + text(now) + " elements, and had " + text(then) +
          " when the state was saved; restore the files or other elements that have changed. If this is another "
          "pipeline, load the state into a stream made as the one that saved it");
    }
  throw std::invalid_argument(
      "plumbline: load: this state was saved from another pipeline, or one with other sizes or another plan; load it "
      "into a stream made as the one that saved it: run(p), run(p, plan) or optimize(p)");
}

}  // namespace plumbline::detail
