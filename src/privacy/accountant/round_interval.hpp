#pragma once

#include <optional>

#include "privacy/accountant/round_powers.hpp"

namespace trilemma::accounting {

class CoarseLoss;

/// Epsilon at a fixed delta, in one direction, after any number of rounds from `least` to `last`,
/// all from one transform. The range should be short: tilt and window are those of the last round.
class RoundInterval {
 public:
  /// `round` holds the steps of one round.
  RoundInterval(std::vector<Repeated> round, double least, double last, double log_delta);

  /// Returns an upper bound with a relative error of at most about 0.2 %; infinite if that cannot
  /// be reached. `guess` > 0 is the start of the search.
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
