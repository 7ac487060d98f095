// Batch normalisation (src/problem/layers/batch_norm_layer.cpp): by hand, its derivatives, and the
// statistics that scores use.

#include <gtest/gtest.h>

#include <cmath>

#include "problem/interfaces.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::batch_norm_test {

std::unique_ptr<Problem> layers(const std::string& list, const DataShape& shape,
                                const std::string& more) {
  return testing::make_problem("layers", shape, "layers = " + list + "\n" + more);
}

// Images of 2 x 2 equal pixels, 1 and 3, in one channel of mean 2 and variance 1: -1 and 1 up to
// the 1e-5 added to the variance. With scale 2 and shift 5 the values are 3 and 7, which the
// weights of class 0 pick.
class TwoImages : public ::testing::Test {
 protected:
  void SetUp() override {
    std::get<DenseRows>(data_.rows).value = {1, 1, 1, 1, 3, 3, 3, 3};
    data_.prepare();
    problem_->load(data_, rows_, batch_);
  }
  Vector logits_of_class_0() {
    Vector out(4);
    problem_->as_classifier()->logits(batch_, x_, out);
    return {out[0], out[2]};
  }

  std::unique_ptr<Problem> problem_ = layers("['batchnorm', 'dense']", {4, 2}, "colours = 1");
  Dataset data_ = testing::dense_records(2, 4, 2, 1);
  std::vector<std::uint32_t> rows_ = testing::all_rows(2);
  Batch batch_;
  Vector x_{2, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
};

TEST_F(TwoImages, AreNormalisedTogether) {
  EXPECT_TRUE(problem_->mixes_records());
  const Vector found = logits_of_class_0();
  EXPECT_NEAR(found[0], 3, 1e-4);
  EXPECT_NEAR(found[1], 7, 1e-4);
}

// Values z become 2 (z - 1) / sqrt(4) + 5 = z + 4, whatever the batch.
TEST_F(TwoImages, AreScoredByStatistics) {
  BatchNormalised& normalised = *problem_->as_batch_normalised();
  ASSERT_EQ(normalised.normalised_channels(), 1U);
  std::vector<double> found(2);
  normalised.measure_statistics(batch_, x_, found);
  EXPECT_EQ(found, (std::vector<double>{2, 5}));
  normalised.use_statistics(Vector{1, static_cast<real>(4 - 1e-5)});
  EXPECT_NEAR(logits_of_class_0()[0], 5, 1e-5);
  EXPECT_NEAR(logits_of_class_0()[1], 7, 1e-5);
  normalised.use_statistics({});
  EXPECT_NEAR(logits_of_class_0()[0], 3, 1e-4);
}

// Statistics of a layer above others are those of its inputs.
TEST(BatchNorm, StatisticsOfSeveralLayers) {
  const auto problem =
      layers("['batchnorm', 'tanh', 'conv 3 1', 'batchnorm', 'dense']", {18, 2}, "colours = 2");
  const Dataset data = testing::dense_records(7, 18, 2, 1);
  const Vector x = testing::random_vector(problem->dimension(), 4, 0.5);
  BatchNormalised& normalised = *problem->as_batch_normalised();
  ASSERT_EQ(normalised.normalised_channels(), 5U);
  Batch batch;
  const auto rows = testing::all_rows(7);
  problem->load(data, rows, batch);
  std::vector<double> found(10);
  normalised.measure_statistics(batch, x, found);
  // Logits by these statistics are those of the batch.
  Vector of_batch(14);
  problem->as_classifier()->logits(batch, x, of_batch);
  Vector used(10);
  for (std::size_t c = 0; c < 5; ++c) {
    used[c] = static_cast<real>(found[c]);
    used[5 + c] = static_cast<real>(found[5 + c] - found[c] * found[c]);
  }
  normalised.use_statistics(used);
  Vector by_statistics(14);
  problem->as_classifier()->logits(batch, x, by_statistics);
  for (std::size_t i = 0; i < of_batch.size(); ++i)
    EXPECT_NEAR(by_statistics[i], of_batch[i], 1e3 * testing::rounding);
}

// Central differences of the loss of a batch, of which every record depends on all others.
TEST(BatchNorm, GradientIsTheDerivativeOfTheObjective) {
  const auto problem = layers(
      "['batchnorm', 'conv 4 3 1 1', 'batchnorm', 'tanh', 'skip', 'conv 6 3 2 1', 'batchnorm', "
      "'add', 'sigmoid', 'avgpool 2', 'dense 5', 'batchnorm', 'tanh', 'dense']",
      {72, 3}, "colours = 2");
  const Dataset data = testing::dense_records(9, 72, 3, 1);
  const Vector x = testing::random_vector(problem->dimension(), 22, 0.5);
  std::vector<double> gradient(x.size(), 0.0);
  full_sum(*problem, data, x, gradient);
  double largest = 0;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  const double step = testing::wide ? 1e-5 : 1e-2;
  for (std::size_t j = 0; j < x.size(); ++j) {
    Vector up = x;
    Vector down = x;
    up[j] += static_cast<real>(step);
    down[j] -= static_cast<real>(step);
    const double difference =
        (full_sum(*problem, data, up, {}) - full_sum(*problem, data, down, {})) /
        (static_cast<double>(up[j]) - static_cast<double>(down[j]));
    EXPECT_NEAR(gradient[j], difference, (testing::wide ? 1e-7 : 5e-3) * largest) << j;
  }
}

// A convolution before it has no biases, as before other normalisations.
TEST(BatchNorm, ResNetsHaveThePublishedNumbersOfParameters) {
  EXPECT_EQ(layers("'resnet20-batchnorm'", {3072, 10}, "")->dimension(), 269722U);
  EXPECT_EQ(layers("'resnet18-batchnorm'", {3072, 10}, "")->dimension(), 11173962U);
}

TEST(BatchNorm, HasNoNormsOfSingleRecords) {
  const auto problem = layers("['batchnorm', 'dense']", {4, 2}, "colours = 1");
  const Dataset data = testing::dense_records(3, 4, 2, 1);
  const Vector x = testing::random_vector(problem->dimension(), 4, 0.5);
  Batch batch;
  const auto rows = testing::all_rows(3);
  problem->load(data, rows, batch);
  Vector factors(3 * problem->factors());
  std::vector<double> norm(3);
  problem->linearise(batch, x, factors, false);
  EXPECT_THROW(problem->norms(batch, factors, norm), std::logic_error);
}

}  // namespace trilemma::batch_norm_test
