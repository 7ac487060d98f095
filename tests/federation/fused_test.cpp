// Fused stages against their staged twin, and clients in one block or process against others: the
// same bits, for every compressor and estimator.

#include <gtest/gtest.h>

#include "tests/support/estimators.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/stubs.hpp"

namespace trilemma::fused_test {

using testing::Fixture;

struct Kind {
  std::string compressor, settings, estimator, problem;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const auto& estimator : estimators())
    for (const char* problem : {"logistic", "network", "images", "softmax"}) {
      for (const auto& compressor : compressors())
        all.push_back({compressor.name, "", estimator.name, problem});
      all.push_back({"rand-k", "k = 5\nmask = \"explicit\"", estimator.name, problem});
    }
  return all;
}

// Clients with `records` records each, of which they draw `batch` in a round.
void expect_staged_bits(const std::vector<Kind>& kinds, std::size_t records, std::size_t batch) {
  for (const Kind& kind : kinds) {
    const auto on = testing::make_case(kind.problem, 5, records, 7, 2);
    const auto sampler = testing::make_sampler("poisson");
    const std::size_t d = on.problem->dimension();
    const auto make = [&] {
      return testing::make_estimator(
          kind.estimator, on, *sampler,
          {.batch = batch, .snapshot_probability = 0.5, .threshold = 0.4});
    };
    // Without a clip the regulariser's gradient is added after the noise, with one before it.
    for (const auto& [shift, clip] : {std::pair{false, 0.7}, {true, 0.7}, {true, 0.0}}) {
      const auto fused_estimator = make();
      const auto staged_estimator = make();
      Fixture::Options options{.compressor = kind.compressor,
                               .compressor_settings = kind.settings,
                               .sigma = 0.3,
                               .memory = shift ? "shift" : "none",
                               .memory_step = 0.2,
                               .clip = clip};
      Fixture fused(*fused_estimator, 5, d, options);
      options.staged = true;
      Fixture staged(*staged_estimator, 5, d, options);
      Vector x = testing::random_vector(d, 3, 0.5);
      fused_estimator->start(x);
      staged_estimator->start(x);
      for (std::uint32_t round = 0; round < 6; ++round) {
        ASSERT_EQ(fused.send(round, x), staged.send(round, x))
            << kind.compressor << ' ' << kind.estimator << ' ' << kind.problem << ' ' << round;
        fused_estimator->finish_round(x, {1, Purpose::coin, 0, round});
        staged_estimator->finish_round(x, {1, Purpose::coin, 0, round});
        x = testing::random_vector(d, 100 + round, 0.5);
      }
    }
  }
}

TEST(Fused, EqualsStagedToTheBit) { expect_staged_bits(kinds(), 20, 6); }

// Enough records that local work sums at the sent coordinates alone; the staged twin leaves NaN at
// the others, which somebody who looks at them would send.
TEST(Fused, EqualsStagedToTheBitWhereSumsAreLimited) {
  std::vector<Kind> limited;
  for (const auto& estimator : estimators())
    for (const char* compressor : {"rand-k", "rand-seq-k", "perm-k", "bernoulli"})
      limited.push_back({compressor, "", estimator.name, "images"});
  limited.push_back({"rand-k", "k = 1", "sgd", "images"});
  expect_staged_bits(limited, 90, 60);
}

// The whole program's switch, with every method.
TEST(Fused, SwitchOfTheConfigurationChangesNoBit) {
  for (const auto& row : methods()) {
    const std::string method = std::string("method=") + row.name;
    EXPECT_EQ(testing::run_tiny({method, "debug.staged=true"}), testing::run_tiny({method}))
        << row.name;
  }
}

// Seventy clients (more than a block of 64) in one process send what two processes send together.
TEST(Fused, ClientsSendTheSameWhereverTheyAreHosted) {
  constexpr std::size_t clients = 70;
  constexpr std::size_t first = 23;
  constexpr std::size_t d = 30;
  std::vector<Vector> gradients;
  for (std::size_t c = 0; c < clients; ++c) gradients.push_back(testing::random_vector(d, c));
  testing::GivenEstimator all(gradients);
  testing::GivenEstimator low({gradients.begin(), gradients.begin() + first});
  testing::GivenEstimator high({gradients.begin() + first, gradients.end()});
  const Fixture::Options options{.compressor = "rand-k",
                                 .compressor_settings = "k = 4",
                                 .sigma = 1,
                                 .memory = "shift",
                                 .memory_step = 0.1};
  Fixture::Options shifted = options;
  shifted.first_client = first;
  Fixture one(all, clients, d, options);
  Fixture left(low, first, d, options);
  Fixture right(high, clients - first, d, shifted);
  const Vector x(d, real{0});
  for (std::uint32_t round = 0; round < 5; ++round) {
    Bytes joined = left.send(round, x);
    const Bytes rest = right.send(round, x);
    joined.insert(joined.end(), rest.begin(), rest.end());
    ASSERT_EQ(one.send(round, x), joined) << round;
  }
}

}  // namespace trilemma::fused_test
