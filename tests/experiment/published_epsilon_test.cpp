// What the noise of the papers costs (spec privacy.md 2.1 to 2.3 and 3.4, algorithms.md 1.3): the
// specification's numbers through plans and claims.

#include <gtest/gtest.h>

#include "experiment/claim.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::published_epsilon_test {

using Words = std::vector<std::string>;

constexpr const char* closed_form = R"(
clients = 20
[data]
rows = 400
features = 15
[privacy]
calibration = "paper"
delta = 1e-5
)";
constexpr const char* given_noise = R"(
[data]
rows = 400
features = 15
[privacy]
delta = 1e-5
)";

PrivacyRecord record(const char* toml, const Words& words) {
  const Plan p = read_plan(Settings::from_text(toml, "e.toml", words));
  return make_claim(p, noise_sigma(p, 1), 1).record;
}
Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Tables give three digits or more; the accountant is at most 1e-3 above.
void expect_epsilon(const PrivacyRecord& found, double expected, double digit) {
  EXPECT_NEAR(found.epsilon, expected, 0.5 * digit + 1e-3 * expected);
  EXPECT_FALSE(found.crosscheck_epsilon < found.epsilon_lower);  // no crosscheck is NaN
}

// privacy.md 2.1, constant 1.
TEST(PublishedEpsilon, Norm) {
  const Words poisson{"participation.kind=poisson", "participation.rate=0.2", "rounds=200"};
  for (const char* method : {"method=dp-fedavg-clip", "method=dp-normfedavg"}) {
    const auto all = record(closed_form, {method, "rounds=500", "privacy.delta=1e-6",
                                          "privacy.epsilon=5", "bound.threshold=40"});
    expect_epsilon(all, 6.873, 1e-3);
    EXPECT_EQ(all.dp_claim, "paper_nominal_only");
    for (const auto& [nominal, accounted] : {std::pair{"privacy.epsilon=1", 1.125},
                                             {"privacy.epsilon=5", 7.800},
                                             {"privacy.epsilon=8", 15.787}})
      expect_epsilon(record(closed_form, with(poisson, {method, nominal})), accounted, 1e-3);
  }
}

// privacy.md 2.2: K + 1 = 301 rounds, M = 20, nominal 8; noise at the server stands for all pM
// shares.
TEST(PublishedEpsilon, Nec) {
  const Words common{"method=fed-alpha-normec", "rounds=301", "privacy.epsilon=8"};
  const Words half{"participation.kind=poisson", "participation.rate=0.5"};
  const Words quarter{"participation.kind=poisson", "participation.rate=0.25"};
  expect_epsilon(record(closed_form, common), 2.12, 1e-2);
  expect_epsilon(record(closed_form, with(common, half)), 3.14, 1e-2);
  expect_epsilon(record(closed_form, with(common, quarter)), 4.81, 1e-2);
  const Words messages = with(common, {"privacy.noise_at=client"});
  expect_epsilon(record(closed_form, messages), 12.27, 1e-2);
  expect_epsilon(record(closed_form, with(messages, half)), 30.5, 0.1);
  expect_epsilon(record(closed_form, with(messages, quarter)), 83.9, 0.1);
  // Sums of all clients' messages carry as much noise as the server would add.
  expect_epsilon(record(closed_form, with(messages, {"privacy.view=V_aggregate"})), 2.12, 1e-2);
}

struct Pmtl {
  const char *rounds, *delta, *nominal;
  double replaced, removed;
};

// privacy.md 2.3, all clients in every round: the closed form is pessimistic, and the factor 2
// shows.
TEST(PublishedEpsilon, Pmtl) {
  const Pmtl rows[] = {{"rounds=100", "privacy.delta=1e-3", "privacy.epsilon=0.1", 0.0235, 0.0083},
                       {"rounds=200", "privacy.delta=1e-5", "privacy.epsilon=1", 0.520, 0.244},
                       {"rounds=500", "privacy.delta=1e-5", "privacy.epsilon=2", 1.110, 0.520},
                       {"rounds=500", "privacy.delta=1e-5", "privacy.epsilon=8", 5.302, 2.397}};
  for (const auto& row : rows) {
    const Words words{"method=pmtl", row.rounds, row.delta, row.nominal, "bound.threshold=0.2"};
    const double digit = row.replaced < 0.1 ? 1e-4 : 1e-3;
    const auto replaced = record(closed_form, with(words, {"privacy.relation=replace_one"}));
    expect_epsilon(replaced, row.replaced, digit);
    EXPECT_EQ(replaced.dp_claim, "accounted");  // below the nominal epsilon
    expect_epsilon(record(closed_form, words), row.removed, digit);
  }
}

// algorithms.md 1.3: rows of m = 205 clients, z = sigma q / gamma; the tight values of privacy.md
// 3.5. delta = 1/m is too large for a claim.
TEST(PublishedEpsilon, PmtlUnderPoissonDraws) {
  const Words poisson{"method=pmtl",
                      "clients=205",
                      "participation.kind=poisson",
                      "participation.rate=0.4878048780487805",
                      "bound.threshold=0.5",
                      "privacy.sigma=0.05",
                      "privacy.delta=0.0048781"};
  for (const auto& [rounds, accounted] :
       {std::pair{"rounds=100", 1.04178}, {"rounds=1000", 4.61139}}) {
    const auto found = record(given_noise, with(poisson, {rounds}));
    EXPECT_NEAR(found.noise_multiplier, 10, 1e-9);
    expect_epsilon(found, accounted, 1e-5);
    EXPECT_EQ(found.dp_claim, "none");
  }
}

// privacy.md 3.4: (q, z_wor, T, delta) = (0.01, 1, 1000, 1e-5) gives 3.576; z_wor = sigma q / (2
// gamma).
TEST(PublishedEpsilon, FixedSizes) {
  const auto found = record(given_noise, {"method=dp-fedavg-clip", "clients=100", "rounds=1000",
                                          "participation.kind=fixed-size", "participation.size=1",
                                          "bound.threshold=0.5", "privacy.sigma=1"});
  EXPECT_EQ(found.relation, "replace_one");
  // The dominating pair by another program; theorem 27 says 3.576.
  expect_epsilon(found, 2.1989, 1e-4);
  EXPECT_EQ(found.dp_claim, "accounted");
}

// The smallest noise with an epsilon at most the target, wherever it is added.
TEST(PublishedEpsilon, TheAccountantReachesItsTarget) {
  const Words schedules[] = {{},
                             {"participation.kind=poisson", "participation.rate=0.2"},
                             {"participation.kind=fixed-size", "participation.size=4"}};
  for (const Words& who : schedules)
    for (const char* place : {"privacy.noise_at=server", "privacy.noise_at=client"}) {
      const auto found = record(
          closed_form, with(who, {"method=dp-normfedavg", "rounds=50",
                                  "privacy.calibration=accountant", "privacy.epsilon=2", place}));
      EXPECT_EQ(found.dp_claim, "accounted") << place;
      EXPECT_LE(found.epsilon, 2) << place;
      EXPECT_GT(found.epsilon, 1.98) << place;
    }
}

}  // namespace trilemma::published_epsilon_test
