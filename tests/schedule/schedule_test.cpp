// Participation (src/schedule/schedule.hpp).

#include "schedule/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/refusal.hpp"

namespace trilemma::schedule_test {

TEST(Schedule, FullIsEveryClientInOrder) {
  Settings settings = Settings::empty();
  const auto& row = schedules().front();
  ASSERT_STREQ(row.name, "full");
  const auto schedule = row.make(settings, 1, 4);
  std::vector<std::uint32_t> clients{9, 9};
  for (std::uint32_t round = 0; round < 3; ++round) {
    schedule->participants(round, clients);
    EXPECT_EQ(clients, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  }
}

std::unique_ptr<Schedule> make(const char* name, const std::string& toml, std::uint32_t clients,
                               std::uint64_t seed = 1) {
  Settings settings = Settings::from_text(toml, "participation.toml");
  return row(schedules(), name).make(settings, seed, clients);
}

std::vector<std::uint32_t> drawn(Schedule& schedule, std::uint32_t round) {
  std::vector<std::uint32_t> clients;
  schedule.participants(round, clients);
  return clients;
}

TEST(Schedule, EveryRowNamesKnownClientsInOrderAndRepeatsItself) {
  for (const auto& kind : schedules())
    for (const std::uint32_t n : {1U, 2U, 57U}) {
      const auto schedule = make(kind.name, "", n, 7);
      EXPECT_GT(schedule->expected(), 0) << kind.name;
      EXPECT_LE(schedule->expected(), n) << kind.name;
      for (std::uint32_t round = 0; round < 50; ++round) {
        const auto clients = drawn(*schedule, round);
        EXPECT_TRUE(std::is_sorted(clients.begin(), clients.end())) << kind.name;
        EXPECT_EQ(std::adjacent_find(clients.begin(), clients.end()), clients.end()) << kind.name;
        EXPECT_TRUE(clients.empty() || clients.back() < n) << kind.name;
        EXPECT_EQ(clients, drawn(*make(kind.name, "", n, 7), round)) << kind.name;
      }
    }
}

TEST(Schedule, PoissonWithProbabilityOneIsEverybody) {
  const auto schedule = make("poisson", "rate = 1.0", 5);
  EXPECT_EQ(schedule->draw(), Draw::everyone);
  for (std::uint32_t round = 0; round < 5; ++round)
    EXPECT_EQ(drawn(*schedule, round), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(make("poisson", "rate = 0.999", 5)->draw(), Draw::independent);
}

// Size: mean n p, variance n p (1 - p); every client equally often. Four standard errors each, of
// 2 + 40 fixed numbers.
TEST(Schedule, PoissonIsOneCoinAClient) {
  constexpr std::uint32_t n = 40;
  constexpr double p = 0.3;
  constexpr int rounds = 20000;
  const auto schedule = make("poisson", "rate = 0.3", n);
  EXPECT_DOUBLE_EQ(schedule->expected(), 12);
  double sum = 0;
  double squares = 0;
  std::vector<int> count(n);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const auto clients = drawn(*schedule, round);
    const auto size = static_cast<double>(clients.size());
    sum += size;
    squares += (size - n * p) * (size - n * p);
    for (const auto client : clients) ++count[client];
  }
  const double variance = n * p * (1 - p);
  EXPECT_NEAR(sum / rounds, n * p, 4 * std::sqrt(variance / rounds));
  EXPECT_NEAR(squares / rounds, variance, 4 * variance * std::sqrt(2.0 / rounds));
  for (const int times : count) EXPECT_NEAR(times, rounds * p, 4 * std::sqrt(rounds * p * (1 - p)));
}

// Pairs of clients come independently: 4 standard errors.
TEST(Schedule, PoissonCoinsAreIndependent) {
  const auto schedule = make("poisson", "rate = 0.5", 2);
  int both = 0;
  int none = 0;
  constexpr int rounds = 20000;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const auto size = drawn(*schedule, round).size();
    both += size == 2 ? 1 : 0;
    none += size == 0 ? 1 : 0;
  }
  EXPECT_NEAR(both, rounds / 4, 4 * std::sqrt(rounds * 0.25 * 0.75));
  EXPECT_NEAR(none, rounds / 4, 4 * std::sqrt(rounds * 0.25 * 0.75));
}

TEST(Schedule, FixedSizeDrawsEverySubsetEquallyOften) {
  const auto schedule = make("fixed-size", "size = 2", 4);
  EXPECT_DOUBLE_EQ(schedule->expected(), 2);
  int times[4][4] = {};
  constexpr int rounds = 12000;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const auto clients = drawn(*schedule, round);
    ASSERT_EQ(clients.size(), 2U);
    ++times[clients[0]][clients[1]];
  }
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b)
      EXPECT_NEAR(times[a][b], rounds / 6, 4 * std::sqrt(rounds / 6.0 * 5 / 6)) << a << b;
}

TEST(Schedule, FixedSizeOfAllIsFull) {
  EXPECT_EQ(drawn(*make("fixed-size", "size = 5", 5), 3),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST(Schedule, RefusesWhatCannotBe) {
  testing::expect_parts(testing::refusal([] { make("fixed-size", "size = 6", 5); }),
                        {"size = 6", "more than the 5 clients"});
  testing::expect_parts(testing::refusal([] { make("poisson", "rate = 0", 5); }), {"rate = 0"});
  testing::expect_parts(testing::refusal([] { make("poisson", "rate = 1.5", 5); }), {"rate = 1.5"});
}

}  // namespace trilemma::schedule_test
