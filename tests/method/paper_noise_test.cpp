// Closed forms of the noise (src/method/paper_noise.cpp; spec algorithms.md 1.3, experiments.md
// 3 to 5): published and derived values.

#include "method/paper_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trilemma::paper_noise_test {

// experiments.md 3.1: sigma = 0.166226 C on the mean at (5, 1e-6), K = 500, n = 100, q = 1.
TEST(PaperNoise, NormOnQuadratics) {
  NoiseFacts facts{.constant = 1,
                   .threshold = 1,
                   .rounds = 500,
                   .delta = 1e-6,
                   .epsilon = 5,
                   .records = 1,
                   .clients = 100,
                   .participants = 100,
                   .at_server = true};
  EXPECT_NEAR(norm_noise(facts), 0.166226, 5e-7);
  for (const auto& [threshold, sigma] : {std::pair{40.0, 6.649}, {50.0, 8.311}, {100.0, 16.623}}) {
    facts.threshold = threshold;
    EXPECT_NEAR(norm_noise(facts), sigma, 5e-4);
  }
  // Each of r participants adds N(0, r sigma^2).
  facts.threshold = 1;
  facts.at_server = false;
  facts.participants = 20;
  EXPECT_NEAR(norm_noise(facts), std::sqrt(20.0) * 0.166226, 5e-6);
  // The number of records has no place in it.
  facts.records = 77;
  EXPECT_NEAR(norm_noise(facts), std::sqrt(20.0) * 0.166226, 5e-6);
}

// experiments.md 3.2: sigma / C for K = 200.
TEST(PaperNoise, NormOnImages) {
  auto sigma = [](double clients, double epsilon) {
    return norm_noise({.constant = 1,
                       .threshold = 1,
                       .rounds = 200,
                       .delta = 1e-5,
                       .epsilon = epsilon,
                       .records = 20,
                       .clients = clients,
                       .participants = 0.2 * clients,
                       .at_server = true});
  };
  EXPECT_NEAR(sigma(3000, 5), 0.0031990, 5e-8);
  EXPECT_NEAR(sigma(3000, 1.5), 0.0106634, 5e-8);
  EXPECT_NEAR(sigma(5000, 5), 0.0019194, 5e-8);
  EXPECT_NEAR(sigma(5000, 1.5), 0.0063980, 5e-8);
}

// experiments.md 4: 7.3462, 3.6731, 1.8366 for K = 300; privacy.md 2.2 counts the rounds k = 0..K
// of the algorithm's box, 301 of them: 7.358, 3.679, 1.840.
TEST(PaperNoise, NecOnOneClient) {
  auto sigma = [](double rate, double rounds, bool at_server) {
    return nec_noise({.constant = 1,
                      .threshold = 1,
                      .rounds = rounds,
                      .delta = 1e-5,
                      .epsilon = 8,
                      .records = 2700,
                      .clients = 20,
                      .participants = rate * 20,
                      .at_server = at_server});
  };
  EXPECT_NEAR(sigma(1, 300, false), 7.3462, 5e-5);
  EXPECT_NEAR(sigma(0.5, 300, false), 3.6731, 5e-5);
  EXPECT_NEAR(sigma(0.25, 300, false), 1.8366, 5e-5);
  EXPECT_NEAR(sigma(1, 301, false), 7.358, 5e-4);
  EXPECT_NEAR(sigma(0.5, 301, false), 3.679, 5e-4);
  EXPECT_NEAR(sigma(0.25, 301, false), 1.840, 5e-4);
  // At the server: variance p M sigma^2 on the sum, so sigma / sqrt(p M) on the mean over p M.
  for (const double rate : {1.0, 0.5, 0.25})
    EXPECT_DOUBLE_EQ(sigma(rate, 300, true) * std::sqrt(rate * 20), sigma(rate, 300, false));
}

// c stands before the root in [NEC] and under it in [NORM].
TEST(PaperNoise, Constants) {
  NoiseFacts facts{.constant = 1,
                   .threshold = 3,
                   .rounds = 10,
                   .delta = 1e-3,
                   .epsilon = 2,
                   .records = 5,
                   .clients = 8,
                   .participants = 4,
                   .at_server = false};
  const double nec = nec_noise(facts);
  const double norm = norm_noise(facts);
  facts.constant = 4;
  EXPECT_DOUBLE_EQ(nec_noise(facts), 4 * nec);
  EXPECT_DOUBLE_EQ(norm_noise(facts), 2 * norm);
}

// algorithms.md 1.3: sigma = 4 gamma sqrt(T log(1/delta)) / (eps m).
TEST(PaperNoise, Pmtl) {
  EXPECT_NEAR(norm_noise({.constant = 16,
                          .threshold = 1,
                          .rounds = 100,
                          .delta = 1e-2,
                          .epsilon = 2,
                          .records = 1,
                          .clients = 100,
                          .participants = 100,
                          .at_server = true}),
              0.429193, 5e-7);
}

}  // namespace trilemma::paper_noise_test
