#include "tests/support/estimators.hpp"

#include <stdexcept>

namespace trilemma::testing {

const EstimatorKind& estimator_kind(const std::string& name) {
  for (const auto& row : estimators())
    if (name == row.name) return row.make;
  throw std::logic_error("no estimator " + name);
}

std::unique_ptr<Sampler> make_sampler(const std::string& name) {
  for (const auto& row : samplers())
    if (name == row.name) return row.make();
  throw std::logic_error("no sampler " + name);
}

std::unique_ptr<LocalWork> make_estimator(const std::string& name, const Case& on, Sampler& sampler,
                                          const EstimatorOptions& options) {
  LocalSetup setup;
  setup.problem = on.problem.get();
  setup.sampler = &sampler;
  setup.shards = on.view();
  setup.batch = options.batch;
  setup.snapshot_probability = options.snapshot_probability;
  setup.record_bound.threshold = options.threshold;
  setup.recursion = options.recursion;
  setup.later_noise = options.later_noise;
  return estimator_kind(name).make(setup);
}

Vector estimate(LocalWork& estimator, ConstView x, std::uint32_t round, std::size_t slot) {
  Vector out(x.size(), real{77});  // old content must go
  estimator.estimate(slot, {x, {31, Purpose::minibatch, static_cast<std::uint32_t>(slot), round}},
                     out);
  estimator.add_public(x, Support::all(), out);
  return out;
}

std::vector<double> mean_gradient(Problem& problem, const Dataset& shard, ConstView x,
                                  double threshold) {
  std::vector<double> mean(x.size(), 0.0);
  for (std::uint32_t row = 0; row < shard.size(); ++row) {
    const auto one = record_gradient(problem, shard, row, x, threshold);
    for (std::size_t j = 0; j < one.size(); ++j)
      mean[j] += one[j] / static_cast<double>(shard.size());
  }
  return mean;
}

std::vector<double> regulariser_gradient(const Problem& problem, ConstView x) {
  Vector g(x.size(), real{0});
  problem.add_regulariser_gradient(x, g);
  return as_double(g);
}

double distance_squared(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

std::vector<double> as_double(ConstView v) { return {v.begin(), v.end()}; }

}  // namespace trilemma::testing
