#pragma once
// Who takes part when.

#include <memory>

#include "core/random.hpp"
#include "core/table.hpp"

namespace trilemma {

class Schedule {
 public:
  virtual ~Schedule() = default;
  /// Writes the clients that take part in a round, ascending; the same on every rank.
  virtual void participants(std::uint32_t round, std::vector<std::uint32_t>& clients) const = 0;
};

using ScheduleMaker = std::unique_ptr<Schedule> (*)(Settings&, std::uint64_t seed,
                                                    std::uint32_t clients);

/// full.
std::span<const Row<ScheduleMaker>> schedules();

}  // namespace trilemma
