#pragma once
// Parts whose behaviour a test dictates.

#include <utility>

#include "local/estimator.hpp"
#include "method/method.hpp"

namespace trilemma::testing {

/// Draws the rows that the test puts into `next`.
class ScriptedSampler final : public Sampler {
 public:
  std::vector<std::uint32_t> next;
  bool with_repeats = true;

  const char* name() const override { return "scripted"; }
  accounting::Sampling scheme() const override { return accounting::Sampling::none; }
  bool repeats() const override { return with_repeats; }
  void draw(const Key&, std::size_t, std::size_t, std::vector<std::uint32_t>& rows) override {
    rows = next;
  }
};

/// Gives every client a vector set by the test.
class GivenEstimator final : public LocalWork {
 public:
  explicit GivenEstimator(std::vector<Vector> gradients) : gradient(std::move(gradients)) {}
  std::vector<Vector> gradient;  ///< by slot

  std::size_t estimate(std::size_t slot, const Task&, View out) override {
    std::copy(gradient[slot].begin(), gradient[slot].end(), out.begin());
    return 0;
  }
};

/// Keeps the direction and leaves the model where it is.
class RecordingStep final : public ServerStep {
 public:
  std::vector<double> direction;

  void apply(std::uint32_t, View, std::span<const double> v) override {
    direction.assign(v.begin(), v.end());
  }
};

}  // namespace trilemma::testing
