#pragma once
// Privacy profiles delta(epsilon) of explicit pairs of neighbours, as lower bounds: what an
// adversary can reach who knows which of two laws has produced what it sees. Written from the
// theory alone, for a check of printed claims; nothing here is shared with the accountants.

#include <functional>
#include <vector>

namespace trilemma::claims {

/// A value that the signal of a round can have, in standard deviations of the noise, and its
/// probabilities under the two neighbours.
struct Atom {
  double mean, first, second;
};

/// What one round shows: a normal of variance 1 around a hidden atom. The adversary tells `first`
/// from `second`; large values speak for `first`.
using DominatingPair = std::vector<Atom>;

/// One release without a hidden draw, shifted by `step` standard deviations.
DominatingPair plain_pair(double step);
/// A contribution of `step` with probability `rate`, against none.
DominatingPair sampled_pair(double rate, double step);
/// A contribution of `step` against one of -`step`, both with probability `rate`.
DominatingPair opposite_pair(double rate, double step);

/// delta(epsilon) of two normals `mu` standard deviations apart (Balle and Wang 2018, theorem 8):
/// Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).
double gaussian_delta(double mu, double epsilon);

/// At most delta(epsilon) of `rounds` independent rounds of the pair, and below it by less than
/// what moves epsilon by 1 %. Outputs are merged into cells, losses of cells rounded down to a
/// lattice, what falls out of the lattice's window is taken off; each of these can only hide.
double composed_delta(const DominatingPair& pair, long rounds, double epsilon);

/// Probability of k successes in `trials`.
double binomial(long trials, double rate, long k);

/// Rounds of a pair in which the unit takes part by a coin that the adversary knows:
/// sum over k of Bin(k; rounds, known) delta_k(epsilon), at most.
double known_rounds_delta(const DominatingPair& pair, long rounds, double known, double epsilon);

/// Least epsilon with delta(epsilon) <= delta, from below, for a falling function; 1e300 where that
/// is beyond 1e6.
double epsilon_of(const std::function<double(double)>& profile, double delta);

}  // namespace trilemma::claims
