#pragma once

#include <cmath>
#include <cstdint>

#include "settings/settings.hpp"

namespace trilemma {

/// Step size schedule: first * decay^floor(k / every) in round k = 0, 1, ... With every = 1 it
/// decays geometrically ([NORM] appendix G); with decay = 0.5 it is halved every `every` rounds.
struct Rate {
  double first = 1;
  double decay = 1;
  double every = 1;

  /// Returns the step size of `round`.
  double at(std::uint32_t round) const {
    return decay == 1 ? first : first * std::pow(decay, std::floor(round / every));
  }
};

/// Reads rate_decay and rate_decay_every for a rate that has been read already.
inline Rate read_decay(Settings& s, double first) {
  Rate rate{.first = first};
  rate.decay = s.number("rate_decay", 1.0, {.low = 0, .high = 1, .low_open = true},
                        "factor on the rate after each rate_decay_every rounds");
  rate.every = static_cast<double>(
      s.integer("rate_decay_every", 1, at_least(1), "rounds between two decays of the rate"));
  return rate;
}

}  // namespace trilemma
