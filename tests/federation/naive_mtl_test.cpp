// All clients' models as one private vector (src/method/naive_dp_mtl.cpp; spec algorithms.md
// 4.5).

#include <gtest/gtest.h>

#include "experiment/claim.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::naive_mtl_test {

using testing::Federation;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

constexpr std::size_t clients = 4;

Words naive(const Words& more) {
  Words words{"method=naive-dp-mtl", "local.steps=3", "local.rate=0.2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Vector block(const Federation& f, std::size_t slot) {
  Vector room;
  const ConstView model = f.parts.work->personal_model(slot, f.x(), room);
  return {model.begin(), model.end()};
}

TEST(NaiveMtl, HoldsAllModelsAndSendsOne) {
  Federation f(tiny_experiment, naive({}));
  const std::size_t d = f.plan.problem->dimension();
  EXPECT_EQ(f.x().size(), clients * d);
  EXPECT_EQ(f.plan.shape().down, clients * d);
  const Vector start = block(f, 0);
  for (std::size_t slot = 1; slot < clients; ++slot) EXPECT_EQ(block(f, slot), start);
  EXPECT_EQ(f.round().size(), clients * d * sizeof(double));  // values cross as float64
  for (std::size_t slot = 0; slot < clients; ++slot) {
    const Vector own = block(f, slot);
    EXPECT_TRUE(std::equal(own.begin(), own.end(), f.x().begin() + slot * d)) << slot;
    EXPECT_NE(own, slot == 0 ? block(f, 1) : block(f, 0)) << slot;
  }
}

// A server step of n makes up for the mean over n clients: what is left is local training.
TEST(NaiveMtl, WithoutPrivacyItIsLocalTraining) {
  Federation f(tiny_experiment, naive({"privacy.sigma=0", "bound.threshold=1e9", "server.rate=4"}));
  Federation local(tiny_experiment, {"method=local", "local.steps=3", "local.rate=0.2"});
  f.run(5);
  local.run(5);
  Vector room;
  for (std::size_t slot = 0; slot < clients; ++slot) {
    const ConstView own = local.parts.work->personal_model(slot, local.x(), room);
    for (std::size_t j = 0; j < own.size(); ++j)
      EXPECT_NEAR(block(f, slot)[j], own[j], 200 * testing::rounding);
  }
}

// Whoever takes part: the noise is on all coordinates of all models.
TEST(NaiveMtl, NoiseIsOnAllModels) {
  const Words one{"participation.kind=fixed-size", "participation.size=1"};
  Words quiet = naive(one);
  quiet.emplace_back("privacy.sigma=0");
  Federation calm(tiny_experiment, quiet);
  Federation noisy(tiny_experiment, naive(one));
  const Vector start = calm.x();
  calm.round();
  noisy.round();
  std::size_t moved = 0;
  for (std::size_t j = 0; j < start.size(); ++j) {
    moved += calm.x()[j] != start[j] ? 1U : 0U;
    EXPECT_NE(noisy.x()[j], start[j]) << j;
  }
  EXPECT_LE(moved, start.size() / clients);
  EXPECT_GT(moved, 0U);
}

TEST(NaiveMtl, ThePullEndsAtTheMeanOfAllModels) {
  Federation free(tiny_experiment, naive({}));
  Federation half(tiny_experiment, naive({"server.pull=0.5"}));
  Federation full(tiny_experiment, naive({"server.pull=1"}));
  for (Federation* f : {&free, &half, &full}) f->round();
  Vector room;
  const ConstView mean = free.plan.shape().common(free.x(), room);
  for (std::size_t slot = 0; slot < clients; ++slot)
    for (std::size_t j = 0; j < mean.size(); ++j) {
      EXPECT_NEAR(full.x()[slot * mean.size() + j], mean[j], 10 * testing::rounding);
      EXPECT_NEAR(half.x()[slot * mean.size() + j], (block(free, slot)[j] + mean[j]) / 2,
                  10 * testing::rounding);
    }
}

// What a client holds moves its own block only, by at most the bound over r.
TEST(NaiveMtl, AClientMovesItsOwnBlock) {
  Federation one(tiny_experiment, naive({}));
  Federation other(tiny_experiment, naive({}));
  for (auto& label : other.parts.shards[2].label) label = -label;
  one.round();
  other.round();
  for (std::size_t slot = 0; slot < clients; ++slot)
    EXPECT_EQ(block(one, slot) == block(other, slot), slot != 2) << slot;
}

TEST(NaiveMtl, IsPrivateForWholeClients) {
  const Federation server(tiny_experiment, naive({"privacy.delta=1e-3"}));
  EXPECT_DOUBLE_EQ(releases(server.plan, 15).of_every_round().sensitivity.full, 0.5 / clients);
  const Claim claim = make_claim(server.plan, 0.05, 15);
  EXPECT_EQ(claim.record.view, "V_aggregate");
  EXPECT_EQ(claim.record.dp_claim, "accounted");
  EXPECT_EQ(claim.record.contains_private_model, "false");
  // A block carries the noise of its client alone, however many there are.
  const Federation client(tiny_experiment,
                          naive({"privacy.noise_at=client", "privacy.view=V_aggregate"}));
  EXPECT_DOUBLE_EQ(releases(client.plan, 15).of_every_round().sensitivity.full, 0.5);
}

}  // namespace trilemma::naive_mtl_test
