#pragma once
// Estimators on small problems.

#include "local/estimator.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::testing {

const EstimatorKind& estimator_kind(const std::string& name);
std::unique_ptr<Sampler> make_sampler(const std::string& name);

struct EstimatorOptions {
  std::size_t batch = 4;
  double snapshot_probability = 0;
  double threshold = 1e30;
  Recursion recursion = {};
  double later_noise = 1;
};
std::unique_ptr<LocalWork> make_estimator(const std::string& name, const Case& on, Sampler& sampler,
                                          const EstimatorOptions& options);

/// One estimate of client 0, with the regulariser; `round` addresses the minibatch.
Vector estimate(LocalWork& estimator, ConstView x, std::uint32_t round, std::size_t slot = 0);

/// Mean of the clipped gradients of all records, without regulariser.
std::vector<double> mean_gradient(Problem& problem, const Dataset& shard, ConstView x,
                                  double threshold);
/// Gradient of the regulariser.
std::vector<double> regulariser_gradient(const Problem& problem, ConstView x);

double distance_squared(std::span<const double> a, std::span<const double> b);
std::vector<double> as_double(ConstView v);

}  // namespace trilemma::testing
