// Participation (src/schedule/schedule.hpp).

#include "schedule/schedule.hpp"

#include <gtest/gtest.h>

namespace trilemma {
namespace {

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

}  // namespace
}  // namespace trilemma
