// Rounds in which not all clients take part (src/federation/client_side.cpp, server_side.cpp).

#include <gtest/gtest.h>

#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::participation_test {

using testing::Federation;

const std::string gd = "method=gd";
const std::string poisson = "participation.kind=poisson";
const std::string fixed_size = "participation.kind=fixed-size";

TEST(Participation, OnlyParticipantsSend) {
  Federation some(testing::tiny_experiment, {gd, fixed_size, "participation.size=3"});
  Federation all(testing::tiny_experiment, {gd});
  const std::size_t one = all.round().size() / 4;
  for (int round = 0; round < 5; ++round) EXPECT_EQ(some.round().size(), 3 * one);
}

TEST(Participation, MessagesAreThoseOfTheSameClientsInAFullRound) {
  Federation some(testing::tiny_experiment, {"method=ldp-sgd", fixed_size, "participation.size=2"});
  Federation all(testing::tiny_experiment, {"method=ldp-sgd"});
  const auto part = some.round();
  const auto whole = all.round();
  std::vector<std::uint32_t> clients;
  some.plan.schedule.make()->participants(0, clients);
  const std::size_t one = whole.size() / 4;
  for (std::size_t i = 0; i < clients.size(); ++i)
    EXPECT_TRUE(std::equal(part.begin() + static_cast<std::ptrdiff_t>(i * one),
                           part.begin() + static_cast<std::ptrdiff_t>((i + 1) * one),
                           whole.begin() + static_cast<std::ptrdiff_t>(clients[i] * one)));
}

// One of four clients a round: the step is the client's gradient over 1, not over 4.
TEST(Participation, TheDivisorIsTheExpectedNumber) {
  Federation one(testing::tiny_experiment, {gd, fixed_size, "participation.size=1"});
  std::vector<std::uint32_t> clients;
  one.plan.schedule.make()->participants(0, clients);
  Vector gradient(one.x().size());
  const Vector before = one.x();
  one.parts.work->estimate(clients[0], {.model = before}, gradient);
  one.parts.work->add_public(before, Support::all(), gradient);
  one.round();
  for (std::size_t j = 0; j < gradient.size(); ++j)
    EXPECT_NEAR(static_cast<double>(one.x()[j]),
                static_cast<double>(before[j]) - 0.3 * static_cast<double>(gradient[j]), 1e-6);
}

TEST(Participation, AnEmptyRoundLeavesTheModel) {
  Federation rare(testing::tiny_experiment, {gd, poisson, "participation.rate=1e-9"});
  const Vector before = rare.x();
  EXPECT_TRUE(rare.round().empty());
  EXPECT_EQ(rare.x(), before);
}

TEST(Participation, FixedSizeOfAllIsTheFullRun) {
  EXPECT_EQ(testing::run_tiny({"method=ldp-sgd", fixed_size, "participation.size=4"}),
            testing::run_tiny({"method=ldp-sgd"}));
}

TEST(Participation, ShiftsNeedEveryClient) {
  testing::expect_parts(testing::refusal([] {
                          Federation(testing::tiny_experiment, {"method=soteriafl-sgd", poisson});
                        }),
                        {"participation.kind", "soteriafl-sgd", "every client in every round"});
}

}  // namespace trilemma::participation_test
