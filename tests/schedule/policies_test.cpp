// What policies decide (src/schedule/async_policy.hpp), by hand, with the events of real time: an
// update comes when the server has asked for it.

#include <gtest/gtest.h>

#include "schedule/simulated_clock.hpp"

namespace trilemma::policies_test {
namespace {

using Clients = std::vector<std::uint32_t>;

Choice<Schedule> everyone(std::uint32_t clients) {
  return Choice<Schedule>([=] { return make_full_schedule(clients); });
}

Settings real_time(const std::string& keys = "") {
  return Settings::from_text("[clock]\ntime = \"real\"\n" + keys, "clock.toml");
}

// A policy in real time, and the actions of the last event.
class Server {
 public:
  Server(const Asynchrony& asynchrony, std::uint32_t clients)
      : policy(asynchrony.policy({.clients = clients, .schedule = everyone(clients)})) {
    EXPECT_FALSE(asynchrony.clock);
  }
  void start(double now) {
    event([&](Actions& actions) { policy->start(now, actions); });
  }
  void open(double now) {
    event([&](Actions& actions) { policy->open(now, actions); });
  }
  void pass(double now) {
    event([&](Actions& actions) { policy->pass(now, actions); });
  }
  void ready(std::uint32_t client, double now = 0) {
    event([&](Actions& actions) { policy->ready(client, now, actions); });
  }
  void report(std::uint32_t client, std::uint32_t steps, double now = 0) {
    event([&](Actions& actions) {
      policy->report(client, steps, actions);
      policy->sent(client, now, actions);
    });
  }
  void close(double now = 0) {
    event([&](Actions& actions) { policy->close(now, actions); });
  }
  Clients asked() const {
    Clients clients;
    for (const Request& request : said.ask) clients.push_back(request.client);
    return clients;
  }
  std::size_t bases() const { return policy->at_work().size(); }

  std::unique_ptr<AsyncPolicy> policy;
  Actions said;

 private:
  template <class Event>
  void event(Event happens) {
    said.clear();
    happens(said);
  }
};

TEST(Interrupting, AsksAllDrawnClientsAfterThePauseAndGivesTheNewModel) {
  Server server(interrupting(real_time("waiting_seconds = 2"), {.most_steps = 5}), 2);
  server.start(0);
  EXPECT_EQ(server.said.begin.size(), 2U);
  server.open(10);
  EXPECT_EQ(server.policy->deadline(), 12);
  server.pass(11.9);
  EXPECT_TRUE(server.said.empty());
  server.pass(12);
  EXPECT_EQ(server.asked(), (Clients{0, 1}));
  server.report(1, 3);
  EXPECT_FALSE(server.policy->is_complete());
  server.report(0, 5);
  EXPECT_TRUE(server.policy->is_complete());
  EXPECT_TRUE(server.said.begin.empty());
  server.close();
  ASSERT_EQ(server.said.begin.size(), 2U);
  for (const LocalJob& job : server.said.begin) {
    EXPECT_EQ(job.base, 1U);
    EXPECT_EQ(job.number, 1U);
    EXPECT_EQ(job.steps, 5U);
  }
  EXPECT_FALSE(server.policy->at_work().contains(0));
}

// alpha of the first contact is what is done there; then the mean of the steps, 3 and 0, or the
// share of contacts with a step, 1/2, times the steps.
TEST(Interrupting, EstimatesAlphaFromTheContactsSoFar) {
  using Factor = InterruptingOptions::Factor;
  for (const Factor factor : {Factor::deterministic, Factor::stochastic}) {
    Server server(interrupting(real_time(), {.factor = factor}), 1);
    std::vector<double> factors;
    for (const std::uint32_t steps : {3U, 0U, 4U}) {
      server.open(0);
      server.pass(0);
      ASSERT_EQ(server.said.ask.size(), 1U);
      factors.push_back(server.said.ask[0].alpha.factor(steps));
      server.report(0, steps);
      server.close();
    }
    EXPECT_EQ(factors[0], 1.0 / 3);
    EXPECT_EQ(factors[1], 1.0);
    EXPECT_EQ(factors[2], factor == Factor::deterministic ? 1 / 1.5 : 1 / (0.5 * 4));
  }
}

TEST(SemiSynchronous, WaitsForAllThatItHasDrawn) {
  Server server(semi_synchronous(real_time(), 3), 2);
  server.open(0);
  EXPECT_EQ(server.said.begin.size(), 2U);
  EXPECT_TRUE(server.said.ask.empty());
  server.ready(1);
  EXPECT_EQ(server.asked(), (Clients{1}));
  server.report(1, 3);
  EXPECT_FALSE(server.policy->is_complete());
  server.ready(0);
  server.report(0, 3);
  EXPECT_TRUE(server.policy->is_complete());
  EXPECT_EQ(server.bases(), 0U);
}

// Z = 2 of 3: a client that comes again, or third, waits for the next server step; one that has
// come continues from the newest model at once.
TEST(Buffered, TakesDifferentClientsAsTheyCome) {
  Server server(buffered(real_time(), {.steps = 4, .wanted = 2, .staleness_power = 1}), 3);
  server.open(0);
  server.ready(2);
  EXPECT_EQ(server.asked(), (Clients{2}));
  server.report(2, 4);
  ASSERT_EQ(server.said.begin.size(), 1U);
  EXPECT_EQ(server.said.begin[0].base, 0U);
  server.ready(2);
  EXPECT_TRUE(server.said.empty());
  server.ready(0);
  EXPECT_EQ(server.asked(), (Clients{0}));
  server.ready(1);
  server.report(0, 4);
  EXPECT_TRUE(server.policy->is_complete());
  server.close();
  server.open(0);
  EXPECT_EQ(server.asked(), (Clients{2, 1}));
  // Both have worked at model 0, one server step ago.
  for (const Request& request : server.said.ask) EXPECT_EQ(request.weight, 0.5);
}

// Z = 2 of 3: clients whose updates are used continue once the server step is over, from the model
// before it or after it.
TEST(Buffered, LetsClientsContinueAfterTheStep) {
  using Restart = BufferedOptions::Restart;
  for (const Restart restart : {Restart::consumed, Restart::renewed}) {
    Server server(buffered(real_time(), {.steps = 4, .wanted = 2, .restart = restart}), 3);
    for (std::uint32_t step = 0; step < 5; ++step) {
      server.open(0);
      for (const std::uint32_t client : {2U, 0U}) {
        server.ready(client);
        server.report(client, 4);
      }
      EXPECT_TRUE(server.policy->is_complete());
      EXPECT_TRUE(server.said.begin.empty());
      server.close();
      ASSERT_EQ(server.said.begin.size(), 2U);
      for (const LocalJob& job : server.said.begin)
        EXPECT_EQ(job.base, restart == Restart::renewed ? step + 1 : step);
    }
  }
}

TEST(Buffered, HandsAModelOutForEachThatComes) {
  Server server(buffered(real_time(), {.steps = 1, .in_flight = 2}), 5);
  EXPECT_EQ(server.policy->handed_out(), 2U);
  for (std::uint32_t step = 0; step < 20; ++step) {
    server.open(0);
    std::uint32_t client = 0;
    while (server.policy->jobs()[client].empty()) ++client;
    server.ready(client);
    server.report(client, 1);
    EXPECT_TRUE(server.said.begin.empty());
    server.close();
    ASSERT_EQ(server.said.begin.size(), 1U);
    EXPECT_EQ(server.said.begin[0].base, step + 1);
    EXPECT_EQ(server.policy->handed_out(), 2U);
  }
}

// Client 0 takes 1 a step, client 1 takes 4; at first 2 each. Client 0 comes at 2 and gets 20,
// until 22; client 1 comes at 8 and gets the three steps that end before 22. They form one server
// step.
TEST(Compass, GroupsClientsInRealTime) {
  Server server(compass(real_time(), {.least_steps = 2, .most_steps = 20}), 2);
  server.start(0);
  EXPECT_EQ(server.said.begin[0].steps, 2U);
  const auto alone = [&](std::uint32_t client, double now) {
    server.open(now);
    server.ready(client, now);
    EXPECT_TRUE(server.said.empty());
    server.pass(now);
    EXPECT_EQ(server.asked(), (Clients{client}));
    server.report(client, 2);
    EXPECT_TRUE(server.policy->is_complete());
    server.close(now);
    EXPECT_EQ(server.said.begin.size(), 1U);
    return server.said.begin[0].steps;
  };
  EXPECT_EQ(alone(0, 2), 20U);
  EXPECT_EQ(alone(1, 8), 3U);
  server.open(8);
  server.ready(1, 20);
  server.pass(20);
  EXPECT_TRUE(server.said.empty());
  EXPECT_EQ(server.policy->deadline(), 2 + 1.2 * 20);
  server.ready(0, 22.5);
  server.pass(22.5);
  EXPECT_EQ(server.asked(), (Clients{0, 1}));
  // A client that comes while these updates are on their way takes part in the next server step.
  EXPECT_FALSE(server.policy->is_complete());
  server.pass(23);
  EXPECT_TRUE(server.said.empty());
}

// The second client of the group does not come in time: the first one is a server step alone.
TEST(Compass, StopsWaitingAtTheDeadline) {
  Server server(compass(real_time(), {.least_steps = 1, .most_steps = 4, .patience = 1.5}), 2);
  server.start(0);
  server.open(0);
  server.ready(0, 1);
  server.ready(1, 1);
  server.pass(1);
  for (const std::uint32_t client : {0U, 1U}) server.report(client, 1);
  server.close(1);
  ASSERT_EQ(server.said.begin.size(), 2U);
  EXPECT_EQ(server.said.begin[1].steps, 4U);
  server.open(1);
  server.ready(0, 5);
  server.pass(6.9);
  EXPECT_TRUE(server.said.empty());
  server.pass(server.policy->deadline());
  EXPECT_EQ(server.asked(), (Clients{0}));
}

TEST(Policies, FindTheirJobsAfterARestart) {
  const Asynchrony asynchrony =
      interrupting(real_time(), {.factor = InterruptingOptions::Factor::deterministic});
  Server before(asynchrony, 3), after(asynchrony, 3);
  before.open(0);
  before.pass(0);
  for (std::uint32_t client = 0; client < 3; ++client) before.report(client, client + 1);
  before.close();
  Bytes bytes;
  State saving = State::saving(bytes);
  before.policy->persist(saving);
  State restoring = State::restoring(bytes);
  after.policy->persist(restoring);
  restoring.finish();
  EXPECT_EQ(after.policy->step(), 1U);
  EXPECT_EQ(after.policy->at_work(), before.policy->at_work());
  for (Server* server : {&before, &after}) {
    server->open(0);
    server->pass(0);
  }
  for (std::uint32_t client = 0; client < 3; ++client) {
    EXPECT_EQ(after.policy->jobs()[client].front().number, 1U);
    EXPECT_EQ(before.said.ask[client].alpha.factor(7), after.said.ask[client].alpha.factor(7));
  }
}

// Clients of pace 1 and 2 that are to come together 12 after the start of their jobs; after a
// restart at 100 they are expected 12 after that.
TEST(Policies, CompassKeepsItsGroupsAfterARestart) {
  const Asynchrony asynchrony = compass(real_time(), {.least_steps = 1, .most_steps = 12});
  Server before(asynchrony, 2), after(asynchrony, 2);
  before.start(0);
  for (const std::uint32_t client : {0U, 1U}) {
    before.open(client + 1);
    before.ready(client, client + 1);
    before.pass(client + 1);
    before.report(client, 1);
    before.close(client + 1);
  }
  EXPECT_EQ(before.said.begin[0].steps, 5U);  // of 2 each, between 2 and 13
  Bytes bytes;
  State saving = State::saving(bytes);
  before.policy->persist(saving);
  State restoring = State::restoring(bytes);
  after.policy->persist(restoring);
  restoring.finish();
  after.start(100);
  EXPECT_EQ(after.said.begin.size(), 2U);
  after.open(100);
  after.ready(0, 111);
  after.pass(111);
  EXPECT_TRUE(after.said.empty());
  EXPECT_EQ(after.policy->deadline(), 100 + 1.2 * 12);
  after.ready(1, 112);
  after.pass(112);
  EXPECT_EQ(after.asked(), (Clients{0, 1}));
}

// A policy that no method has: it takes the first half of the drawn clients, and asks a client that
// is not done for what it has.
class FirstAndLast final : public AsyncPolicy {
 public:
  FirstAndLast() : AsyncPolicy(2) {}
  double expected() const override { return 2; }

 private:
  void on_open() override {
    expect(2);
    for (const std::uint32_t client : {0U, 1U}) begin(client, step(), 10);
  }
  void on_ready(std::uint32_t) override {
    for (const std::uint32_t client : {0U, 1U}) ask({.client = client});
  }
};

// One client is slow, 3 a step; the fast one is done at 10, when the slow one has done 3 of its
// steps and 1 of the fourth, which is lost.
TEST(SimulatedClock, CountsTheStepsOfAClientThatIsNotDone) {
  const Asynchrony asynchrony =
      on_clock(Settings::from_text("[clock]\nlaw = \"fixed\"\nfast = 1\nslow = 3\nslow_share = 0.5",
                                   "clock.toml"),
               10, [](const PolicySetup&) { return std::make_unique<FirstAndLast>(); });
  const auto sequence = simulated(asynchrony, {1, 2, everyone(2)});
  TimedStep server_step;
  for (std::uint32_t step = 0; step < 5; ++step) {
    sequence->next(server_step);
    EXPECT_EQ(server_step.time, 13.0 * (step + 1));
    ASSERT_EQ(server_step.contacts.size(), 2U);
    EXPECT_EQ(server_step.contacts[0].steps + server_step.contacts[1].steps, 13U);
    for (const Contact& contact : server_step.contacts) EXPECT_EQ(contact.base, step);
  }
}

}  // namespace
}  // namespace trilemma::policies_test
