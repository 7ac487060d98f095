#pragma once
// Participants of each round.

#include <memory>

#include "numeric/random.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Law by which the participants of a round are drawn. dropping: everyone is asked, and some drop
/// out, which anybody may know.
enum class Draw { everyone, dropping, independent, fixed_size };

/// Returns whether a draw chooses the participants, so that it can be kept secret.
constexpr bool can_be_secret(Draw draw) {
  return draw == Draw::independent || draw == Draw::fixed_size;
}

/// Draws participants as a pure function of the round and of the seed or a secret; no state is
/// carried from round to round.
class Schedule {
 public:
  virtual ~Schedule() = default;
  /// Writes the participants of a round in ascending order. Without a secret they are the same on
  /// every rank. Where privacy relies on secret draws, `secret` replaces the seed.
  virtual void participants(std::uint32_t round, std::vector<std::uint32_t>& clients,
                            const Secret* secret = nullptr) = 0;
  /// Returns the expected (or exact) number of participants in a round: r of [NORM], p M of [NEC],
  /// q of [PMTL].
  virtual double expected() const = 0;
  virtual Draw draw() const = 0;
};

/// Returns the schedule in which every client takes part in every round.
std::unique_ptr<Schedule> make_full_schedule(std::uint32_t clients);

using ScheduleMaker =
    std::function<std::unique_ptr<Schedule>(std::uint64_t seed, std::uint32_t clients)>;

/// Returns the table of schedules: full, drop-outs, poisson, fixed-size.
std::span<const Row<ScheduleMaker>> schedules();

}  // namespace trilemma
