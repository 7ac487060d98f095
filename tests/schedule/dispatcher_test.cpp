// What the server says in real time (src/schedule/dispatcher.hpp), by hand.

#include "schedule/dispatcher.hpp"

#include <gtest/gtest.h>

namespace trilemma::dispatcher_test {
namespace {

Choice<Schedule> everyone(std::uint32_t clients) {
  return Choice<Schedule>([=] {
    Settings s = Settings::from_text("", "participation.toml");
    return row(schedules(), "full").make(s, 1, clients);
  });
}

const Settings real_time = Settings::from_text("[clock]\ntime = \"real\"", "clock.toml");

std::unique_ptr<Dispatcher> make(const Pace& pace, std::uint32_t clients) {
  EXPECT_FALSE(pace.simulated);
  const Choice<Schedule> schedule = everyone(clients);
  return pace.real({1, clients, schedule});
}

std::vector<std::uint32_t> clients_of(const std::vector<Request>& asked) {
  std::vector<std::uint32_t> clients;
  for (const Request& request : asked) clients.push_back(request.client);
  return clients;
}
using Clients = std::vector<std::uint32_t>;

TEST(Dispatcher, InterruptsEverybodyAfterTheWaitAndGivesTheNewModel) {
  const auto dispatcher = make(
      interrupts(Settings::from_text("[clock]\ntime = \"real\"\nwaiting_seconds = 2", "clock.toml"),
                 {.most_steps = 5}),
      2);
  EXPECT_EQ(dispatcher->at_work().at(0), 2U);
  Dispatch say;
  dispatcher->open(10, say);
  dispatcher->look(11.9, say);
  EXPECT_TRUE(say.ask.empty());
  dispatcher->look(12, say);
  EXPECT_EQ(clients_of(say.ask), (Clients{0, 1}));
  say.clear();
  dispatcher->report(1, 3, say);
  EXPECT_FALSE(dispatcher->is_complete());
  dispatcher->report(0, 5, say);
  EXPECT_TRUE(dispatcher->is_complete());
  EXPECT_TRUE(say.begin.empty());
  dispatcher->close(say);
  ASSERT_EQ(say.begin.size(), 2U);
  EXPECT_EQ(say.begin[0].start, 1U);
  EXPECT_EQ(say.begin[0].number, 1U);
  EXPECT_FALSE(dispatcher->at_work().contains(0));
}

// alpha of the first contact is what is done there; then the mean of the steps, 3 and 0, or the
// share of contacts with a step, 1/2, times the steps.
TEST(Dispatcher, EstimatesAlphaFromTheContactsSoFar) {
  using Factor = InterruptOptions::Factor;
  for (const Factor factor : {Factor::deterministic, Factor::stochastic}) {
    const auto dispatcher = make(interrupts(real_time, {.factor = factor}), 1);
    std::vector<double> factors;
    for (const std::uint32_t steps : {3U, 0U, 4U}) {
      Dispatch say;
      dispatcher->open(0, say);
      ASSERT_EQ(say.ask.size(), 1U);
      factors.push_back(say.ask[0].factor(steps));
      dispatcher->report(0, steps, say);
      dispatcher->close(say);
    }
    EXPECT_EQ(factors[0], 1.0 / 3);
    EXPECT_EQ(factors[1], 1.0);
    EXPECT_EQ(factors[2], factor == Factor::deterministic ? 1 / 1.5 : 1 / (0.5 * 4));
  }
}

TEST(Dispatcher, WaitsForAllThatItHasChosen) {
  const auto dispatcher = make(waits(real_time, 3), 2);
  Dispatch say;
  dispatcher->open(0, say);
  EXPECT_EQ(say.begin.size(), 2U);
  EXPECT_TRUE(say.ask.empty());
  say.clear();
  dispatcher->done(1, say);
  EXPECT_EQ(clients_of(say.ask), (Clients{1}));
  dispatcher->report(1, 3, say);
  EXPECT_FALSE(dispatcher->is_complete());
  dispatcher->done(0, say);
  dispatcher->report(0, 3, say);
  EXPECT_TRUE(dispatcher->is_complete());
  EXPECT_TRUE(dispatcher->at_work().empty());
}

// Z = 2 of 3: who comes again, or third, waits for the next server step; who has come goes on from
// the newest model at once.
TEST(Dispatcher, TakesDifferentClientsAsTheyCome) {
  const auto dispatcher =
      make(arrivals(real_time, {.steps = 4, .wanted = 2, .staleness_power = 1}), 3);
  Dispatch say;
  dispatcher->open(0, say);
  dispatcher->done(2, say);
  EXPECT_EQ(clients_of(say.ask), (Clients{2}));
  dispatcher->report(2, 4, say);
  ASSERT_EQ(say.begin.size(), 1U);
  EXPECT_EQ(say.begin[0].start, 0U);
  say.clear();
  dispatcher->done(2, say);
  EXPECT_TRUE(say.ask.empty());
  dispatcher->done(0, say);
  EXPECT_EQ(clients_of(say.ask), (Clients{0}));
  dispatcher->done(1, say);
  dispatcher->report(0, 4, say);
  EXPECT_TRUE(dispatcher->is_complete());
  dispatcher->close(say);
  say.clear();
  dispatcher->open(0, say);
  EXPECT_EQ(clients_of(say.ask), (Clients{2, 1}));
  // Both have worked at model 0, one server step ago.
  EXPECT_EQ(say.ask[0].weight, 0.5);
  EXPECT_EQ(say.ask[1].weight, 0.5);
}

// Z = 2 of 3: clients whose updates are used continue once the server step is over, from the model
// before it or after it.
TEST(Dispatcher, LetsClientsGoOnAfterTheStep) {
  using Restart = ArrivalOptions::Restart;
  for (const Restart restart : {Restart::consumed, Restart::renewed}) {
    const auto dispatcher =
        make(arrivals(real_time, {.steps = 4, .wanted = 2, .restart = restart}), 3);
    for (std::uint32_t step = 0; step < 5; ++step) {
      Dispatch say;
      dispatcher->open(0, say);
      for (const std::uint32_t client : {2U, 0U}) {
        dispatcher->done(client, say);
        dispatcher->report(client, 4, say);
      }
      EXPECT_TRUE(dispatcher->is_complete());
      EXPECT_TRUE(say.begin.empty());
      dispatcher->close(say);
      ASSERT_EQ(say.begin.size(), 2U);
      for (const Job& job : say.begin)
        EXPECT_EQ(job.start, restart == Restart::renewed ? step + 1 : step);
    }
  }
}

TEST(Dispatcher, HandsAModelOutForEachThatComes) {
  const auto dispatcher = make(arrivals(real_time, {.steps = 1, .in_flight = 2}), 5);
  std::uint32_t busy = 0;
  for (const auto& of_client : dispatcher->jobs()) busy += of_client.empty() ? 0 : 1;
  EXPECT_EQ(busy, 2U);
  for (std::uint32_t step = 0; step < 20; ++step) {
    Dispatch say;
    dispatcher->open(0, say);
    std::uint32_t client = 0;
    while (dispatcher->jobs()[client].empty()) ++client;
    dispatcher->done(client, say);
    dispatcher->report(client, 1, say);
    EXPECT_TRUE(say.begin.empty());
    dispatcher->close(say);
    ASSERT_EQ(say.begin.size(), 1U);
    EXPECT_EQ(say.begin[0].start, step + 1);
    std::uint32_t at_work = 0;
    for (const auto& [model, clients] : dispatcher->at_work()) at_work += clients;
    EXPECT_EQ(at_work, 2U);
  }
}

TEST(Dispatcher, FindsItsJobsAgainAfterARestart) {
  const Pace pace = interrupts(real_time, {.factor = InterruptOptions::Factor::deterministic});
  const auto before = make(pace, 3);
  Dispatch say;
  before->open(0, say);
  for (std::uint32_t client = 0; client < 3; ++client) before->report(client, client + 1, say);
  before->close(say);
  Bytes bytes;
  State saving = State::saving(bytes);
  before->persist(saving);
  const auto after = make(pace, 3);
  State restoring = State::restoring(bytes);
  after->persist(restoring);
  restoring.finish();
  EXPECT_EQ(after->step(), 1U);
  EXPECT_EQ(after->at_work(), before->at_work());
  Dispatch first;
  Dispatch second;
  before->open(0, first);
  after->open(0, second);
  for (std::uint32_t client = 0; client < 3; ++client) {
    EXPECT_EQ(after->jobs()[client].front().number, 1U);
    EXPECT_EQ(first.ask[client].factor(7), second.ask[client].factor(7));
  }
}

}  // namespace
}  // namespace trilemma::dispatcher_test
