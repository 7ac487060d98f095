// Messages that are private alone (src/privacy/local_messages.hpp): the epsilon of a message, the
// number of bits, and what mechanisms release.

#include "privacy/local_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"
#include "numeric/secret.hpp"
#include "privacy/accountant/shuffling.hpp"
#include "privacy/joint.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::local_messages_test {

class Through final : public Bound {
 public:
  Bounds what() const override { return Bounds::client; }
  std::string description() const override { return "test"; }
  double threshold() const override { return 1; }
};

LocalTask task(LocalKind kind, double epsilon, double rounds = 1, double delta = 0) {
  return {.kind = kind,
          .dimension = 1000,
          .norm = 1,
          .rounds = rounds,
          .epsilon = epsilon,
          .delta = delta};
}

// In one round a message has the whole epsilon, whatever delta allows.
TEST(LocalMessages, OneRoundHasTheWholeEpsilon) {
  for (const double epsilon : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    const LocalMessages bits = local_messages(task(LocalKind::sqkr, epsilon, 1, 1e-3));
    EXPECT_EQ(bits.pair.epsilon, epsilon);
    EXPECT_EQ(bits.bits, std::ceil(epsilon));
    EXPECT_DOUBLE_EQ(bits.error, sqkr_error(1000, {1, epsilon, bits.bits}));
    const LocalMessages direction = local_messages(task(LocalKind::privunit, epsilon, 1, 1e-3));
    EXPECT_EQ(direction.pair.epsilon, epsilon);
    EXPECT_NEAR(direction.error, 1 / (direction.cap.mean * direction.cap.mean) - 1, 1e-9);
    EXPECT_LT(direction.error, bits.error);
  }
}

TEST(LocalMessages, RoundsShareTheEpsilon) {
  for (const LocalKind kind : {LocalKind::sqkr, LocalKind::privunit}) {
    EXPECT_DOUBLE_EQ(local_messages(task(kind, 4, 8)).pair.epsilon, 0.5);
    const LocalMessages found = local_messages(task(kind, 4, 50, 1e-5));
    const double all = accounting::LocalComposition(found.pair, 50).epsilon(1e-5);
    EXPECT_LE(all, 4);
    EXPECT_GT(all, 4 * (1 - 1e-6));
    EXPECT_GT(found.pair.epsilon, 4.0 / 50);
  }
}

TEST(LocalMessages, BitsAreLimited) {
  LocalTask few = task(LocalKind::sqkr, 6);
  few.bits = 2;
  EXPECT_EQ(local_messages(few).bits, 2U);
  few.bits = 24;
  few.dimension = 3;
  EXPECT_EQ(local_messages(few).bits, 3U);
  LocalTask line = task(LocalKind::privunit, 1);
  line.dimension = 1;
  EXPECT_THROW(local_messages(line), UserError);
}

TEST(LocalMessages, AnswersAreSignsAndDirectionsHaveOneLength) {
  Vector u = testing::random_vector(1000, 3);
  clip(u, 1);
  const Bounded bounded = Through().apply(u);
  const Key key{5, Purpose::noise, 2, 7};
  Vector out;
  const LocalMessages bits = local_messages(task(LocalKind::sqkr, 4));
  const auto sqkr = make_local_mechanism(bits, 1000, 1);
  sqkr->release(bounded, Support::all(), key, out);
  for (std::size_t j = 0; j < out.size(); ++j)
    EXPECT_EQ(std::abs(out[j]), j < bits.bits ? 1 : 0) << j;
  EXPECT_NEAR(sqkr->sigma(), std::sqrt(bits.error / 1000), 1e-12);
  EXPECT_EQ(sqkr->description(), "sqkr, epsilon = 4 in each message of 4 bits");
  const LocalMessages direction = local_messages(task(LocalKind::privunit, 4));
  const auto privunit = make_local_mechanism(direction, 1000, 1);
  privunit->release(bounded, Support::all(), key, out);
  double square = 0;
  for (const real value : out) square += static_cast<double>(value) * static_cast<double>(value);
  EXPECT_NEAR(square, direction.error + 1, 1e-3 * square);
}

LocalTask shuffled(double epsilon, double rounds = 1) {
  LocalTask given = task(LocalKind::sqkr, epsilon, rounds, 1e-6);
  given.shuffled = 500;
  return given;
}

// Joint mechanisms, section 10 of the specification: 500 clients, 1,000 coordinates.
TEST(LocalMessages, ShufflingAllowsMoreForEach) {
  const LocalMessages one = local_messages(shuffled(1));
  EXPECT_NEAR(one.pair.epsilon, 2.675, 5e-4);
  EXPECT_EQ(one.bits, 2U);
  EXPECT_NEAR(one.error / 500, 6.72, 0.01);
  const LocalMessages four = local_messages(shuffled(4));
  EXPECT_NEAR(four.pair.epsilon, 4.008, 5e-4);
  EXPECT_EQ(four.bits, 4U);
  EXPECT_NEAR(four.error / 500, 3.36, 0.01);
  EXPECT_TRUE(one.own_coins);
  EXPECT_EQ(in_words(four).substr(in_words(four).find(" in each")),
            " in each message of 4 bits and their coordinates");
  const LocalMessages many = local_messages(shuffled(2, 20));
  const double all = accounting::messages_epsilon(many.pair, 500, 20, 1e-6).value;
  EXPECT_LE(all, 2);
  EXPECT_GT(all, 2 * (1 - 1e-4));
}

TEST(LocalMessages, CoordinatesThatFloatsDoNotHoldAreRefused) {
  LocalTask large = shuffled(1);
  large.dimension = (std::size_t{1} << 23U) + 1;
  EXPECT_THROW(local_messages(large), UserError);
  large.shuffled = 1;
  EXPECT_NO_THROW(local_messages(large));
}

// Coordinates of the client's own coins are those of its secret: others know the seed.
TEST(LocalMessages, OwnCoinsAreSecret) {
  Vector u = testing::random_vector(1000, 3);
  clip(u, 1);
  const Bounded bounded = Through().apply(u);
  const auto sqkr = make_local_mechanism(local_messages(shuffled(4)), 1000, 1);
  std::array<std::uint8_t, Secret::size> bytes{};
  const Secret secret(bytes);
  const auto coordinates = [&](const Secret* own) {
    Vector out;
    sqkr->release(bounded, Support::all(), {5, Purpose::noise, 2, 7, own}, out);
    std::vector<std::uint32_t> at;
    for (std::size_t l = 0; l < 4; ++l) at.push_back(static_cast<std::uint32_t>(std::abs(out[l])));
    EXPECT_TRUE(std::ranges::is_sorted(at));
    EXPECT_GE(at.front(), 1U);
    EXPECT_LE(at.back(), sqkr_frame(1000));
    for (std::size_t j = 4; j < out.size(); ++j) EXPECT_EQ(out[j], 0);
    return at;
  };
  EXPECT_NE(coordinates(&secret), coordinates(nullptr));
}

}  // namespace trilemma::local_messages_test
