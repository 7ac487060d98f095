#pragma once
// How long a local step takes on the simulated clock.

#include <memory>

#include "numeric/random.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// A law of the time of one local step, independent from step to step.
class StepTime {
 public:
  virtual ~StepTime() = default;
  /// The time of the next step of a client.
  virtual double draw(std::uint32_t client, Stream& stream) const = 0;
  /// Its expectation.
  virtual double mean(std::uint32_t client) const = 0;
  /// Probability that `steps` steps, one at least, take no longer than `time`; NaN where there is
  /// no closed form.
  virtual double sum_at_most(std::uint32_t client, long steps, double time) const = 0;
  /// What is left of a step under way has the law of a whole one.
  virtual bool is_memoryless() const { return false; }
  /// Probability that a step is the last one if each of them is with 1 / mean: [FAV]'s literal
  /// sentence draws the number of steps by this law.
  double chance(std::uint32_t client) const { return 1 / mean(client); }
  /// Clients with this law and number have the same times; numbers are small.
  virtual std::uint32_t speed_class(std::uint32_t client) const = 0;
};

using StepTimeMaker =
    std::function<std::unique_ptr<StepTime>(std::uint64_t seed, std::uint32_t clients)>;

/// geometric, exponential, fixed, trace.
std::span<const Row<StepTimeMaker>> step_times();

}  // namespace trilemma
