#pragma once
/// explain(stream): how much of each epoch of a running stream waited for data, and for what.
///   for (auto& batch : stream) train(batch);
///   std::cout << explain(stream);

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/epoch_stalls.hpp>

#include <concepts>
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

namespace detail {
template <class S>
concept tuned_stream = requires(const S& s) {
  s.why();
};
template <class S>
concept keeps_stalls = !tuned_stream<S> && requires(const S& s) {
  { s.stalls() } -> std::same_as<std::vector<epoch_stalls>>;
};
}  // namespace detail

epochs_explanation explain(std::vector<epoch_stalls> epochs);
/// The same for a stream. Of the result of optimize, explain shows the plan: for its epochs write
/// explain(tuned.stalls()).
template <detail::keeps_stalls Stream> epochs_explanation explain(const Stream& s) { return explain(s.stalls()); }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/explain_epochs_inl.hpp>
#endif
