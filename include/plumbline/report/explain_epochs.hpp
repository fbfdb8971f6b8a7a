#pragma once
/// explain(stream): how much of each epoch of a running stream waited for data, and for what.
///   for (auto& batch : stream) train(batch);
///   std::cout << explain(stream);

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/stream.hpp>
#include <plumbline/model/epoch_stalls.hpp>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

struct epochs_explanation {
  std::vector<epoch_stalls> epochs;
  std::string text;
  friend std::ostream& operator<<(std::ostream& out, const epochs_explanation& e) { return out << e.text; }
};

epochs_explanation explain(std::vector<epoch_stalls> epochs);
template <class T> epochs_explanation explain(const stream<T>& s) { return explain(s.stalls()); }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/explain_epochs_inl.hpp>
#endif
