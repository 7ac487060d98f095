// Shuffled messages (src/privacy/accountant/shuffling.hpp) against external values and enumerated
// multisets (joint mechanisms, section 9 of the specification).

#include "privacy/accountant/shuffling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace trilemma::accounting::shuffling_test {

using Row = std::vector<double>;                    // law of a message
using Counts = std::map<std::vector<int>, double>;  // law of a multiset of messages

Counts multisets(const std::vector<Row>& clients) {
  Counts now{{std::vector<int>(clients.front().size()), 1}};
  for (const Row& law : clients) {
    Counts next;
    for (const auto& [counts, mass] : now)
      for (std::size_t v = 0; v < law.size(); ++v) {
        std::vector<int> more = counts;
        ++more[v];
        next[more] += mass * law[v];
      }
    now = next;
  }
  return now;
}

double divergence(const Counts& p, const Counts& q, double epsilon) {
  double sum = 0;
  for (const auto& [counts, mass] : p) {
    const auto other = q.find(counts);
    sum += std::max(0.0, mass - (other == q.end() ? 0 : std::exp(epsilon) * other->second));
  }
  return sum;
}

// delta of client 1 with value 0 or 1, the others with the values `others`, in both orders.
double exact_delta(const std::vector<Row>& mechanism, const std::vector<int>& others,
                   double epsilon) {
  std::vector<Row> clients{mechanism[0]};
  for (const int value : others) clients.push_back(mechanism[static_cast<std::size_t>(value)]);
  const Counts p = multisets(clients);
  clients[0] = mechanism[1];
  const Counts q = multisets(clients);
  return std::max(divergence(p, q, epsilon), divergence(q, p, epsilon));
}

TEST(Shuffling, ExternalValues) {
  EXPECT_NEAR(shuffled_epsilon({1e5, 4}, 1e-6), 0.118153, 1e-6);
  EXPECT_NEAR(shuffled_epsilon({1000, 1}, 1e-6), 0.148671, 1e-6);
  EXPECT_NEAR(shuffled_epsilon({1e4, 4}, 1e-6), 0.410812, 1e-6);
}

TEST(Shuffling, RoundsCompose) {
  const Result one = shuffled_epsilon({1000, 1}, 1, 1e-6);
  EXPECT_LE(one.lower, 0.148672);
  EXPECT_GE(one.value, 0.148670);
  EXPECT_LT(one.value - one.lower, 1e-4);
  EXPECT_NEAR(shuffled_epsilon({1000, 1}, 10, 1e-6).value, 0.5084, 1e-4);
  EXPECT_NEAR(shuffled_epsilon({1000, 1}, 100, 1e-6).value, 1.7589, 2e-4);
  // The clones of 10^5 clients share blocks.
  const Result blocks = shuffled_epsilon({1e5, 4}, 1, 1e-6);
  EXPECT_LE(blocks.lower, 0.118153);
  EXPECT_GE(blocks.value, 0.118153);
  EXPECT_LT(blocks.value - blocks.lower, 1e-3 * blocks.value);
}

// The pair of counts itself, for n - 1 others that are clones with probability 2 / (e^eps0 + 1).
double delta_of_pair(int n, double epsilon0, double epsilon) {
  const double rate = 2 / (std::exp(epsilon0) + 1), w = 1 / (1 + std::exp(-epsilon0));
  const Row other{rate / 2, rate / 2, 1 - rate};
  std::vector<Row> clients{{w, 1 - w, 0}};
  clients.insert(clients.end(), static_cast<std::size_t>(n - 1), other);
  const Counts p = multisets(clients);
  clients[0] = {1 - w, w, 0};
  return divergence(p, multisets(clients), epsilon);
}

TEST(Shuffling, BoundIsThatOfThePair) {
  for (const double epsilon0 : {0.4, 1.0, 2.5})
    for (int n = 1; n <= 8; ++n)
      for (const double share : {0.0, 0.1, 0.4, 0.9}) {
        const double epsilon = share * epsilon0;
        EXPECT_NEAR(shuffled_delta({static_cast<double>(n), epsilon0}, epsilon),
                    delta_of_pair(n, epsilon0, epsilon), 1e-13)
            << epsilon0 << ' ' << n << ' ' << epsilon;
      }
}

// For two clients it attains the bound, for more of them nearly where epsilon0 is large.
TEST(Shuffling, BinaryResponseStaysBelow) {
  for (const double epsilon0 : {0.4, 1.0, 2.5}) {
    const double w = 1 / (1 + std::exp(-epsilon0));
    const std::vector<Row> response{{w, 1 - w}, {1 - w, w}};
    for (int n = 1; n <= 8; ++n)
      for (const double share : {0.0, 0.1, 0.4, 0.9}) {
        const double epsilon = share * epsilon0;
        double most = 0;
        for (int ones = 0; ones < n; ++ones) {
          std::vector<int> others(static_cast<std::size_t>(n - 1));
          std::fill_n(others.begin(), ones, 1);
          most = std::max(most, exact_delta(response, others, epsilon));
        }
        const double bound = shuffled_delta({static_cast<double>(n), epsilon0}, epsilon);
        EXPECT_LE(most, bound * (1 + 1e-12)) << epsilon0 << ' ' << n << ' ' << epsilon;
        const bool attains = n <= 2 || (epsilon0 == 2.5 && share >= 0.4);
        if (attains) {
          EXPECT_GE(most, 0.999 * bound - 1e-15) << epsilon0 << ' ' << n << ' ' << epsilon;
        }
      }
  }
}

TEST(Shuffling, RandomMechanismsStayBelow) {
  std::mt19937 draw(5);
  std::uniform_real_distribution<double> uniform;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const double epsilon0 = 0.2 + 2 * uniform(draw);
    std::vector<Row> mechanism(3, Row(4));
    double least = 0;
    for (std::size_t v = 0; v < 4; ++v) {
      double low = 1e9, high = 0;
      for (Row& row : mechanism) {
        row[v] = std::exp(-0.5 * epsilon0 * uniform(draw));
        low = std::min(low, row[v]);
        high = std::max(high, row[v]);
      }
      least = std::max(least, high / low);
    }
    double low = 1e9, high = 0;
    for (Row& row : mechanism) {
      double sum = 0;
      for (const double mass : row) sum += mass;
      for (double& mass : row) mass /= sum;
      low = std::min(low, sum);
      high = std::max(high, sum);
    }
    const double own = std::log(least * high / low);  // at least that of the mechanism
    const int n = 2 + repeat % 3;
    std::vector<int> others(static_cast<std::size_t>(n - 1));
    for (int& value : others) value = static_cast<int>(draw() % 3);
    const double epsilon = 0.5 * own * uniform(draw);
    EXPECT_LE(exact_delta(mechanism, others, epsilon),
              shuffled_delta({static_cast<double>(n), own}, epsilon) + 1e-12);
  }
}

// Binary response that names its client's value with probability delta0.
TEST(Shuffling, ImpureMessagesCostDelta) {
  const double epsilon0 = 1, delta0 = 0.01, w = 1 / (1 + std::exp(-epsilon0));
  const std::vector<Row> leaky{{w * (1 - delta0), (1 - w) * (1 - delta0), delta0, 0},
                               {(1 - w) * (1 - delta0), w * (1 - delta0), 0, delta0}};
  for (int n = 1; n <= 6; ++n)
    for (const double epsilon : {0.1, 0.5, 1.2})
      for (int ones = 0; ones < n; ++ones) {
        std::vector<int> others(static_cast<std::size_t>(n - 1));
        std::fill_n(others.begin(), ones, 1);
        const double exact = exact_delta(leaky, others, epsilon);
        const double bound = shuffled_delta({static_cast<double>(n), epsilon0, delta0}, epsilon);
        EXPECT_LE(exact, bound + 1e-12) << n << ' ' << epsilon;
        EXPECT_GT(exact, 0) << n << ' ' << epsilon;
      }
  const Shuffled pure{1000, 1}, impure{1000, 1, 1e-11};
  const double away = 1e-11 * (1 + 4 * 999 * std::exp(-1));
  EXPECT_NEAR(shuffled_delta(impure, 0.1) - shuffled_delta(pure, 0.1), (1 + std::exp(0.1)) * away,
              1e-15);
  EXPECT_NEAR(shuffled_epsilon(impure, 1, 1e-6).value, shuffled_epsilon(impure, 1e-6), 1e-4);
  EXPECT_GT(shuffled_epsilon(impure, 10, 1e-6).value, shuffled_epsilon(pure, 10, 1e-6).value);
  EXPECT_TRUE(std::isinf(shuffled_epsilon({1000, 1, 1e-6}, 1e-6)));
  EXPECT_TRUE(std::isinf(shuffled_epsilon({1000, 1, 1e-6}, 10, 1e-6).value));
}

// Without other clients nothing is hidden: delta = w - (1 - w) e^epsilon.
TEST(Shuffling, OneClientHasItsOwnMessage) {
  const double w = 1 / (1 + std::exp(-2.0));
  EXPECT_NEAR(shuffled_delta({1, 2}, 0.5), w - (1 - w) * std::exp(0.5), 1e-12);
  EXPECT_EQ(shuffled_delta({1, 2}, 2), 0);
  // Also where 1 - w is below the spacing of numbers near 1.
  EXPECT_NEAR(shuffled_epsilon({1, 60}, 0.5), 60 - std::log(2), 1e-8);
  EXPECT_DOUBLE_EQ(shuffled_epsilon({100, 2}, 0), 2);
}

// A message is worth what all rounds allow, and the claim of these messages is just below.
TEST(Shuffling, MessagesAreCalibrated) {
  EXPECT_NEAR(shuffled_message_epsilon(500, 1, 1, 1e-6), 2.675, 5e-4);
  EXPECT_NEAR(shuffled_message_epsilon(500, 1, 4, 1e-6), 4.008, 5e-4);
  EXPECT_NEAR(shuffled_message_epsilon(1000, 10, 0.5084, 1e-6), 1, 1e-3);
  for (const double epsilon : {0.01, 0.3, 2.0, 30.0, 60.0}) {
    const double one = shuffled_message_epsilon(500, 1, epsilon, 1e-6);
    EXPECT_LE(shuffled_epsilon({500, one}, 1e-6), epsilon);
    EXPECT_GT(shuffled_epsilon({500, one}, 1e-6), epsilon * (1 - 1e-5)) << epsilon;
  }
}

// Whoever sees shuffled messages sees no more than whoever sees their senders too.
TEST(Shuffling, SendersCostAtLeastAsMuch) {
  const LocalPair pair = response_pair(0.5, 4);
  for (const double rounds : {1.0, 8.0}) {
    const double seen = LocalComposition(pair, rounds).epsilon(1e-6);
    EXPECT_EQ(messages_epsilon(pair, 1, rounds, 1e-6).value, seen);
    EXPECT_LE(messages_epsilon(pair, 2, rounds, 1e-6).value, seen);
    EXPECT_LT(messages_epsilon(pair, 300, rounds, 1e-6).value, 0.6 * seen);
  }
  EXPECT_EQ(messages_epsilon(pair, 300, 1, 1e-6).value, shuffled_epsilon({300, 0.5}, 1e-6));
  EXPECT_EQ(messages_epsilon(pair, 300, 8, 1e-6).value,
            shuffled_epsilon({300, 0.5}, 8, 1e-6).value);
}

TEST(Shuffling, NumbersOutOfRangeAreRefused) {
  EXPECT_THROW(shuffled_delta({0, 1}, 0.1), std::invalid_argument);
  EXPECT_THROW(shuffled_delta({10, 0}, 0.1), std::invalid_argument);
  EXPECT_THROW(shuffled_delta({10, 1, 2}, 0.1), std::invalid_argument);
  EXPECT_THROW(shuffled_epsilon({10, 1}, 1), std::invalid_argument);
}

}  // namespace trilemma::accounting::shuffling_test
