// The parts that docs/how-to/add-a-*.md show, by hand. The compressor and the problem also run in
// tests/conformance.

#include "tests/support/examples.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/compressors.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::examples_test {

Settings settings(const std::string& toml) { return Settings::from_text(toml, "mine.toml"); }

using Doubles = std::vector<double>;
using Numbers = std::vector<std::uint32_t>;

// sqrt(0.36 + 0.64) + 0.6 = 1.6 divides 2 * 0.8; then sqrt(1 + 1.25) + 0.6 = 2.1 divides 2 * 1.05.
TEST(ExampleMethod, StepByHandAndAfterARestart) {
  Settings experiment = settings("[server]\nrate = 2\ntau = 0.6\n[local]\nsteps = 5");
  const Method method = fedadagrad_method().make(experiment);
  EXPECT_EQ(method.steps.count, 5);
  const auto step = method.step.make();
  Vector x{1, 3};
  step->apply(0, x, Doubles{0.8, 0});
  EXPECT_NEAR(x[0], 0, 4 * testing::rounding);
  EXPECT_EQ(x[1], real{3});

  Bytes saved;
  State saving = State::saving(saved);
  step->persist(saving);
  const auto resumed = method.step.make();
  State restoring = State::restoring(saved);
  resumed->persist(restoring);
  x = {1, 3};
  const double direction = std::sqrt(1.25);
  resumed->apply(1, x, Doubles{direction, 0});
  EXPECT_NEAR(x[0], 1 - 2 * direction / 2.1, 4 * testing::rounding);
}

TEST(ExampleMethod, RefusesATauOfZero) {
  Settings experiment = settings("[server]\ntau = 0");
  testing::expect_parts(testing::refusal([&] { fedadagrad_method().make(experiment); }),
                        {"mine.toml:2", "tau"});
}

// ceil(0.3 * 8) = 3 coordinates of 32 bits and 8 bits that say which.
TEST(ExampleCompressor, SendsTheLargestCoordinates) {
  const auto made = testing::make_compressor("largest-share", 8, "share = 0.3");
  Message message;
  made->compress(Vector{1, -4, 0, 3, 0, -2, 1, 1}, {1, Purpose::mask, 0, 0}, message);
  EXPECT_EQ(testing::dense(made->expand(message), 8), (Doubles{0, -4, 0, 3, 0, -2, 0, 0}));
  EXPECT_EQ(measure(made->layout(), message).bits, 3U * 32U + 8U);
  EXPECT_DOUBLE_EQ(made->traits().delta, 3.0 / 8.0);
  EXPECT_EQ(made->description(), "largest-share, k = 3 of 8");
}

TEST(ExampleCompressor, RefusesAShareAboveOne) {
  testing::expect_parts(
      testing::refusal([] { testing::make_compressor("largest-share", 8, "share = 1.1"); }),
      {"compressor.toml:1", "share"});
}

// x - a = (3, 4): the loss is sqrt(12^2 + 5^2) = 13.
TEST(ExampleProblem, LossAndGradientOfOneRecord) {
  const auto problem = testing::make_problem("median", {2, 0, false}, "smoothing = 12");
  Dataset data = testing::dense_records(1, 2, 3, 1);
  std::get<DenseRows>(data.rows).value = {1, -5};
  EXPECT_DOUBLE_EQ(full_sum(*problem, data, Vector{4, -1}, {}), 13);
  const Doubles gradient = testing::record_gradient(*problem, data, 0, Vector{4, -1}, 1e30);
  EXPECT_NEAR(gradient[0], 3.0 / 13.0, testing::rounding);
  EXPECT_NEAR(gradient[1], 4.0 / 13.0, testing::rounding);
}

TEST(ExampleProblem, RefusesSparseRecords) {
  testing::expect_parts(testing::refusal([] {
                          testing::make_problem("median", {3, 2, true});
                        }),
                        {"problem", "dense"});
}

TEST(ExampleSource, RecordsWithoutNoiseAreTheirCentres) {
  Settings given = settings("rows = 5\nfeatures = 3\nclasses = 2\nnoise = 0");
  const auto source = clusters_source().make(given);
  const TrainTest data = source->load("", 1);
  EXPECT_EQ(data.train.size(), 5U);
  EXPECT_EQ(data.train.features(), source->features());
  EXPECT_EQ(data.train.classes, 2);
  EXPECT_EQ(data.train.label, (std::vector<std::int32_t>{0, 1, 0, 1, 0}));
  const Vector& value = std::get<DenseRows>(data.train.rows).value;
  EXPECT_EQ(Vector(value.begin(), value.begin() + 6), (Vector{1, 0, 0, 0, 1, 0}));
}

TEST(ExampleSource, IsAFunctionOfTheSeed) {
  Settings given = settings("rows = 40");
  const auto source = clusters_source().make(given);
  const auto values = [&](std::uint64_t seed) {
    return std::get<DenseRows>(source->load("", seed).train.rows).value;
  };
  EXPECT_EQ(values(5), values(5));
  EXPECT_NE(values(5), values(6));
}

TEST(ExampleSource, RefusesMoreClassesThanFeatures) {
  Settings given = settings("features = 5\nclasses = 6");
  testing::expect_parts(testing::refusal([&] { clusters_source().make(given); }),
                        {"mine.toml:2", "classes = 6"});
}

TEST(ExamplePartition, DealsInTurn) {
  Settings given = settings("hand = 2");
  Dataset train;
  train.label.assign(7, 1);
  const Partition dealt = dealt_partition().make(given)->partition(train, 3, 1);
  EXPECT_EQ(dealt.client, (std::vector<Numbers>{{0, 1, 6}, {2, 3}, {4, 5}}));
}

TEST(ExamplePartition, RefusesAClientWithoutRecords) {
  Settings given = settings("hand = 4");
  Dataset train;
  train.label.assign(8, 1);
  const auto made = dealt_partition().make(given);
  testing::expect_parts(testing::refusal([&] { made->partition(train, 3, 1); }),
                        {"partition.hand = 4", "8 records", "3 clients"});
  train.label.push_back(1);
  EXPECT_EQ(made->partition(train, 3, 1).client[2], (Numbers{8}));
}

}  // namespace trilemma::examples_test
