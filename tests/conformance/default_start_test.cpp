// Every row of problems() can be trained from the start that it declares (Problem::usual_start),
// with its default settings: the model leaves its start, and its objective falls clearly below that
// of the best model that ignores the features, or below that of the start where there is none.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/test_model.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::default_start_test {

constexpr std::size_t records = 60;
constexpr std::size_t features = 784;

struct Task {
  std::unique_ptr<Problem> problem;
  Dataset data;
};

// Normal numbers around a level for each class, as images of different brightness.
Dataset bright_records() {
  Dataset data = testing::dense_records(records, features, 3, 4);
  Vector& value = std::get<DenseRows>(data.rows).value;
  for (std::size_t r = 0; r < records; ++r)
    for (std::size_t j = 0; j < features; ++j)
      value[r * features + j] += static_cast<real>(0.5 * (data.label[r] - 1));
  data.prepare();
  return data;
}

Task make_task(const std::string& name, const std::string& toml) {
  Task task;
  const int classes = name == "linear" ? 0 : name == "logistic" ? 2 : 3;
  task.problem = testing::make_problem(name, {features, classes}, toml);
  if (name == "logistic")
    task.data = testing::sparse_records(records, features, 4);
  else if (name == "linear")
    task.data = testing::target_records(records, features, 4);
  else
    task.data = bright_records();
  return task;
}

double objective(Task& task, ConstView x) {
  return full_sum(*task.problem, task.data, x, {}) / records + task.problem->regulariser(x);
}

// The entropy of the labels, or half the variance of the targets; for `mean` half the mean square.
double best_constant(Task& task) {
  const Dataset& data = task.data;
  if (task.problem->as_classifier() == nullptr && !data.target.empty()) {
    double sum = 0;
    double square = 0;
    for (const real target : data.target) {
      sum += static_cast<double>(target) / records;
      square += static_cast<double>(target) * static_cast<double>(target) / records;
    }
    return (square - sum * sum) / 2;
  }
  if (task.problem->description().starts_with("mean"))
    return objective(task, Vector(features, real{0}));
  std::map<int, double> share;
  for (const int label : data.label) share[label] += 1.0 / records;
  double entropy = 0;
  for (const auto& [label, p] : share) entropy -= p * std::log(p);
  return entropy;
}

Vector start_of(const Problem& problem, StartLaw law) {
  if (law == StartLaw::own) {
    const auto x = problem.own_start(3);
    return {x.begin(), x.end()};
  }
  if (!is_by_layer(law)) return Vector(problem.dimension(), real{0});
  const auto x =
      draw_layers(problem.start_layers(), law, {3, Purpose::init, 0, 0}, problem.dimension());
  return {x.begin(), x.end()};
}

// Steps against the gradient, each half as long as the last one where that has not helped.
double train(Task& task, Vector& x) {
  double value = objective(task, x);
  double rate = 1;
  for (int step = 0; step < 25; ++step) {
    std::vector<double> gradient(x.size(), 0.0);
    full_sum(*task.problem, task.data, x, gradient);
    Vector slope(x.size(), real{0});
    task.problem->add_regulariser_gradient(x, slope);
    Vector next = x;
    for (std::size_t j = 0; j < x.size(); ++j)
      next[j] -= static_cast<real>(rate * (gradient[j] / records + static_cast<double>(slope[j])));
    const double found = objective(task, next);
    if (found < value) {
      value = found;
      x = next;
    } else {
      rate /= 2;
    }
  }
  return value;
}

void expect_learns(const std::string& name, const std::string& toml) {
  Task task = make_task(name, toml);
  const Vector start = start_of(*task.problem, task.problem->usual_start());
  EXPECT_EQ(stuck_layer(task.problem->start_layers(), start), "") << name;
  Vector x = start;
  const double end = train(task, x);
  EXPECT_NE(x, start) << name;
  // All that `mean` can gain is half the square of the mean record.
  const double share = name == "mean" ? 0.995 : 0.9;
  EXPECT_LT(end, share * best_constant(task)) << name << ' ' << toml;
  // No two hidden units of a layer have stayed equal.
  for (const StartLayer& layer : task.problem->start_layers())
    for (std::size_t unit = 1; unit < layer.outputs; ++unit)
      EXPECT_NE(x[layer.first + unit], x[layer.first]) << name << ' ' << unit;
}

TEST(DefaultStart, EveryProblemLearnsFromIt) {
  for (const auto& row : problems())
    expect_learns(row.name,
                  std::string_view(row.name) == "plugin" ? testing::plugin_settings() : "");
}

TEST(DefaultStart, EveryKindOfNetworkLearnsFromIt) {
  for (const char* activation : {"sigmoid", "tanh", "relu"})
    expect_learns("network", fmt::format("activation = \"{}\"", activation));
  for (const char* activation : {"tanh", "relu"})
    expect_learns("network", fmt::format("hidden = [24, 16, 12]\nactivation = \"{}\"", activation));
  expect_learns("cnn", "channels = 8\nkernel = 3\npadding = 1");
}

// What the networks were started from once: all units of the first layer stay the same one.
TEST(DefaultStart, ZeroIsNoStartForHiddenUnits) {
  for (const char* name : {"network", "cnn"}) {
    Task task = make_task(name, "");
    Vector x = start_of(*task.problem, StartLaw::zero);
    EXPECT_NE(stuck_layer(task.problem->start_layers(), x), "") << name;
    train(task, x);
    const StartLayer first = task.problem->start_layers().front();
    for (std::size_t j = first.first; j < first.end(); ++j)
      EXPECT_NEAR(x[j], x[j - (j - first.first) % first.outputs], 1e-5) << name << ' ' << j;
  }
}

}  // namespace trilemma::default_start_test
