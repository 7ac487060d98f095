// Contacts that are impossible for a server (src/run/contact_checks.cpp), one kind after the other.

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/read_plan.hpp"
#include "run/contacts.hpp"
#include "tests/support/federation.hpp"

namespace trilemma::contact_checks_test {

constexpr std::uint64_t steps = 3;

// Three clients, K = 5.
Plan plan() {
  return read_plan(Settings::from_text(
      testing::tiny_experiment, "tiny.toml",
      {"method=fedbuff", "clock.time=real", "server.buffer=2", "clients=3", "local.steps=5"}));
}

// Clients 0 and 1 in server step 1, 0 and 2 in step 2, 1 in step 3.
ContactLog good() {
  ContactLog log;
  log.round = {1, 1, 2, 2, 3};
  log.client = {0, 1, 0, 2, 1};
  log.number = {0, 0, 1, 0, 1};
  log.start = {0, 0, 1, 0, 1};
  log.steps = {5, 5, 5, 0, 5};
  log.factor = {1, 1, 1, 2.5, 1};
  log.weight = {1, 1, 1, 0.5, 0.5};
  log.time = {0.5, 0.5, 0.75, 0.75, 0.75};
  return log;
}

TEST(ContactChecks, TakeWhatAServerCanHaveHad) {
  EXPECT_TRUE(contact_problems(good(), plan(), steps).empty());
  EXPECT_TRUE(contact_problems({}, plan(), steps).empty());
}

struct Change {
  const char* list;
  std::size_t contact;
  void (*change)(ContactLog& log);
};

TEST(ContactChecks, FindEveryKind) {
  const Plan of = plan();
  const double nan = std::nan("");
  const Change changes[] = {
      {"round", 0, [](ContactLog& log) { log.round[0] = 0; }},
      {"round", 4, [](ContactLog& log) { log.round[4] = 4; }},
      {"round", 4, [](ContactLog& log) { log.round[4] = 1, log.start[4] = 0; }},
      {"client", 3, [](ContactLog& log) { log.client[3] = 3; }},
      {"client", 1, [](ContactLog& log) { std::swap(log.client[0], log.client[1]); }},
      {"client", 1, [](ContactLog& log) { log.client[1] = 0; }},
      {"number", 2, [](ContactLog& log) { log.number[2] = 0; }},
      {"number", 0, [](ContactLog& log) { log.number[0] = 4294967295; }},
      {"start", 2, [](ContactLog& log) { log.start[2] = 2; }},
      {"start", 4, [](ContactLog& log) { log.start[4] = 3; }},
      {"local_steps", 1, [](ContactLog& log) { log.steps[1] = 6; }},
      {"factor", 3, [](ContactLog& log) { log.factor[3] = 0; }},
      {"factor", 3, [](ContactLog& log) { log.factor[3] = -1; }},
      {"factor", 3, [](ContactLog& log) { log.factor[3] = HUGE_VAL; }},
      {"weight", 3, [](ContactLog& log) { log.weight[3] = 1.5; }},
      {"weight", 3, [](ContactLog& log) { log.weight[3] = 0; }},
      {"time", 0, [](ContactLog& log) { log.time[0] = -1; }},
      {"time", 1, [](ContactLog& log) { log.time[1] = 0.6; }},
      {"time", 2, [](ContactLog& log) { log.time[2] = log.time[3] = 0.25; }},
      {"time", 4, [](ContactLog& log) { log.time[4] = HUGE_VAL; }},
  };
  for (const auto& [list, contact, change] : changes) {
    ContactLog log = good();
    change(log);
    const auto found = contact_problems(log, of, steps);
    ASSERT_FALSE(found.empty()) << list;
    EXPECT_EQ(found[0].field, std::string("/contacts/") + list);
    EXPECT_EQ(found[0].row, contact) << list;
  }
  for (const auto list : {&ContactLog::factor, &ContactLog::weight, &ContactLog::time}) {
    ContactLog log = good();
    (log.*list)[1] = nan;
    EXPECT_EQ(contact_problems(log, of, steps).size(), 1U);
  }
}

}  // namespace trilemma::contact_checks_test
