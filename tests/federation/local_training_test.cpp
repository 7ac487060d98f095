// Local training and additive personalisation in whole experiments (spec algorithms.md 4.3, 4.5 and
// 4.6).

#include <gtest/gtest.h>

#include "experiment/claim.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::local_training_test {

using testing::Federation;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

Words with(const std::string& method, const Words& more) {
  Words words{"method=" + method, "local.steps=3", "local.rate=0.2",
              "participation.kind=fixed-size", "participation.size=2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Vector own(const Federation& f, std::size_t slot) {
  Vector room;
  const ConstView model = f.parts.work->personal_model(slot, f.x(), room);
  return {model.begin(), model.end()};
}

TEST(LocalTraining, IsPmtlWithoutPullClientByClient) {
  for (const char* solver : {"local.solver=personal-gd", "local.solver=personal-sgd"}) {
    Federation local(tiny_experiment, with("local", {solver}));
    Federation pmtl(tiny_experiment, with("pmtl", {solver, "local.pull=0"}));
    const Vector start = local.x();
    for (int round = 0; round < 6; ++round) {
      EXPECT_TRUE(local.round().empty());
      pmtl.round();
      for (std::size_t slot = 0; slot < 4; ++slot) EXPECT_EQ(own(local, slot), own(pmtl, slot));
    }
    EXPECT_EQ(local.x(), start);
    EXPECT_NE(own(local, 0), start);
  }
}

TEST(LocalTraining, ClaimsThatNothingLeaves) {
  const Federation f(tiny_experiment, {"method=local"});
  const Claim claim = make_claim(f.plan, 0, 15);
  EXPECT_EQ(claim.sentence.find("holds: neither messages nor models leave a client"), 0U)
      << claim.sentence;
  EXPECT_EQ(claim.record.dp_claim, "nothing_released");
  EXPECT_FALSE(claim.curve.has_value());
}

TEST(LocalTraining, HasNoNoiseAndNoCompressor) {
  for (const char* word : {"privacy.sigma=1", "compressor.kind=rand-k", "server.rate=2"})
    testing::expect_parts(testing::refusal([&] {
                            Federation(tiny_experiment, {"method=local", word});
                          }),
                          {std::string(word).substr(0, std::string(word).find('='))});
}

// Without parts of the clients' own it is private FedAvg on differences.
TEST(PpSgd, WithoutOwnPartsItIsPrivateFedAvg) {
  const Words common{"bound.threshold=0.2", "server.rate=1"};
  Words plain = common;
  plain.insert(plain.end(), {"local.update=difference", "local.solver=gd"});
  Words additive = common;
  additive.emplace_back("local.personal_ratio=0");
  Federation one(tiny_experiment, with("pp-sgd", additive));
  Federation other(tiny_experiment, with("dp-fedavg-clip", plain));
  one.run(6);
  other.run(6);
  for (std::size_t j = 0; j < one.x().size(); ++j)
    EXPECT_NEAR(one.x()[j], other.x()[j], 100 * testing::rounding);
}

// What others hold reaches a client through the common model only, and its own part stays its own.
TEST(PpSgd, OwnPartsStayWithTheClient) {
  Federation one(tiny_experiment, with("pp-sgd", {}));
  Federation other(tiny_experiment, with("pp-sgd", {"privacy.sigma=10"}));
  one.run(1);
  other.run(1);
  EXPECT_NE(one.x(), other.x());
  for (std::size_t slot = 0; slot < 4; ++slot)
    for (std::size_t j = 0; j < one.x().size(); ++j)
      EXPECT_NEAR(own(one, slot)[j] - one.x()[j], own(other, slot)[j] - other.x()[j],
                  200 * testing::rounding);
}

// A noisy common model that is useless to all, and parts of their own that make up for it.
TEST(PpSgd, ScoresSeeTheOwnParts) {
  Federation f(tiny_experiment,
               {"partition.held_out=0.4", "method=pp-sgd", "partition.kind=label-sorted",
                "local.rate=0.5", "privacy.sigma=0.01"});
  f.run(10);
  const Metrics found = f.evaluate();
  EXPECT_GT(found.clients.weighted, found.accuracy);
}

TEST(PpSgd, HoldsAgainstTheOthers) {
  const Federation f(tiny_experiment, {"method=pp-sgd", "privacy.delta=1e-3"});
  const Claim claim = make_claim(f.plan, 0.05, 15);
  EXPECT_EQ(claim.record.view, "V_others");
  EXPECT_EQ(claim.record.dp_claim, "accounted");
  EXPECT_NE(claim.record.contains_private_model.find("clients' own"), std::string::npos);
}

}  // namespace trilemma::local_training_test
