// Recursive estimates by their definition (src/local/recursion.hpp, src/local/recursive.cpp).

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/estimators.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::recursive_test {

constexpr double threshold = 0.3;

class Recursive : public ::testing::Test {
 protected:
  std::unique_ptr<LocalWork> make(const Recursion& recursion, double later_noise = 1) {
    return testing::make_estimator(
        "recursive", on_, sampler_,
        {.batch = 4, .threshold = threshold, .recursion = recursion, .later_noise = later_noise});
  }
  // Clipped gradient of one record, without the regulariser.
  std::vector<double> gradient(std::uint32_t row, ConstView x) {
    return testing::record_gradient(*on_.problem, on_.shards[0], row, x, threshold);
  }
  Vector bare(LocalWork& work, ConstView x, std::uint32_t round) {
    Vector out(x.size(), real{77});
    work.estimate(0, {x, {31, Purpose::minibatch, 0, round}}, out);
    return out;
  }

  testing::ScriptedSampler sampler_;
  testing::Case on_ = testing::make_case("logistic", 1, 12, 5, 8);
  Vector w_ = testing::random_vector(on_.problem->dimension(), 1, 0.7);
  Vector x_ = testing::random_vector(on_.problem->dimension(), 2, 0.7);
};

TEST(Recursion, Anchors) {
  const Recursion spider{.fresh = 0, .period = 3}, momentum{.fresh = 0.1};
  EXPECT_EQ(spider.anchors(1), 1);
  EXPECT_EQ(spider.anchors(3), 1);
  EXPECT_EQ(spider.anchors(4), 2);
  EXPECT_EQ(spider.anchors(9), 3);
  EXPECT_EQ(momentum.anchors(9), 1);
  for (std::uint32_t t = 0; t < 9; ++t) {
    EXPECT_EQ(spider.is_anchor(t), t % 3 == 0) << t;
    EXPECT_EQ(momentum.is_anchor(t), t == 0) << t;
  }
}

// a G + (1 - a) min(2 G, l |x - x'|); 2 - a without l.
TEST(Recursion, Reach) {
  Recursion r{.fresh = 0.25};
  EXPECT_DOUBLE_EQ(r.reach(2, 0.1), 0.25 * 2 + 0.75 * 4);
  EXPECT_DOUBLE_EQ(r.most_reach(), 1.75);
  r.lipschitz = 5;
  EXPECT_DOUBLE_EQ(r.reach(2, 0.1), 0.25 * 2 + 0.75 * 0.5);
  EXPECT_DOUBLE_EQ(r.reach(2, 100), 0.25 * 2 + 0.75 * 4);
}

TEST_F(Recursive, LaterRoundsByHand) {
  sampler_.next = {1, 7};
  for (const double a : {0.0, 0.25}) {
    const auto work = make({.fresh = a, .anchor_batch = 6});
    work->start(w_);
    const Vector anchor = bare(*work, w_, 0);
    for (std::size_t j = 0; j < w_.size(); ++j)  // divided by the batch of anchors
      EXPECT_NEAR(anchor[j], (gradient(1, w_)[j] + gradient(7, w_)[j]) / 6, 1e-6);
    work->finish_round(w_, {});
    const Vector later = bare(*work, x_, 1);
    for (std::size_t j = 0; j < x_.size(); ++j) {
      double sum = 0;
      for (const std::uint32_t row : {1U, 7U})
        sum += gradient(row, x_)[j] - (1 - a) * gradient(row, w_)[j];
      EXPECT_NEAR(later[j], sum / 4, 1e-6) << a;
    }
  }
}

TEST_F(Recursive, DifferencesOfAModelThatDoesNotMoveAreExactlyZero) {
  sampler_.next = {0, 3, 4, 5, 9, 11};
  for (const bool is_bounded : {false, true}) {
    Recursion r{.fresh = 0, .period = 8};
    if (is_bounded) r.lipschitz = 1;
    const auto work = make(r);
    work->start(x_);
    for (const real value : testing::estimate(*work, x_, 1)) EXPECT_EQ(value, 0);
    EXPECT_EQ(work->noise_factor(1, x_), is_bounded ? 0 : 2);
  }
}

// One record's part of a later round has norm at most reach / b, whatever the gradients.
TEST_F(Recursive, DifferencesAreClippedToTheMoveOfTheModel) {
  Recursion r{.fresh = 0.25, .lipschitz = 0.05};
  const auto work = make(r, 3);
  work->start(w_);
  double move = 0;
  for (std::size_t j = 0; j < x_.size(); ++j) move += std::pow(double{x_[j]} - double{w_[j]}, 2);
  move = std::sqrt(move);
  ASSERT_LT(0.05 * move, 2 * threshold);
  EXPECT_NEAR(work->noise_factor(1, x_), 3 * (0.25 * threshold + 0.75 * 0.05 * move) / threshold,
              1e-5);
  double largest = 0;
  for (std::uint32_t row = 0; row < 12; ++row) {
    sampler_.next = {row};
    const auto part = testing::as_double(bare(*work, x_, 1));
    const auto fresh = gradient(row, x_), old = gradient(row, w_);
    double norm = 0;
    for (std::size_t j = 0; j < part.size(); ++j) norm += std::pow(fresh[j] - old[j], 2);
    const double factor = std::min(1.0, 0.05 * move / std::sqrt(norm));
    for (std::size_t j = 0; j < part.size(); ++j)
      EXPECT_NEAR(part[j], (0.25 * fresh[j] + 0.75 * factor * (fresh[j] - old[j])) / 4, 1e-6);
    largest = std::max(
        largest, std::sqrt(testing::distance_squared(part, std::vector<double>(part.size(), 0.0))));
  }
  EXPECT_LE(largest, r.reach(threshold, move) / 4 * (1 + 1e-5));
}

// The regulariser follows the same recursion, so that the sum over rounds is its gradient.
TEST_F(Recursive, TheRegulariserIsPartOfTheRecursion) {
  sampler_.next = {};
  const auto work = make({.fresh = 0.25});
  work->start(w_);
  const auto at_w = testing::regulariser_gradient(*on_.problem, w_);
  const auto at_x = testing::regulariser_gradient(*on_.problem, x_);
  const Vector anchor = testing::estimate(*work, w_, 0);
  const Vector later = testing::estimate(*work, x_, 1);
  for (std::size_t j = 0; j < x_.size(); ++j) {
    EXPECT_NEAR(anchor[j], at_w[j], 1e-6);
    EXPECT_NEAR(later[j], at_x[j] - 0.75 * at_w[j], 1e-6);
  }
}

// Clients whose records are parts of a union: the mean of their vectors is that of one node with
// the union and the same minibatch.
TEST(Central, TheMeanOfClientsIsThatOfOneNode) {
  const testing::Case all = testing::make_case("logistic", 1, 30, 5, 8);
  const Vector w = testing::random_vector(all.problem->dimension(), 1, 0.7);
  const Vector x = testing::random_vector(all.problem->dimension(), 2, 0.7);
  const std::vector<std::vector<std::uint32_t>> drawn{{1, 7}, {}, {3, 4, 9}};
  testing::ScriptedSampler sampler;
  for (const double a : {0.0, 0.3, 1.0}) {
    const testing::EstimatorOptions options{
        .batch = 2, .threshold = threshold, .recursion = {.fresh = a}};
    std::vector<double> mean(x.size(), 0.0);
    for (std::uint32_t client = 0; client < 3; ++client) {
      testing::Case own = testing::make_case("logistic", 1, 30, 5, 8);
      std::vector<std::uint32_t> rows(10);
      for (std::uint32_t i = 0; i < 10; ++i) rows[i] = 10 * client + i;
      own.shards[0] = all.shards[0].select(rows);
      own.shards[0].prepare();
      sampler.next = drawn[client];
      const auto work = testing::make_estimator("recursive", own, sampler, options);
      work->start(w);
      const Vector part = testing::estimate(*work, x, 1);
      for (std::size_t j = 0; j < x.size(); ++j) mean[j] += double{part[j]} / 3;
    }
    sampler.next = {1, 7, 23, 24, 29};
    testing::EstimatorOptions of_union = options;
    of_union.batch = 6;
    const auto node = testing::make_estimator("recursive", all, sampler, of_union);
    node->start(w);
    const Vector one = testing::estimate(*node, x, 1);
    for (std::size_t j = 0; j < x.size(); ++j)
      EXPECT_NEAR(one[j], mean[j], 50 * testing::rounding) << a;
  }
}

}  // namespace trilemma::recursive_test
