// Clients whose numbers of local steps are such that they come together
// (src/schedule/policy/compass.cpp).

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/simulated_clock.hpp"

namespace trilemma::compass_test {
namespace {

const Choice<Schedule> everyone([] { return make_full_schedule(1); });

Settings clock(const std::string& keys) {
  return Settings::from_text("[clock]\n" + keys, "clock.toml");
}

std::vector<TimedStep> server_steps(const std::string& keys, const CompassOptions& options,
                                    std::uint32_t clients, std::size_t count) {
  const auto sequence = simulated(compass(clock(keys), options), {1, clients, everyone});
  std::vector<TimedStep> all(count);
  for (TimedStep& server_step : all) sequence->next(server_step);
  return all;
}

// A client with steps of 1 and one with steps of 4, at first two of each. The fast one comes at 2
// and gets 20, until 22; the slow one comes at 8 and gets the three that end before 22.
TEST(Compass, ASlowClientGetsTheStepsThatFitBeforeAFastOneComes) {
  const auto all =
      server_steps("law = \"fixed\"\nfast = 1\nslow = 4\nslow_share = 0.5\ninteraction = 0",
                   {.least_steps = 2, .most_steps = 20, .staleness_power = 1}, 2, 3);
  ASSERT_EQ(all[0].contacts.size(), 1U);
  ASSERT_EQ(all[1].contacts.size(), 1U);
  ASSERT_EQ(all[2].contacts.size(), 2U);
  EXPECT_EQ(all[0].time, 2);
  EXPECT_EQ(all[1].time, 8);
  EXPECT_EQ(all[2].time, 22);
  const std::uint32_t fast = all[0].contacts[0].client;
  EXPECT_EQ(all[1].contacts[0].client, 1 - fast);
  EXPECT_EQ(all[1].contacts[0].weight, 0.5);  // a step since its start
  EXPECT_EQ(all[2].contacts[fast].steps, 20U);
  EXPECT_EQ(all[2].contacts[fast].base, 1U);
  EXPECT_EQ(all[2].contacts[1 - fast].steps, 3U);
  EXPECT_EQ(all[2].contacts[1 - fast].base, 2U);
}

// Where the server waits for no client longer than planned, a client whose steps take longer comes
// alone, and what has been handed over is not joined again: steps never fit before a time that has
// passed.
TEST(Compass, WhoIsLateComesAlone) {
  const auto group_sizes = [](double patience) {
    const auto all = server_steps(
        "fast = 2\nslow = 2\nslow_share = 0.5\ninteraction = 0",
        {.least_steps = 1, .most_steps = 8, .patience = patience, .staleness_power = 0}, 20, 600);
    double contacts = 0;
    for (std::size_t i = 200; i < all.size(); ++i)
      contacts += static_cast<double>(all[i].contacts.size());
    return contacts / 400;
  };
  EXPECT_GT(group_sizes(4), 1.3 * group_sizes(1));
}

// Two clients of one speed, 2 steps each: both come at 2, alone since they are in no group, in one
// server step. The first one gets 4 steps and a group, until 6; the other one joins it with 4. They
// come at 6, together, and so on: a group that is complete is over.
TEST(Compass, ACompleteGroupIsOver) {
  const auto all = server_steps("law = \"fixed\"\nfast = 1\nslow = 1\ninteraction = 0",
                                {.least_steps = 2, .most_steps = 4}, 2, 5);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i].contacts.size(), 2U) << i;
    EXPECT_EQ(all[i].time, 2 + 4.0 * static_cast<double>(i));
    for (const Contact& contact : all[i].contacts) EXPECT_EQ(contact.steps, i == 0 ? 2U : 4U);
  }
}

TEST(Compass, EveryClientWorksAllTheTimeFromTheModelOfItsContact) {
  constexpr std::uint32_t clients = 30;
  const CompassOptions options{.least_steps = 1, .most_steps = 16};
  const auto sequence = simulated(compass(clock("slow = 6"), options), {5, clients, everyone});
  std::vector<std::uint32_t> model(clients, 0), pieces(clients, 0);
  double steps[2] = {0, 0}, contacts[2] = {0, 0}, before = 0;
  Settings section = clock("slow = 6").section("clock");
  const auto law = step_times().front().make(section, 5, clients);
  TimedStep server_step;
  for (std::uint32_t step = 0; step < 2000; ++step) {
    sequence->next(server_step);
    EXPECT_GE(server_step.time, before + 3);
    before = server_step.time;
    EXPECT_TRUE(
        std::is_sorted(server_step.contacts.begin(), server_step.contacts.end(),
                       [](const Contact& a, const Contact& b) { return a.client < b.client; }));
    for (const Contact& contact : server_step.contacts) {
      EXPECT_EQ(contact.base, model[contact.client]);
      EXPECT_EQ(contact.number, pieces[contact.client]++);
      EXPECT_GE(contact.steps, 1U);
      EXPECT_LE(contact.steps, 16U);
      model[contact.client] = step + 1;
      steps[law->speed_class(contact.client)] += contact.steps;
      ++contacts[law->speed_class(contact.client)];
    }
    for (const auto& [held, count] : sequence->at_work())
      ASSERT_EQ(count, std::count(model.begin(), model.end(), held));
  }
  EXPECT_GT(steps[0] / contacts[0], 1.2 * steps[1] / contacts[1]);
}

}  // namespace
}  // namespace trilemma::compass_test
