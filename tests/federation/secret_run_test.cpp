// Runs with privacy.rng = "chacha20" (src/federation/client_side.cpp): noise and minibatches follow
// from a secret, everything else from the seed.

#include <gtest/gtest.h>

#include "tests/support/estimators.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/secrets.hpp"

namespace trilemma::secret_run_test {

using testing::Federation;
using testing::Fixture;
using testing::run_tiny;

const std::string secret = "privacy.rng=chacha20";

// Messages of one round of a tiny federation, decoded.
std::vector<Message> decoded_round(Federation& federation) {
  const Layout layout = federation.plan.compressor->layout();
  const auto bytes = federation.round();
  std::vector<Message> all(static_cast<std::size_t>(federation.plan.clients));
  for (std::size_t client = 0; client < all.size(); ++client)
    decode(layout, bytes.subspan(client * layout.bytes(), layout.bytes()), all[client]);
  return all;
}

TEST(SecretRun, ThePlanAsksForASecretOnlyWhereItIsTold) {
  EXPECT_EQ(Federation(testing::tiny_experiment).parts.secrets.size(), 0U);
  EXPECT_EQ(Federation(testing::tiny_experiment, {secret}).parts.secrets.size(), 4U);
}

TEST(SecretRun, TwoRunsDifferInEveryMessageWhileMasksAgree) {
  const std::vector<std::string> overrides{secret, "compressor.mask=explicit"};
  Federation one(testing::tiny_experiment, overrides);
  Federation other(testing::tiny_experiment, overrides);
  Federation seeded(testing::tiny_experiment, {"compressor.mask=explicit"});
  EXPECT_EQ(one.x(), other.x());
  for (int round = 0; round < 5; ++round) {
    const auto a = decoded_round(one);
    const auto b = decoded_round(other);
    const auto c = decoded_round(seeded);
    for (std::size_t client = 0; client < a.size(); ++client) {
      EXPECT_EQ(a[client].index, b[client].index) << round << ' ' << client;
      EXPECT_EQ(a[client].index, c[client].index) << round << ' ' << client;
      EXPECT_NE(a[client].value, b[client].value) << round << ' ' << client;
      EXPECT_NE(a[client].value, c[client].value) << round << ' ' << client;
    }
  }
}

TEST(SecretRun, NoiseAloneMakesRunsDiffer) {
  const std::vector<std::string> overrides{secret, "method=soteriafl-gd"};
  EXPECT_NE(run_tiny(overrides), run_tiny(overrides));
}

// Forty minibatches of five of fifteen records: Poisson draws all agree with probability (5/9)^600.
TEST(SecretRun, MinibatchesAloneMakeRunsDiffer) {
  for (const char* sampling : {"poisson", "without-replacement", "with-replacement"}) {
    const std::vector<std::string> overrides{secret, "method=soteriafl-sgd", "privacy.sigma=0",
                                             std::string("local.sampling=") + sampling};
    EXPECT_NE(run_tiny(overrides), run_tiny(overrides)) << sampling;
  }
}

// Without noise and with all records in every batch nothing is left to the secret: data, start,
// masks and the coins of the snapshots keep their bits.
TEST(SecretRun, NothingElseFollowsFromTheSecret) {
  for (const char* method : {"soteriafl-gd", "soteriafl-sgd", "soteriafl-svrg", "soteriafl-saga"}) {
    std::vector<std::string> overrides{std::string("method=") + method, "privacy.sigma=0"};
    if (std::string_view(method) != "soteriafl-gd") overrides.emplace_back("local.batch=15");
    if (std::string_view(method) == "soteriafl-svrg")
      overrides.emplace_back("local.snapshot_probability=0.5");
    const Vector seeded = run_tiny(overrides);
    overrides.push_back(secret);
    EXPECT_EQ(run_tiny(overrides), seeded) << method;
  }
}

TEST(SecretRun, FusedEqualsStagedToTheBitUnderOneSecret) {
  const auto shared = testing::fixed_secret(5);
  const auto on = testing::make_case("logistic", 5, 20, 7, 2);
  const auto sampler = testing::make_sampler("poisson");
  const std::size_t d = on.problem->dimension();
  for (const auto& compressor : compressors()) {
    const auto fused_sgd = testing::make_estimator("sgd", on, *sampler, {.batch = 6});
    const auto staged_sgd = testing::make_estimator("sgd", on, *sampler, {.batch = 6});
    Fixture::Options options{.compressor = compressor.name, .sigma = 0.3, .secret = shared.get()};
    Fixture fused(*fused_sgd, 5, d, options);
    options.staged = true;
    Fixture staged(*staged_sgd, 5, d, options);
    options.secret = nullptr;
    Fixture seeded(*staged_sgd, 5, d, options);
    for (std::uint32_t round = 0; round < 6; ++round) {
      const Vector x = testing::random_vector(d, 100 + round, 0.5);
      const Bytes sent = fused.send(round, x);
      ASSERT_EQ(sent, staged.send(round, x)) << compressor.name << ' ' << round;
      ASSERT_NE(sent, seeded.send(round, x)) << compressor.name << ' ' << round;
    }
  }
}

}  // namespace trilemma::secret_run_test
