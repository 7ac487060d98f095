#pragma once
// Who takes part when.

#include <memory>

#include "numeric/random.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// By what law the participants of a round are drawn.
enum class Draw { everyone, independent, fixed_size };

/// A pure function of the round and of the seed, or of a secret: it remembers nothing between
/// rounds.
class Schedule {
 public:
  virtual ~Schedule() = default;
  /// Writes the clients that take part in a round, ascending; the same on every rank without a
  /// secret. Where privacy rests on who was drawn, the secret takes the place of the seed.
  virtual void participants(std::uint32_t round, std::vector<std::uint32_t>& clients,
                            const Secret* secret = nullptr) = 0;
  /// Expected (or exact) number of participants in a round: r of [NORM], p M of [NEC], q of [PMTL].
  virtual double expected() const = 0;
  virtual Draw draw() const = 0;
};

/// The row "full".
std::unique_ptr<Schedule> make_full_schedule(std::uint32_t clients);

using ScheduleMaker =
    std::function<std::unique_ptr<Schedule>(std::uint64_t seed, std::uint32_t clients)>;

/// full, poisson, fixed-size.
std::span<const Row<ScheduleMaker>> schedules();

}  // namespace trilemma
