// The stop watch of the phases (src/base/phase_timer.hpp): every lap is booked once.

#include "base/phase_timer.hpp"

#include <gtest/gtest.h>

namespace trilemma::phase_timer_test {

TEST(PhaseTimer, BooksEveryLapOnItsPhase) {
  PhaseTimer timer(true);
  const Ticks before = now_ticks();
  timer.start();
  timer.lap(Phase::local);
  timer.lap(Phase::server);
  timer.lap(Phase::local);
  const Ticks after = now_ticks();
  const auto spent = timer.take();
  Ticks sum = 0;
  for (std::size_t p = 0; p < phase_count; ++p) {
    sum += spent[p];
    const Phase phase{p};
    const bool used = phase == Phase::local || phase == Phase::server;
    EXPECT_TRUE(used || spent[p] == 0) << phase_names[p];
  }
  EXPECT_LE(sum, after - before);
  EXPECT_GT(sum, 0U);
  for (const Ticks ticks : timer.take()) EXPECT_EQ(ticks, 0U);  // taken once
}

TEST(PhaseTimer, SwitchedOffItBooksNothing) {
  PhaseTimer timer(false);
  timer.start();
  timer.lap(Phase::local);
  for (const Ticks ticks : timer.take()) EXPECT_EQ(ticks, 0U);
}

// docs/reference/run-file.md names the phases.
TEST(PhaseTimer, NamesOfThePhases) {
  EXPECT_EQ(phase_count, 13U);
  EXPECT_STREQ(phase_names[static_cast<std::size_t>(Phase::broadcast)], "broadcast");
  EXPECT_STREQ(phase_names[static_cast<std::size_t>(Phase::perturb)], "perturb");
  EXPECT_STREQ(phase_names[static_cast<std::size_t>(Phase::exchange)], "exchange");
  EXPECT_STREQ(phase_names[static_cast<std::size_t>(Phase::record)], "record");
  EXPECT_STREQ(phase_names[static_cast<std::size_t>(Phase::wait)], "wait");
  EXPECT_STREQ(phase_names[static_cast<std::size_t>(Phase::checkpoint)], "checkpoint");
}

}  // namespace trilemma::phase_timer_test
