#pragma once
// Step-time laws of the simulated clock.

#include <memory>
#include <string_view>

#include "numeric/random.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Unit of settings on the simulated clock.
inline constexpr std::string_view simulated_time = "units of simulated time";

/// The law of the time of a local step; times of different steps are independent.
class StepTime {
 public:
  virtual ~StepTime() = default;
  /// Draws the time of a client's next step.
  virtual double draw(std::uint32_t client, Stream& stream) const = 0;
  /// Returns the expectation of this time.
  virtual double mean(std::uint32_t client) const = 0;
  /// Returns the probability that `steps` >= 1 steps take no longer than `time` in total; NaN if
  /// there is no closed form.
  virtual double sum_at_most(std::uint32_t client, long steps, double time) const = 0;
  /// Returns whether the remaining time of a step under way has the law of a whole step.
  virtual bool is_memoryless() const { return false; }
  /// Returns 1 / mean, the probability that a step is the last one before a contact if the number
  /// of steps is drawn as in the wording of [FAV] section 5.
  double chance(std::uint32_t client) const { return 1 / mean(client); }
  /// Returns a small number that is the same for clients with equally distributed times.
  virtual std::uint32_t speed_class(std::uint32_t client) const = 0;
};

using StepTimeMaker =
    std::function<std::unique_ptr<StepTime>(std::uint64_t seed, std::uint32_t clients)>;

/// Returns the table of laws: geometric, exponential, fixed, trace.
std::span<const Row<StepTimeMaker>> step_times();

}  // namespace trilemma
