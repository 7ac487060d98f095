// Who meets the server when on the simulated clock (src/schedule/simulated_clock.hpp).

#include "schedule/simulated_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "schedule/step_sequence.hpp"

namespace trilemma::simulated_clock_test {
namespace {

Choice<Schedule> fixed_size(std::uint32_t clients, long size) {
  return Choice<Schedule>([=] {
    Settings s = Settings::from_text("size = " + std::to_string(size), "participation.toml");
    return row(schedules(), "fixed-size").make(s, 1, clients);
  });
}

Settings clock(const std::string& keys) {
  return Settings::from_text("[clock]\n" + keys, "clock.toml");
}

std::vector<TimedStep> server_steps(const Asynchrony& make, std::uint32_t clients, long size,
                                    std::size_t count) {
  const Choice<Schedule> schedule = fixed_size(clients, size);
  const auto sequence = simulated(make, {1, clients, schedule});
  std::vector<TimedStep> all(count);
  for (TimedStep& server_step : all) sequence->next(server_step);
  return all;
}

std::size_t steps_until(const Asynchrony& make, double time) {
  const auto all = server_steps(make, 100, 20, 2000);
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [time](const TimedStep& m) { return m.time <= time; }));
}

TEST(Interrupts, Make714StepsIn5000UnitsAnd1428In10000) {
  const Asynchrony make = interrupting(clock(""), {});
  EXPECT_EQ(steps_until(make, 5000), 714U);
  EXPECT_EQ(steps_until(make, 10000), 1428U);
}

// Steps of the table of [FAV] section 3 within three standard errors, over all contacts of the fast
// and of the slow clients; and what alpha divides by has the mean that it should.
TEST(Interrupts, ClientsDoTheStepsOfTheTable) {
  using Factor = InterruptingOptions::Factor;
  for (const Factor factor : {Factor::deterministic, Factor::stochastic}) {
    const auto all = server_steps(interrupting(clock(""), {.factor = factor}), 100, 20, 4000);
    struct Sum {
      double contacts = 0, steps = 0, none = 0, share = 0;
    };
    Sum sums[2];
    Settings section = clock("").section("clock");
    const auto law = step_times().front().make(section, 1, 100);
    for (const TimedStep& server_step : all)
      for (const Contact& contact : server_step.contacts) {
        Sum& sum = sums[law->speed_class(contact.client)];
        ++sum.contacts;
        sum.steps += contact.steps;
        sum.none += contact.steps == 0 ? 1 : 0;
        sum.share += contact.steps * contact.factor;
      }
    struct Line {
      double none, mean, square;
    };
    const Line lines[2] = {{0.00157233, 12.492906, 200.12721}, {0.25937309, 2.186981, 10.640801}};
    for (int speed = 0; speed < 2; ++speed) {
      const Sum& sum = sums[speed];
      const Line& line = lines[speed];
      EXPECT_NEAR(sum.none / sum.contacts, line.none,
                  3 * std::sqrt(line.none * (1 - line.none) / sum.contacts));
      EXPECT_NEAR(sum.steps / sum.contacts, line.mean,
                  3 * std::sqrt((line.square - line.mean * line.mean) / sum.contacts));
      // (1 / alpha) (E ^ K) has mean 1 for both alphas: fast and slow clients count alike.
      EXPECT_NEAR(sum.share / sum.contacts, 1, 0.02);
    }
  }
}

TEST(Interrupts, AClientGoesOnFromTheModelOfItsContact) {
  for (const bool gives_new : {true, false}) {
    const Choice<Schedule> schedule = fixed_size(10, 3);
    const auto sequence =
        simulated(interrupting(clock(""), {.gives_new = gives_new}), {1, 10, schedule});
    std::vector<std::uint32_t> model(10, 0);
    TimedStep server_step;
    for (std::uint32_t step = 0; step < 200; ++step) {
      sequence->next(server_step);
      ASSERT_EQ(server_step.contacts.size(), 3U);
      for (const Contact& contact : server_step.contacts) {
        EXPECT_EQ(contact.base, model[contact.client]);
        EXPECT_LE(contact.steps, 20U);
        model[contact.client] = gives_new ? step + 1 : step;
      }
      for (const auto& [held, clients] : sequence->at_work())
        EXPECT_EQ(clients, std::count(model.begin(), model.end(), held));
    }
  }
}

// Two clients that take 3 a step, a server step of 7, both contacted each time: two whole steps,
// and a third of which 1 is left. Kept, it ends 2 after the contact: steps at 9 and 12, and so on.
TEST(Interrupts, WhatIsUnderWayIsLostOrKept) {
  const auto steps = [](const char* keys) {
    std::vector<std::uint32_t> found;
    for (const TimedStep& server_step : server_steps(
             interrupting(clock(std::string("law = \"fixed\"\nfast = 3\nslow_share = 0\n") + keys),
                          {}),
             2, 2, 3))
      found.push_back(server_step.contacts.front().steps);
    return found;
  };
  EXPECT_EQ(steps(""), (std::vector<std::uint32_t>{2, 2, 2}));
  EXPECT_EQ(steps("under_way = \"kept\""), (std::vector<std::uint32_t>{2, 2, 3}));
}

TEST(Interrupts, TheAnalysisMakesSlowClientsDoMore) {
  const auto all = server_steps(interrupting(clock("speed = \"analysis\""), {.most_steps = 1000}),
                                100, 20, 3000);
  double contacts = 0;
  double steps = 0;
  for (const TimedStep& server_step : all)
    for (const Contact& contact : server_step.contacts) {
      EXPECT_GE(contact.steps, 1U);
      ++contacts;
      steps += contact.steps;
    }
  // 66 clients do 2 on average, 34 do 16; variances 2 and 240, between the kinds 44.
  EXPECT_NEAR(steps / contacts, 0.66 * 2 + 0.34 * 16, 3 * std::sqrt((83 + 44) / contacts));
}

TEST(Waits, LastAsLongAsTheSlowest) {
  const auto all = server_steps(semi_synchronous(clock(""), 20), 100, 20, 400);
  double before = 0;
  double duration = 0;
  for (const TimedStep& server_step : all) {
    duration += server_step.time - before;
    before = server_step.time;
  }
  // With a slow client among 20 of 100, nearly always, at least 3 + 20 * 16 on average.
  EXPECT_GT(duration / 400, 323);
  const auto fixed =
      server_steps(semi_synchronous(clock("law = \"fixed\"\nslow_share = 0"), 20), 100, 20, 2);
  EXPECT_EQ(fixed[0].time, 43);
  EXPECT_EQ(fixed[1].time, 86);
  EXPECT_EQ(fixed[1].contacts.front().base, 1U);
}

// Three clients, the first of which is slow: 4 a step, the others 1; two steps each, so that they
// come at 8 and at 2, 4, 6, ... The server takes 3 for a step.
TEST(Arrivals, ByHand) {
  Settings experiment = clock("law = \"fixed\"\nfast = 1\nslow = 4\nslow_share = 0.3");
  Settings section = experiment.section("clock");
  const auto law = row(step_times(), "fixed").make(section, 1, 3);
  std::vector<std::uint32_t> fast;
  std::uint32_t slow = 0;
  for (std::uint32_t client = 0; client < 3; ++client)
    if (law->mean(client) == 4)
      slow = client;
    else
      fast.push_back(client);
  ASSERT_EQ(fast.size(), 2U);
  const auto all = server_steps(buffered(experiment, {.steps = 2, .wanted = 2}), 3, 1, 3);
  const auto who = [](const TimedStep& server_step) {
    std::vector<std::uint32_t> clients;
    for (const Contact& contact : server_step.contacts) clients.push_back(contact.client);
    return clients;
  };
  // Both fast ones at 2, and again from model 0 at 4, while the server is busy until 5.
  EXPECT_EQ(all[0].time, 5);
  EXPECT_EQ(who(all[0]), fast);
  EXPECT_EQ(all[1].time, 8);
  EXPECT_EQ(who(all[1]), fast);
  EXPECT_EQ(all[1].contacts[0].base, 0U);
  // They began again at 4, from model 0 for the server was not done, and come at 6.
  EXPECT_EQ(all[2].time, 11);
  EXPECT_EQ(who(all[2]), fast);
  EXPECT_EQ(all[2].contacts[0].base, 0U);
  EXPECT_NE(slow, fast[0]);
  // A step of three waits for the slow one; the fast ones that have come again count once.
  const auto three = server_steps(buffered(experiment, {.steps = 2, .wanted = 3}), 3, 1, 2);
  EXPECT_EQ(three[0].time, 11);
  EXPECT_EQ(three[1].time, 19);  // the slow one again at 16
}

TEST(Arrivals, StaleUpdatesCountLess) {
  const auto all =
      server_steps(buffered(clock(""), {.wanted = 5, .staleness_power = 0.5}), 50, 1, 200);
  for (std::uint32_t step = 0; step < all.size(); ++step)
    for (const Contact& contact : all[step].contacts)
      EXPECT_DOUBLE_EQ(contact.weight, 1 / std::sqrt(1.0 + (step - contact.base)));
}

// Different clients in a step, models that existed when they were taken, all clients at work.
TEST(Arrivals, EveryStepHasDifferentClientsWithModelsOfThePast) {
  for (const char* restart : {"at-once", "consumed", "renewed"}) {
    const Choice<Schedule> none = fixed_size(50, 1);
    const auto sequence = simulated(
        buffered(clock(std::string("restart = \"") + restart + "\""), {.steps = 3, .wanted = 7}),
        {1, 50, none});
    EXPECT_EQ(sequence->expected(), 7);
    TimedStep server_step;
    double before = 0;
    for (std::uint32_t step = 0; step < 500; ++step) {
      sequence->next(server_step);
      EXPECT_GE(server_step.time, before + 3);
      before = server_step.time;
      ASSERT_EQ(server_step.contacts.size(), 7U);
      for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_LE(server_step.contacts[i].base, step);
        if (i > 0) {
          EXPECT_LT(server_step.contacts[i - 1].client, server_step.contacts[i].client);
        }
      }
      std::uint32_t clients = 0;
      for (const auto& [model, count] : sequence->at_work()) clients += count;
      EXPECT_EQ(clients, 50U);
    }
  }
}

TEST(Arrivals, KeepsSoManyInFlight) {
  const Choice<Schedule> none = fixed_size(50, 1);
  const auto sequence = simulated(buffered(clock(""), {.steps = 1, .in_flight = 8}), {1, 50, none});
  TimedStep server_step;
  for (std::uint32_t step = 0; step < 300; ++step) {
    sequence->next(server_step);
    ASSERT_EQ(server_step.contacts.size(), 1U);
    std::uint32_t jobs = 0;
    for (const auto& [model, count] : sequence->at_work()) jobs += count;
    EXPECT_EQ(jobs, 8U);
    EXPECT_TRUE(sequence->at_work().contains(step + 1));
  }
}

// A record of server steps has their contacts, and as models at work those that contacts to come
// begin at, as soon as these are there.
TEST(Recorded, TellsWhatHasBeen) {
  const auto all = server_steps(buffered(clock(""), {.wanted = 4}), 30, 6, 50);
  const auto sequence = recorded_steps(all, 4, 9).make();
  EXPECT_EQ(sequence->handed_out(), 9U);
  EXPECT_EQ(sequence->expected(), 4);
  std::map<std::uint32_t, std::uint32_t> to_come;
  for (const TimedStep& server_step : all)
    for (const Contact& contact : server_step.contacts) ++to_come[contact.base];
  TimedStep server_step;
  for (std::uint32_t step = 0; step < 50; ++step) {
    sequence->next(server_step);
    EXPECT_EQ(server_step.time, all[step].time);
    ASSERT_EQ(server_step.contacts.size(), all[step].contacts.size());
    for (std::size_t i = 0; i < server_step.contacts.size(); ++i) {
      EXPECT_EQ(server_step.contacts[i].client, all[step].contacts[i].client);
      EXPECT_EQ(server_step.contacts[i].number, all[step].contacts[i].number);
      --to_come[server_step.contacts[i].base];
    }
    for (std::uint32_t model = 0; model <= step + 1; ++model)
      EXPECT_EQ(sequence->at_work().contains(model), to_come.contains(model) && to_come[model] > 0)
          << step << ' ' << model;
  }
}

// Times of jobs that all begin with the server step are summed from its opening, and server steps
// of one duration end at its multiples: a long run does not add up what each sum rounds.
TEST(SimulatedClock, RoundsOnceAServerStep) {
  const Settings experiment = clock("law = \"exponential\"\ninteraction = 0.3");
  Settings section = experiment.section("clock");
  const auto law = row(step_times(), "exponential").make(section, 1, 100);
  double before = 0;
  std::uint32_t step = 0;
  for (const TimedStep& server_step : server_steps(semi_synchronous(experiment, 4), 100, 20, 300)) {
    double slowest = 0;
    for (const Contact& contact : server_step.contacts) {
      Stream stream({1, Purpose::step_time, contact.client, step});
      double end = 0;
      for (int k = 0; k < 4; ++k) end += law->draw(contact.client, stream);
      slowest = std::max(slowest, end);
    }
    EXPECT_EQ(server_step.time, before + (0.3 + slowest)) << step;
    before = server_step.time;
    ++step;
  }
  step = 0;
  for (const TimedStep& server_step :
       server_steps(interrupting(clock("waiting = 0.1\ninteraction = 0.2"), {}), 100, 20, 300))
    EXPECT_EQ(server_step.time, (0.1 + 0.2) * ++step);
}

TEST(SimulatedClock, RepeatThemselves) {
  for (const Asynchrony& make :
       {interrupting(clock(""), {}), semi_synchronous(clock(""), 5),
        buffered(clock(""), {.wanted = 4}), buffered(clock(""), {.steps = 1, .in_flight = 4})}) {
    const auto a = server_steps(make, 30, 6, 50);
    const auto b = server_steps(make, 30, 6, 50);
    for (std::size_t step = 0; step < 50; ++step) {
      EXPECT_EQ(a[step].time, b[step].time);
      ASSERT_EQ(a[step].contacts.size(), b[step].contacts.size());
      for (std::size_t i = 0; i < a[step].contacts.size(); ++i) {
        EXPECT_EQ(a[step].contacts[i].client, b[step].contacts[i].client);
        EXPECT_EQ(a[step].contacts[i].steps, b[step].contacts[i].steps);
      }
    }
  }
}

}  // namespace
}  // namespace trilemma::simulated_clock_test
