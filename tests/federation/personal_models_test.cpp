// Models of the clients' own, in whole experiments (spec algorithms.md 4.1, 4.2 and 4.6).

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/federation.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::personal_models_test {

using testing::Federation;
using Words = std::vector<std::string>;

constexpr std::size_t clients = 4;
constexpr double tolerance = 100 * testing::rounding;
PhaseTimer timer{false};

const Words two_of_four{"participation.kind=fixed-size", "participation.size=2"};

Words pmtl(const Words& more, const Words& who = two_of_four) {
  Words words{"method=pmtl", "local.steps=3", "local.rate=0.2"};
  words.insert(words.end(), who.begin(), who.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Vector own(const Federation& f, std::size_t slot) {
  Vector room;
  const ConstView model = f.parts.work->personal_model(slot, f.x(), room);
  return {model.begin(), model.end()};
}

std::vector<std::uint32_t> participants(const Federation& f, std::uint32_t round) {
  std::vector<std::uint32_t> drawn;
  f.plan.schedule.make()->participants(round, drawn);
  return drawn;
}

std::vector<double> mean_of(const Federation& f, const std::vector<std::uint32_t>& slots) {
  std::vector<double> mean(f.x().size(), 0.0);
  for (const auto slot : slots)
    for (std::size_t j = 0; j < mean.size(); ++j)
      mean[j] += static_cast<double>(own(f, slot)[j]) / static_cast<double>(slots.size());
  return mean;
}

void turn_labels(Federation& f, std::size_t client) {
  for (auto& label : f.parts.shards[client].label) label = -label;
}

TEST(PersonalModels, BeginAtTheStartModelWhichIsPublic) {
  Federation f(testing::tiny_experiment, pmtl({}));
  const Vector start = f.x();
  std::vector<bool> seen(clients, false);
  for (std::uint32_t round = 0; round < 4; ++round) {
    for (const auto client : participants(f, round)) seen[client] = true;
    f.round();
    for (std::size_t slot = 0; slot < clients; ++slot)
      EXPECT_EQ(own(f, slot) == start, !seen[slot]);
  }
}

// lambda = 0: local training, on the rounds in which the client is selected.
TEST(PersonalModels, WithoutPullTheyAreLocalTraining) {
  const Words local{"local.pull=0"};
  Federation plain(testing::tiny_experiment, pmtl(local));
  plain.run(8);
  for (const Words& words :
       {Words{"local.pull=0", "privacy.sigma=10"}, Words{"local.pull=0", "privacy.sigma=0"},
        Words{"local.pull=0", "bound.threshold=1e-4"}, Words{"local.pull=0", "local.update=own"},
        Words{"local.pull=0", "server.rate=0.1"}}) {
    Federation other(testing::tiny_experiment, pmtl(words));
    other.run(8);
    for (std::size_t slot = 0; slot < clients; ++slot)
      EXPECT_EQ(own(other, slot), own(plain, slot)) << words.back();
    EXPECT_NE(other.x(), plain.x()) << words.back();
  }
  Federation turned(testing::tiny_experiment, pmtl(local));
  turn_labels(turned, 3);
  turned.run(8);
  for (std::size_t slot = 0; slot < 3; ++slot) EXPECT_EQ(own(turned, slot), own(plain, slot));
  EXPECT_NE(own(turned, 3), own(plain, 3));
}

TEST(PersonalModels, WithoutPullTheyAreGradientDescentOnTheClientsRecords) {
  Federation f(testing::tiny_experiment, pmtl({"local.pull=0"}));
  Federation alone(testing::tiny_experiment,
                   {"method=fedavg", "local.solver=gd", "local.steps=3", "local.rate=0.2"});
  std::vector<Vector> w(clients, f.x());
  for (std::uint32_t round = 0; round < 6; ++round) {
    for (const auto client : participants(f, round)) {
      Vector moved(w[client].size());
      alone.parts.work->estimate(client, {.model = w[client]}, moved);
      for (std::size_t j = 0; j < moved.size(); ++j) w[client][j] -= moved[j];
    }
    f.round();
    for (std::size_t slot = 0; slot < clients; ++slot)
      for (std::size_t j = 0; j < w[slot].size(); ++j)
        EXPECT_NEAR(own(f, slot)[j], w[slot][j], tolerance);
  }
}

TEST(PersonalModels, ThePullMatters) {
  Federation plain(testing::tiny_experiment, pmtl({"local.pull=0"}));
  Federation pulled(testing::tiny_experiment, pmtl({"local.pull=1"}));
  plain.run(6);
  pulled.run(6);
  for (std::size_t slot = 0; slot < clients; ++slot) EXPECT_NE(own(plain, slot), own(pulled, slot));
}

// from_broadcast, sigma = 0, gamma large: wtilde' = mean over S of w_k', for any q.
TEST(PersonalModels, TheBillboardIsTheMeanOfTheParticipants) {
  for (const Words& who : {Words{}, two_of_four}) {
    Federation f(testing::tiny_experiment, pmtl({"privacy.sigma=0", "bound.threshold=1e9"}, who));
    for (std::uint32_t round = 0; round < 6; ++round) {
      f.round();
      const auto mean = mean_of(f, participants(f, round));
      for (std::size_t j = 0; j < mean.size(); ++j) EXPECT_NEAR(f.x()[j], mean[j], tolerance);
    }
  }
}

// previous_self: wtilde^t - wtilde^0 = (m/q) (wbar^t - wbar^0), so m/q times too far (A15).
TEST(PersonalModels, DifferencesToTheirOwnModelMoveTheBillboardTooFar) {
  for (const Words& who : {Words{}, two_of_four}) {
    Federation f(testing::tiny_experiment,
                 pmtl({"privacy.sigma=0", "bound.threshold=1e9", "local.update=own"}, who));
    const Vector start = f.x();
    for (std::uint32_t round = 0; round < 8; ++round) {
      f.round();
      const auto mean = mean_of(f, {0, 1, 2, 3});
      for (std::size_t j = 0; j < mean.size(); ++j)
        EXPECT_NEAR(f.x()[j] - start[j], (who.empty() ? 1 : 2) * (mean[j] - start[j]), tolerance);
    }
  }
}

// Private FedAvg is PMTL without pull whose clients are put back to the billboard; private FedProx
// is the same with the pull.
TEST(PersonalModels, PutBackEveryRoundTheyArePrivateFedAvg) {
  for (const char* pull : {"local.pull=0", "local.pull=0.5"}) {
    Federation personal(testing::tiny_experiment, pmtl({pull, "bound.threshold=0.2"}));
    Federation global(testing::tiny_experiment,
                      pmtl({"method=dp-fedavg-clip", "local.solver=gd", "local.update=difference",
                            "server.rate=1", pull, "bound.threshold=0.2"}));
    for (int round = 0; round < 5; ++round) {
      personal.parts.work->start(personal.x());
      personal.round();
      global.round();
      EXPECT_EQ(personal.x(), global.x()) << pull << ' ' << round;
    }
  }
}

// What others hold reaches a client through the billboard only.
TEST(PersonalModels, OtherClientsShowOnTheBillboardOnly) {
  Federation one(testing::tiny_experiment, pmtl({}, {}));
  Federation other(testing::tiny_experiment, pmtl({}, {}));
  turn_labels(other, 3);
  for (std::uint32_t round = 0; round < 5; ++round) {
    one.round();
    other.parts.clients->run(round, std::vector<std::uint32_t>{0, 1, 2, 3}, other.x(), timer);
    other.parts.x = one.x();  // the same billboards
    for (std::size_t slot = 0; slot < 3; ++slot)
      EXPECT_EQ(own(other, slot), own(one, slot)) << round;
    EXPECT_NE(own(other, 3), own(one, 3)) << round;
  }
  Federation free(testing::tiny_experiment, pmtl({}, {}));
  turn_labels(free, 3);
  free.run(5);
  EXPECT_NE(own(free, 0), own(one, 0));
}

}  // namespace trilemma::personal_models_test
