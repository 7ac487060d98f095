#pragma once
// Independent noise on the integers in every coordinate: laws, their tails, and the theorem that
// lets the accountants of Gaussian releases account them.
//
// Theorem. Let X be symmetric and log-concave on the integers, z(j) = -PhiInv(P[X >= j]) and
// mu1 = sup_j (z(j) - z(j-1)). Then x + X with x shifted by the integer vector s is
// (mu1 ||s||_2)-GDP, that is, dominated by N(0, 1) against N(mu1 ||s||_2, 1).
// Proof. Log-concave noise has monotone likelihood ratios, so the trade-off curve of X against X +
// s is the polygon through the corners (P[X >= j], 1 - P[X >= j - s]). A corner lies above the
// Gaussian curve of parameter mu if z(j) - z(j-s) <= mu, and the left side is a sum of s
// differences. Convex curves above a convex curve at their corners are above it. The coordinates
// compose as Gaussian releases do (Dong, Roth and Su 2022, corollary 3.3): squares are added.
//
// Only differences up to the first j with P[X >= j] < `tail_floor` are examined. They decide all
// corners if outcomes >= j are taken for one, and outcomes <= s - j. Let these two be drawn again,
// the first from the law of s + X, the second from that of X. Each law of a coordinate is then
// wrong on a set of probability below `tail_floor`; tail_remainder() is what delta grows by.

#include <cstdint>
#include <vector>

namespace trilemma::accounting {

/// Family of noise. discrete_gaussian: P[X = k] proportional to exp(-k^2 / (2 sigma^2)) (Canonne,
/// Kamath and Steinke 2020). skellam: difference of two independent Poisson(sigma^2 / 2) (Agarwal,
/// Kairouz and Liu, 2110.04995), which has variance sigma^2.
enum class IntegerLaw { discrete_gaussian, skellam };

/// Returns the name in files: "discrete_gaussian", "skellam".
const char* name(IntegerLaw law);

/// A law of noise in one coordinate. The variance of a discrete Gaussian is a little below sigma^2.
struct IntegerNoise {
  IntegerLaw law = IntegerLaw::discrete_gaussian;
  double sigma = 1;
};

inline constexpr double least_integer_sigma = 0.05;
/// Largest sigma for which tails are summed.
inline constexpr double most_integer_sigma = 0x1p18;
/// Tail probability up to which laws are examined.
inline constexpr double tail_floor = 1e-40;

/// Probabilities P[X = k] and P[X >= j] of integer noise, with a relative error below 1e-12 down to
/// `tail_floor`: sums of positive terms in ascending order in long double, of exp(-k^2 / (2
/// sigma^2)), or, for Skellam noise of variance V, of the Bessel functions I_k(V), which the
/// recurrence I_{k-1} = I_{k+1} + (2 k / V) I_k yields up to a factor from large k down (Miller).
class IntegerTails {
 public:
  /// Throws std::invalid_argument unless least_integer_sigma <= sigma <= most_integer_sigma.
  explicit IntegerTails(const IntegerNoise& noise);

  /// Returns the first j with P[X >= j] < tail_floor.
  std::int64_t last() const { return static_cast<std::int64_t>(tail_.size()) - 1; }
  /// Returns log P[X = k], |k| <= last().
  double log_mass(std::int64_t k) const;
  /// Returns log P[X >= j], |j| <= last().
  double log_tail(std::int64_t j) const;
  /// Returns mu1: the largest difference z(j) - z(j-1) with j <= last(), plus an allowance of 2e-14
  /// for rounding. By symmetry z(1-j) = -z(j), so only j >= 1 is examined; the first difference is
  /// 2 z(1) = 2 PhiInv((1 + P[X = 0]) / 2).
  double shift_mu() const;

 private:
  std::vector<double> mass_;  ///< P[X = k], k = 0, ..., last()
  std::vector<double> tail_;  ///< P[X >= j], j = 0, ..., last()
};

/// Returns an upper bound on mu1 of `noise`: IntegerTails::shift_mu() or, for discrete Gaussian
/// noise of sigma > 1024,
///
///     1 / sqrt(sigma^2 - 5)
///
/// which exceeds mu1 by a factor of at most 1 + 2.5e-6. Proof: let Y be N(x, sigma^2 - 5), and K(Y)
/// an integer drawn with weights exp(-(k - Y)^2 / 10). By Poisson's summation formula their sum
/// differs from sqrt(10 pi) by a factor within 1 +- 2.1 exp(-10 pi^2), so the law of K(Y), a
/// function of a Gaussian release, is that of x + X up to a probability of 1e-42.
/// Throws as IntegerTails does; discrete Gaussian noise may have any sigma >= least_integer_sigma.
double unit_shift_mu(const IntegerNoise& noise);

/// Returns the noise multiplier of a Gaussian release with the privacy of integer noise of which a
/// unit shift is mu1-GDP: 1 / (mu1 D), where D is the largest L2 norm of an integer vector that a
/// unit contributes. Under replace_one two contributions are up to 2 D apart; the accountants of
/// compositions multiply by 2.
double gaussian_multiplier(double shift_mu, double sensitivity);

/// Returns 2 N 1e-40 (1 + e^epsilon), to be added to delta(epsilon) of releases with N = `draws`
/// numbers of noise in all: coordinates times rounds.
double tail_remainder(double draws, double epsilon);

}  // namespace trilemma::accounting
