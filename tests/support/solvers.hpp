#pragma once
// Solvers on small problems, and what they should do in plain loops.

#include <functional>

#include "local/solver.hpp"
#include "tests/support/estimators.hpp"

namespace trilemma::testing {

/// What a test says of the steps.
struct Steps {
  bool counts_epochs = false;
  long count = 1;
  double rate = 0.1, decay = 1, every = 1;
  bool divides_rate = false;
  double pull = 0;
  double personal_ratio = 1;
  Update update = Update::difference;
  long perturbations = 2;
  double smoothing = 0.5;
};

/// A row of solvers() by name; nothing clips the gradients.
inline std::unique_ptr<LocalWork> make_solver(const std::string& name, Problem& problem,
                                              std::vector<const Dataset*> shards, Sampler& sampler,
                                              const Steps& steps, std::size_t batch = 4) {
  LocalSetup setup;
  setup.problem = &problem;
  setup.sampler = &sampler;
  setup.shards = std::move(shards);
  setup.batch = batch;
  setup.record_bound.threshold = std::numeric_limits<double>::infinity();
  setup.steps.solver = name;
  setup.steps.counts_epochs = steps.counts_epochs;
  setup.steps.count = steps.count;
  setup.steps.rate = {.first = steps.rate, .decay = steps.decay, .every = steps.every};
  setup.steps.divides_rate = steps.divides_rate;
  setup.steps.pull = steps.pull;
  setup.steps.personal_ratio = steps.personal_ratio;
  setup.steps.update = steps.update;
  setup.steps.family = row(solvers(), name).make.family;
  setup.steps.perturbations = steps.perturbations;
  setup.steps.smoothing = steps.smoothing;
  return row(solvers(), name).make.make(setup);
}

/// Rows that step t of a round uses, and what their sum of gradients is divided by.
struct StepRows {
  std::vector<std::uint32_t> rows;
  double divisor;
};
using RowsOfStep = std::function<StepRows(std::size_t)>;

/// w_E of `count` plain steps w -= eta (gradient + pull (w - x)) from w, in double.
inline std::vector<double> walk(Problem& problem, const Dataset& shard, std::vector<double> w,
                                const std::vector<double>& x, double eta, double pull,
                                std::size_t count, const RowsOfStep& choose) {
  for (std::size_t t = 0; t < count; ++t) {
    Vector at(w.size());
    for (std::size_t j = 0; j < w.size(); ++j) at[j] = static_cast<real>(w[j]);
    auto g = regulariser_gradient(problem, at);
    const StepRows step = choose(t);
    for (const auto row : step.rows) {
      const auto one = record_gradient(problem, shard, row, at, 1e30);
      for (std::size_t j = 0; j < g.size(); ++j) g[j] += one[j] / step.divisor;
    }
    for (std::size_t j = 0; j < g.size(); ++j) w[j] -= eta * (g[j] + pull * (w[j] - x[j]));
  }
  return w;
}

}  // namespace trilemma::testing
