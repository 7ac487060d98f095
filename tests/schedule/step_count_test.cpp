// Local steps between two contacts (src/schedule/step_count.hpp), against the table of the
// specification and by hand.

#include "schedule/step_count.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::step_count_test {
namespace {

std::unique_ptr<StepTime> law(const char* name, const std::string& toml, std::uint32_t clients) {
  Settings clock = Settings::from_text(toml, "clock.toml");
  return row(step_times(), name).make(clock, 1, clients);
}

std::uint32_t first_of(const StepTime& law, double mean, std::uint32_t clients) {
  for (std::uint32_t client = 0; client < clients; ++client)
    if (law.mean(client) == mean) return client;
  ADD_FAILURE() << "no client of mean " << mean;
  return 0;
}

// n = 100, s = 20, K = 20, a server step of 7.
TEST(StepCount, IsThatOfTheTableForGeometricTimes) {
  const auto times = law("geometric", "", 100);
  struct Line {
    double mean, none, expected, square, inverse, all;
  };
  for (const Line& line : {Line{2, 0.00157233, 12.492906, 200.12721, 0.134833, 0.324368},
                           Line{16, 0.25937309, 2.186981, 10.640801, 0.408428, 0.000269}}) {
    const StepCount count = count_steps(*times, first_of(*times, line.mean, 100),
                                        {.most_steps = 20, .duration = 7, .contacted = 0.2});
    EXPECT_NEAR(1 - count.some(), line.none, 5e-9);
    EXPECT_NEAR(count.mean(), line.expected, 5e-7);
    EXPECT_NEAR(count.mean_square(), line.square, 5e-5 * line.mean);
    EXPECT_NEAR(count.mean_inverse(), line.inverse, 5e-7);
    EXPECT_NEAR(count.probability.back(), line.all, 5e-7);
  }
}

// D lambda / ps without the cap, and the closed form of P(E = 0).
TEST(StepCount, HasTheClosedFormsWithoutACap) {
  const auto times = law("geometric", "", 9);
  for (const double mean : {2.0, 16.0}) {
    const StepCount count = count_steps(*times, first_of(*times, mean, 9),
                                        {.most_steps = 3000, .duration = 7, .contacted = 0.25});
    const double nothing = std::pow(1 - 1 / mean, 7);
    EXPECT_NEAR(count.mean(), 7 / mean / 0.25, 1e-8);
    EXPECT_NEAR(1 - count.some(), 0.25 * nothing / (1 - 0.75 * nothing), 1e-12);
  }
}

TEST(StepCount, ByHand) {
  const auto fixed = law("fixed", "fast = 3\nslow_share = 0", 2);
  // Everyone in every step: floor(7 / 3) steps, no more than K.
  EXPECT_DOUBLE_EQ(count_steps(*fixed, 0, {.most_steps = 9, .contacted = 1}).mean(), 2);
  EXPECT_DOUBLE_EQ(count_steps(*fixed, 0, {.most_steps = 1, .contacted = 1}).mean(), 1);
  // After one server step with probability 1/2, else K = 3.
  const StepCount count = count_steps(*fixed, 0, {.most_steps = 3, .contacted = 0.5});
  EXPECT_NEAR(count.mean(), 2.5, 1e-12);
  EXPECT_NEAR(count.mean_inverse(), 0.5 / 2 + 0.5 / 3, 1e-12);
  // Geometric on 1, 2, ...: P(E >= q) = (1 - chance)^(q - 1).
  const StepCount drawn = count_drawn_steps(0.25, 3);
  EXPECT_DOUBLE_EQ(drawn.some(), 1);
  EXPECT_DOUBLE_EQ(drawn.mean(), 1 + 0.75 + 0.5625);
}

// The simulation that takes the place of a closed form, on a law that has one too.
TEST(StepCount, SimulationAgreesWithTheClosedForm) {
  const testing::TempFolder folder;
  const std::string path = folder.write("trace.csv", "client,time\n0,1\n0,1\n0,5\n1,2\n");
  const auto trace = law("trace", "file = \"" + path + "\"", 2);
  EXPECT_DOUBLE_EQ(trace->mean(0), 7.0 / 3);
  const StepCounting how{.most_steps = 4, .duration = 3, .contacted = 0.5};
  // Client 1 takes 2 a step: 1 step with 1/2, 3 with 1/4, 4 with 1/4.
  const StepCount count = count_steps(*trace, 1, how);
  const double error = std::sqrt(0.25 / 65536);
  EXPECT_NEAR(count.probability[1], 0.5, 5 * error);
  EXPECT_NEAR(count.probability[3], 0.25, 5 * error);
  EXPECT_NEAR(count.probability[4], 0.25, 5 * error);
  EXPECT_NE(count.probability[1], 0.5);
}

// What the clients of a long run do.
TEST(StepCount, CountersDoWhatIsCounted) {
  for (const char* name : {"geometric", "exponential"})
    for (const bool keeps : {false, true}) {
      const auto times = law(name, "slow_share = 0.5", 2);
      StepCounter counter(*times, 2, 20, keeps);
      for (std::uint32_t client = 0; client < 2; ++client) {
        const StepCount expected = count_steps(*times, client, {.contacted = 0.2, .keeps = keeps});
        double sum = 0;
        double none = 0;
        double now = 0;
        constexpr std::uint32_t contacts = 40'000;
        for (std::uint32_t number = 0; number < contacts; ++number) {
          Stream stream({3, Purpose::step_time, client, number});
          do now += 7;
          while (stream.uniform() >= 0.2);
          const std::uint32_t steps = counter.take(client, now, stream);
          sum += steps;
          none += steps == 0 ? 1 : 0;
        }
        const double variance = expected.mean_square() - expected.mean() * expected.mean();
        EXPECT_NEAR(sum / contacts, expected.mean(), 3 * std::sqrt(variance / contacts))
            << name << keeps << client;
        const double p = 1 - expected.some();
        EXPECT_NEAR(none / contacts, p, 3 * std::sqrt(p * (1 - p) / contacts));
      }
    }
}

TEST(StepTimes, ThirtyFourOfAHundredAreSlowAndElevenFast) {
  const auto slow = [](const StepTime& times) {
    int count = 0;
    for (std::uint32_t client = 0; client < 100; ++client) count += times.mean(client) == 16;
    return count;
  };
  EXPECT_EQ(slow(*law("geometric", "", 100)), 34);
  EXPECT_EQ(slow(*law("geometric", "slow_share = 0.8888888888888888", 100)), 89);
  EXPECT_EQ(slow(*law("fixed", "slow_share = 0", 100)), 0);
}

TEST(StepTimes, HaveTheirMeansAndSums) {
  for (const char* name : {"geometric", "exponential", "fixed"}) {
    const auto times = law(name, "slow_share = 0\nfast = 4", 1);
    constexpr int draws = 100'000;
    double sum = 0;
    int within = 0;
    Stream stream({5, Purpose::step_time, 0, 0});
    for (int i = 0; i < draws; ++i) {
      const double a = times->draw(0, stream);
      const double b = times->draw(0, stream);
      sum += a + b;
      within += a + b <= 9 ? 1 : 0;
    }
    EXPECT_NEAR(sum / (2 * draws), 4, 5 * 4 / std::sqrt(2.0 * draws)) << name;
    EXPECT_NEAR(static_cast<double>(within) / draws, times->sum_at_most(0, 2, 9),
                5 * 0.5 / std::sqrt(draws))
        << name;
  }
}

TEST(StepTimes, TracesAreRefusedInWords) {
  const testing::TempFolder folder;
  const auto refused = [&](const char* text) {
    const std::string path = folder.write("trace.csv", text);
    return testing::refusal([&] { law("trace", "file = \"" + path + "\"", 2); });
  };
  EXPECT_NE(refused("0,1\n").find("no time for client 1"), std::string::npos);
  EXPECT_NE(refused("0,1\n2,1\n").find("trace.csv:2: client 2"), std::string::npos);
  EXPECT_NE(refused("0,0\n").find("times are above 0"), std::string::npos);
  EXPECT_NE(refused("0;1\n").find("has no comma"), std::string::npos);
  EXPECT_NE(refused("0,x\n").find("'x' is not a number"), std::string::npos);
  EXPECT_NE(testing::refusal([] { law("trace", "", 2); }).find("name a file"), std::string::npos);
  EXPECT_NE(testing::refusal([] { law("geometric", "fast = 0.5", 2); }).find("whole numbers"),
            std::string::npos);
}

}  // namespace
}  // namespace trilemma::step_count_test
