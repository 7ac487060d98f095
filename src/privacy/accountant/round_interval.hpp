#pragma once

#include <optional>

#include "privacy/accountant/round_powers.hpp"

namespace trilemma::accounting {

class CoarseLoss;

/// Epsilon at a fixed delta, in one direction, after any number of rounds from `least` to `last`,
/// all from one transform. A stretch should be short: tilt and window are those of the last round.
class RoundInterval {
 public:
  /// `round` are the steps of one round.
  RoundInterval(std::vector<Repeated> round, double least, double last, double log_delta);

  /// An upper bound whose relative error is at most about 0.2 %; infinite where that is not to be
  /// had. `guess` is where to begin, above 0.
  double epsilon(double rounds, double guess) const;

 private:
  struct Root {
    double epsilon;
    RoundPowers::Reading reading;
  };
  PowerSpec shortest(const CoarseLoss& coarse_loss, double tilt, double last, double about,
                     PowerSpec spec) const;
  void refine(const std::vector<Repeated>& round, PowerSpec spec, double last, double guess);
  Root root(double rounds, double guess) const;
  double error(double rounds, const Root& root) const;

  double log_delta_;
  std::optional<RoundPowers> powers_;
};

}  // namespace trilemma::accounting
