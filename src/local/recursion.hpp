#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace trilemma {

/// Rounds of estimates that build on each other (SPIDER, stochastic recursive momentum). In an
/// anchor round clients send a minibatch mean of gradients at x; in a later round, from one
/// minibatch at both points,
///   w = (1/b) sum_J (g_j(x) - (1 - a) g_j(x')), x' the model of the round before,
/// and the server continues with v = mean w + (1 - a) v. a = 0 is SPIDER, a = 1 is plain SGD.
struct Recursion {
  double fresh = 1;       ///< a, weight of new gradients
  long period = 0;        ///< q0, rounds from one anchor to the next; 0 = only the first round
  long anchor_batch = 0;  ///< records of an anchor's minibatch; 0 = as in later rounds
  /// Public estimate of the Lipschitz constant of every record's gradient: later rounds clip the
  /// difference of a record's gradients to min(2 G, lipschitz |x - x'|).
  std::optional<double> lipschitz = {};
  /// Choose the noise of later rounds by a search instead of the same noise multiplier in all.
  bool searches_split = false;
  double rate = 1;  ///< step size of the server, for the search

  /// Returns whether any round needs the model of the round before.
  bool remembers() const { return fresh != 1; }
  /// Returns whether rounds differ in what they release.
  bool rounds_differ(long batch) const {
    return remembers() || (anchor_batch > 0 && anchor_batch != batch);
  }
  bool is_anchor(std::uint32_t round) const {
    return round == 0 || (period > 0 && round % static_cast<std::uint32_t>(period) == 0);
  }
  /// Returns the number of anchors among the first `rounds` rounds.
  double anchors(double rounds) const;
  /// Returns C = min(2 G, lipschitz `moved`) for the norm bound `g` of a gradient.
  double difference_bound(double g, double moved) const {
    return lipschitz ? std::min(2 * g, *lipschitz * moved) : 2 * g;
  }
  /// Returns the largest norm of one record's part of a later round, a G + (1 - a) C, if the model
  /// has moved by `moved`.
  double reach(double g, double moved) const {
    return fresh * g + (1 - fresh) * difference_bound(g, moved);
  }
  /// Returns the largest of these norms, divided by G: 2 - a.
  double most_reach() const { return 2 - fresh; }
};

inline double Recursion::anchors(double rounds) const {
  if (rounds < 1) return 0;
  if (period <= 0) return 1;
  const auto whole = static_cast<std::uint64_t>(rounds);
  const auto every = static_cast<std::uint64_t>(period);
  return static_cast<double>((whole + every - 1) / every);
}

}  // namespace trilemma
