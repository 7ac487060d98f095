// No client begins its work at a future model (src/schedule/simulated_clock.hpp), and clients that
// report on their own do the same as in a plain event simulation.

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/simulated_clock.hpp"
#include "tests/support/event_simulation.hpp"

namespace trilemma::causality_test {
namespace {

using testing::EventContact;
using testing::EventRules;
using testing::EventStep;
using GoesOn = EventRules::GoesOn;

const Choice<Schedule> everyone([] { return make_full_schedule(1); });

// A clock with few or many clients, for a server that is or is not too slow for them.
struct Case {
  std::uint64_t seed = 1;
  std::uint32_t clients = 1;
  long buffer = 1;
  long steps = 1;
  double interaction = 3;
  GoesOn goes_on = GoesOn::at_once;
  std::string law = "geometric";
  bool one_draw = false;
  long in_flight = 0;
  double slow = 16;

  const char* restart() const {
    return goes_on == GoesOn::consumed  ? "consumed"
           : goes_on == GoesOn::renewed ? "renewed"
                                        : "at-once";
  }
  Settings settings() const {
    std::string toml =
        fmt::format("[clock]\nlaw = \"{}\"\ninteraction = {}\nslow = {}\n", law, interaction, slow);
    if (goes_on != GoesOn::handed_out) toml += fmt::format("restart = \"{}\"\n", restart());
    if (one_draw) toml += "draw = \"job\"\n";
    return Settings::from_text(toml, "clock.toml");
  }
  BufferedOptions options() const {
    return {.steps = steps, .wanted = buffer, .in_flight = in_flight};
  }
  std::string text() const {
    return fmt::format(
        "seed {}, {} clients, buffer {}, {} steps, interaction {}, restart {}, law {}, slow {}, "
        "one draw {}, {} in flight",
        seed, clients, buffer, steps, interaction, restart(), law, slow, one_draw, in_flight);
  }
};

std::vector<EventStep> by_events(const Case& c, std::size_t steps) {
  Settings clock = c.settings().section("clock");
  const std::shared_ptr<StepTime> time = row(step_times(), c.law).make(clock, c.seed, c.clients);
  EventRules rules{.clients = c.clients,
                   .buffer = static_cast<std::size_t>(c.buffer),
                   .interaction = c.interaction,
                   .goes_on = c.goes_on};
  rules.first = first_clients(c.options(), {c.seed, c.clients, everyone});
  rules.next = [&](std::uint32_t step) { return next_client(c.seed, step, c.clients); };
  rules.end_of_job = [&, time](std::uint32_t client, std::uint32_t number, double end) {
    Stream stream({c.seed, Purpose::step_time, client, number});
    if (c.one_draw) return end + static_cast<double>(c.steps) * time->draw(client, stream);
    for (long step = 0; step < c.steps; ++step) end += time->draw(client, stream);
    return end;
  };
  return testing::simulate_events(rules, steps);
}

// The clock also reports in time which models future contacts start from, and their number.
std::vector<TimedStep> by_program(const Case& c, std::size_t steps) {
  const auto sequence =
      simulated(buffered(c.settings(), c.options()), {c.seed, c.clients, everyone});
  const std::size_t jobs = c.in_flight > 0 ? static_cast<std::size_t>(c.in_flight)
                                           : c.clients * (c.goes_on == GoesOn::at_once ? 2U : 1U);
  std::vector<TimedStep> all(steps);
  for (std::uint32_t step = 0; step < steps; ++step) {
    const auto needed = sequence->needed();
    EXPECT_LE(needed.size(), jobs) << c.text();
    sequence->next(all[step]);
    for (const Contact& contact : all[step].contacts)
      EXPECT_TRUE(contact.base == step || needed.contains(contact.base)) << c.text();
  }
  return all;
}

// Expects the same contacts at the same times, from jobs that began at the same models, and none of
// them before its model existed.
void compare(const Case& c, std::size_t steps) {
  const auto expected = by_events(c, steps);
  const auto found = by_program(c, steps);
  for (std::size_t step = 0; step < steps; ++step) {
    ASSERT_EQ(found[step].time, expected[step].end) << c.text() << ", step " << step;
    ASSERT_EQ(found[step].contacts.size(), expected[step].contacts.size()) << c.text();
    for (std::size_t i = 0; i < expected[step].contacts.size(); ++i) {
      const EventContact& job = expected[step].contacts[i];
      const Contact& contact = found[step].contacts[i];
      ASSERT_EQ(contact.client, job.client) << c.text() << ", step " << step;
      ASSERT_EQ(contact.number, job.number) << c.text() << ", step " << step;
      ASSERT_EQ(contact.base, job.base) << c.text() << ", step " << step;
      ASSERT_LE(job.base, step) << c.text();
      if (job.base > 0) {
        ASSERT_LE(expected[job.base - 1].end, job.begin) << c.text() << ", step " << step;
      }
    }
  }
}

// Three clients with steps of 1, and a server that takes one update in 3. At 1 all report and
// continue from model 0; the server takes the update of client 0 at 1, that of client 1 at 4, that
// of client 2 at 7, and so on. At 2 all have a second update: client 0 reports it and continues,
// from model 0; clients 1 and 2 hold theirs until the server takes their first one, and continue
// then, from models 1 and 2.
TEST(Causality, ByHand) {
  const Settings clock = Settings::from_text(
      "[clock]\nlaw = \"fixed\"\nfast = 1\nslow_share = 0\ninteraction = 3", "clock.toml");
  const auto sequence = simulated(buffered(clock, {.steps = 1, .wanted = 1}), {1, 3, everyone});
  const std::uint32_t bases[] = {0, 0, 0, 0, 0, 0, 0, 1, 2};
  TimedStep server_step;
  for (std::uint32_t step = 0; step < 9; ++step) {
    sequence->next(server_step);
    EXPECT_EQ(server_step.time, 4 + 3.0 * step);
    ASSERT_EQ(server_step.contacts.size(), 1U);
    EXPECT_EQ(server_step.contacts[0].client, step % 3);
    EXPECT_EQ(server_step.contacts[0].base, bases[step]) << step;
  }
}

TEST(Causality, ASmallBufferAgreesWithTheSimulationOfEvents) {
  for (const long buffer : {1, 2, 5, 10})
    for (const GoesOn goes_on : {GoesOn::at_once, GoesOn::consumed, GoesOn::renewed})
      compare({.clients = 100, .buffer = buffer, .steps = 20, .goes_on = goes_on}, 800);
}

TEST(Causality, HandedOutModelsAgreeWithTheSimulationOfEvents) {
  for (const long in_flight : {1, 4, 20})
    for (const double interaction : {0.5, 3.0, 40.0})
      compare({.clients = 10,
               .interaction = interaction,
               .goes_on = GoesOn::handed_out,
               .in_flight = in_flight},
              400);
}

// Random clocks, buffers and numbers of clients. Without an interaction time only laws whose times
// are never equal: the order of clients that report at the same time is a separate question.
TEST(Causality, AnyClockAgreesWithTheSimulationOfEvents) {
  constexpr const char* laws[] = {"geometric", "exponential", "fixed"};
  constexpr double interactions[] = {0.25, 3, 7, 60, 0};
  for (std::uint32_t i = 0; i < 300; ++i) {
    Stream stream({17, Purpose::data, 0, i});
    Case c{.seed = i + 1, .clients = 1 + stream.below(30)};
    c.buffer = 1 + stream.below(std::min<std::uint32_t>(c.clients, 12));
    c.steps = 1 + stream.below(6);
    c.law = laws[stream.below(3)];
    c.interaction = interactions[stream.below(c.law == laws[1] ? 5 : 4)];
    c.goes_on = static_cast<GoesOn>(stream.below(3));
    c.one_draw = c.steps > 1 && c.law != laws[2] && stream.below(2) == 1;
    c.slow = 2.5 + stream.below(30);
    compare(c, 250);
    if (HasFatalFailure()) return;
  }
}

class Faulty final : public StepSequence {
 public:
  enum Fault { none, too_early, of_the_future, not_begun, not_reported };
  explicit Faulty(Fault fault) : fault_(fault) {}
  double expected() const override { return 1; }

 private:
  // A server step of 10, in which the client begins.
  void fill(TimedStep& server_step) override {
    server_step.time = 10.0 * (step() + 1);
    const bool is_faulty = step() == 2;
    Contact contact{.base = step()};
    double begin = 10.0 * step();
    if (is_faulty && fault_ == too_early) begin -= 0.001;
    if (is_faulty && fault_ == of_the_future) ++contact.base;
    if (!is_faulty || fault_ != not_begun) begins(contact.base);
    if (is_faulty && fault_ == not_reported)
      server_step.contacts.push_back(contact);
    else
      report(server_step, contact, begin);
  }
  Fault fault_;
};

TEST(Causality, IsCheckedWhereverContactsComeFrom) {
  for (const auto fault : {Faulty::none, Faulty::too_early, Faulty::of_the_future,
                           Faulty::not_begun, Faulty::not_reported}) {
    Faulty sequence(fault);
    TimedStep server_step;
    sequence.next(server_step);
    sequence.next(server_step);
    if (fault == Faulty::none)
      EXPECT_NO_THROW(sequence.next(server_step));
    else
      EXPECT_THROW(sequence.next(server_step), std::logic_error) << fault;
  }
}

// For every other policy a client begins where its last contact ended, or at the start.
TEST(Causality, HoldsForEveryPolicy) {
  const Choice<Schedule> some([] {
    Settings s = Settings::from_text("rate = 0.3", "participation.toml");
    return row(schedules(), "poisson").make(s, 1, 20);
  });
  for (const char* keys : {"", "law = \"exponential\"\ninteraction = 0.5", "law = \"fixed\"",
                           "law = \"exponential\"\ninteraction = 0", "under_way = \"kept\"",
                           "speed = \"analysis\"", "draw = \"job\""}) {
    const Settings clock = Settings::from_text(std::string("[clock]\n") + keys, "clock.toml");
    const std::vector<Asynchrony> paces{interrupting(clock, {}),
                                        interrupting(clock, {.gives_new = false}),
                                        semi_synchronous(clock, 4), compass(clock, {}),
                                        compass(clock, {.least_steps = 1, .most_steps = 3})};
    for (const Asynchrony& pace : paces) {
      const auto sequence = simulated(pace, {1, 20, some});
      std::vector<double> made{0}, begun(20, 0.0);
      const bool waits_for_server = &pace == &paces[2];
      TimedStep server_step;
      for (std::uint32_t step = 0; step < 400; ++step) {
        sequence->next(server_step);
        for (const Contact& contact : server_step.contacts) {
          const double begin = waits_for_server ? made.back() : begun[contact.client];
          ASSERT_LE(made.at(contact.base), begin) << keys << ", step " << step;
          begun[contact.client] = server_step.time;
        }
        made.push_back(server_step.time);
      }
    }
  }
}

}  // namespace
}  // namespace trilemma::causality_test
