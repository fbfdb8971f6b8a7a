#pragma once
/// Training loops: how many batches a second they take, with a step that sleeps or one that computes.

#include <plumbline/plumbline.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <span>
#include <thread>

#include <Eigen/Dense>

namespace bench {

namespace pl = plumbline;
using clock_type = std::chrono::steady_clock;

inline double since(clock_type::time_point t) { return std::chrono::duration<double>(clock_type::now() - t).count(); }

struct observed {
  double rate = 0;            ///< batches a second
  pl::epoch_stalls stalls{};  ///< as the stream reports them
};
/// Trains for `seconds`, after an epoch that fills the caches and a third of the time in which buffers fill; both are
/// rounded up to whole epochs, of `epoch` batches: a part of one may read more or fewer of the cached files than their
/// share.
template <class P, class Step>
observed train(const P& p, const pl::run_options& how, Step&& step, std::size_t epoch, double seconds) {
  auto s = pl::run(p, how);
  for (std::size_t i = 0; i != epoch; ++i) (void)s.next();
  s.restart();
  const auto trained = [&](double for_seconds) {
    const auto begin = clock_type::now();
    std::size_t batches = 0;
    do {
      auto batch = s.next();
      step(*batch);
      ++batches;
    } while (since(begin) < for_seconds || batches % epoch != 0);
    return static_cast<double>(batches) / since(begin);
  };
  trained(seconds / 3);
  const double rate = trained(seconds);
  return {rate, s.stalls().back()};
}

/// A step of an accelerator: it takes no processor. A thread that sleeps wakes up late, on a virtual machine by up to
/// 0.1 ms and not always by the same time, as an accelerator's step does not; so the next sleep is as much shorter.
class sleeping_step {
 public:
  explicit sleeping_step(double seconds) : seconds_(seconds) {}
  template <class Batch> void operator()(const Batch&) {
    const auto begin = clock_type::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds_ - late_));
    late_ = std::clamp(late_ + since(begin) - seconds_, 0.0, seconds_);
  }

 private:
  double seconds_, late_ = 0;
};

/// Calls a second of step(), over half a second.
template <class Step> double rate_of(Step&& step) {
  const auto begin = clock_type::now();
  double n = 0;
  do {
    step();
    ++n;
  } while (since(begin) < 0.5);
  return n / since(begin);
}

/// A step that computes: stochastic gradient descent of a perceptron with one hidden layer on `times` samples, made of
/// the batch's bytes. It learns whether a sample's mean is above the usual one.
class training_step {
 public:
  explicit training_step(int times) : times_(times) {}
  template <class Batch> void operator()(const Batch& batch) {
    const auto bytes = std::as_bytes(batch.span());
    for (int i = 0; i != times_; ++i) {
      Eigen::VectorXf x(inputs);
      const auto from = (static_cast<std::size_t>(i) * 7919) % (bytes.size() - inputs);
      for (int k = 0; k != inputs; ++k) x[k] = static_cast<float>(bytes[from + static_cast<std::size_t>(k)]) / 255;
      const float wanted = x.mean() > 0.5F ? 1 : 0;
      const Eigen::VectorXf hidden = (first_ * x).cwiseMax(0);
      const float out = 1 / (1 + std::exp(-second_.dot(hidden)));
      const float error = out - wanted;
      const Eigen::VectorXf back = (error * second_).cwiseProduct((hidden.array() > 0).cast<float>().matrix());
      second_ -= 0.01F * error * hidden;
      first_ -= 0.01F * back * x.transpose();
    }
  }

 private:
  static constexpr int inputs = 512, units = 64;
  int times_;
  Eigen::MatrixXf first_ = Eigen::MatrixXf::Random(units, inputs) / 16;
  Eigen::VectorXf second_ = Eigen::VectorXf::Random(units) / 8;
};

}  // namespace bench
