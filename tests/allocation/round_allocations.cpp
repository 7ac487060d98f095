// A round allocates nothing after the first ones, where messages are equally long: whole
// federations of every method in one process, with an operator new that counts; what libraries take
// from malloc is not seen. A program of its own, so that no other test runs under it.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "driver/driver.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/federation.hpp"

namespace {

std::atomic<bool> counts{false};
std::atomic<std::size_t> allocations{0};

void* allocate(std::size_t size, std::size_t alignment) {
  if (counts) ++allocations;
  void* memory = alignment > alignof(std::max_align_t)
                     ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                     : std::malloc(std::max<std::size_t>(size, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// All operators below are replaced together, which GCC does not see when it inlines one of them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t size) { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace trilemma::round_allocations {

using Words = std::vector<std::string>;

// Allocations of ten rounds, after others that may allocate.
std::size_t allocations_of(const Words& overrides, std::uint32_t first_rounds = 10) {
  Plan plan = read_plan(Settings::from_text(testing::tiny_experiment, "tiny.toml", overrides));
  const Placement place{.clients = static_cast<int>(plan.clients)};
  Assembly parts = assemble(plan, place, "");
  Ranks ranks(place);
  const auto driver = make_driver({plan, parts, ranks, place});
  PhaseTimer timer{true};
  constexpr std::uint32_t rounds = 10;
  driver->run_until(first_rounds, timer);
  allocations = 0;
  counts = true;
  driver->run_until(first_rounds + rounds, timer);
  counts = false;
  return allocations;
}

class RoundAllocations : public ::testing::TestWithParam<std::string> {};

TEST_P(RoundAllocations, ThereAreNone) {
  EXPECT_EQ(allocations_of({"method=" + GetParam()}), 0U);
  EXPECT_EQ(allocations_of({"method=" + GetParam(), "debug.staged=true"}), 0U);
}

// The counter counts.
TEST(Counter, SeesAllocations) {
  allocations = 0;
  counts = true;
  const auto number = std::make_unique<int>(1);
  counts = false;
  EXPECT_EQ(allocations, 1U) << *number;
}

TEST(DrawnRoundAllocations, ThereAreNoneWhereParticipantsAreDrawn) {
  for (const char* kind : {"fixed-size", "poisson"}) {
    const Words words{"method=dp-fedavg-clip", fmt::format("participation.kind={}", kind)};
    // A client's order of records is allocated when it first participates.
    EXPECT_EQ(allocations_of(words, 50), 0U) << kind;
  }
}

// On the simulated clock a server step keeps the model that clients start from.
std::vector<std::string> methods_of_rounds() {
  std::vector<std::string> found;
  for (const auto& row : methods()) {
    Settings none = Settings::empty();
    if (std::string(row.make(none).driver) == "synchronous") found.emplace_back(row.name);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Methods, RoundAllocations, ::testing::ValuesIn(methods_of_rounds()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace trilemma::round_allocations
