#pragma once
/// measured_rate: a rate and its error.

namespace plumbline::detail {

struct measured_rate {
  double rate = 0;
  double error = 0;  ///< the half-width of its 95 % interval, relative; 0: not known
};

}  // namespace plumbline::detail
