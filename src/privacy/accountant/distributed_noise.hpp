#pragma once
// Integer noise that n clients add in equal shares to vectors rounded to integers, whose sum the
// server receives modulo 2^b: the distributed discrete Gaussian mechanism (Kairouz, Liu and
// Steinke, 2102.06387) and the distributed Skellam mechanism (Agarwal, Kairouz and Liu,
// 2110.04995).
//
//     client: x = R u, a rotated update, clipped to norm C; y = S x; round y at random to integers
//             v until ||v||^2 <= B^2; send (v + noise of parameter sigma) mod 2^b
//     server: est = R^T (sum mod 2^b) / (S n)

#include <cstdint>

#include "privacy/accountant/integer_noise.hpp"

namespace trilemma::accounting {

/// Sum of `shares` independent numbers of the same law; `sigma` is sqrt(shares) times the parameter
/// of one of them.
struct SharedNoise {
  IntegerLaw law = IntegerLaw::discrete_gaussian;
  double sigma = 1;
  double shares = 1;
};

/// Returns a bound on |log(P[sum = k] / P[X = k])| for X discrete Gaussian of parameter `sigma` of
/// the sum (2102.06387, section 4, "sums of discrete Gaussians", for n shares):
///
///     tau = 10 sum_{j=1}^{n-1} exp(-2 pi^2 (sigma^2 / n) j / (j+1));
///
/// 0 for Skellam noise, whose sums are Skellam noise.
double share_distance(const SharedNoise& noise);

/// Largest share_distance() that unit_shift_mu() accepts; shares of sigma >= 1 have less if there
/// are at most 10^4 of them.
inline constexpr double most_share_distance = 1e-3;

/// Returns an upper bound on mu1 of the sum: mu1 of one number of the law with the parameter of the
/// sum, plus 2.51 tau, since a factor e^tau on a tail moves z by at most 1.2533 (e^tau - 1). Throws
/// UnsupportedClaim if tau > most_share_distance: the sum of narrow discrete Gaussians is narrower
/// than its parameter says.
double unit_shift_mu(const SharedNoise& noise);

/// A release of the sum, for the published accounting by Renyi divergences.
struct SharedRelease {
  SharedNoise noise;
  double sensitivity = 1;  ///< D: largest L2 norm of the integer vector of a unit, as B
  double dimension = 1;    ///< d
};

/// Returns the published Renyi divergence of order a > 1 under zero_out. With V = sigma^2 and D1 =
/// D min(sqrt(d), D), a bound on the L1 norm of integer vectors:
///   discrete Gaussian (2102.06387, proposition 14)
///     min(a D^2 / (2V) + tau d,  (a/2) (D^2 / V + 2 tau D1 / sqrt(V) + tau^2 d))
///     (the third bound there, (a/2) (D / sqrt(V) + tau sqrt(d))^2, is not smaller for this D1)
///   Skellam (2110.04995, main theorem), integers a only; std::invalid_argument for other orders
///     a D^2 / (2V) + min(((2a - 1) D^2 + 6 D1) / (4 V^2),  3 D1 / (2V))
double published_renyi(const SharedRelease& release, double order);

/// Returns epsilon(delta) of `steps` releases from published_renyi(), the least over the orders 2,
/// 3, ..., 128 and 256 of the authors' code, with the conversion of renyi_epsilon(). It serves for
/// comparison: gaussian_multiplier() and the accountants of Gaussian releases give less.
double published_epsilon(const SharedRelease& release, double steps, double delta);

/// Returns B^2 of conditional rounding, the square of the largest norm of accepted vectors, for
/// vectors of norm at most `norm` = S C in d dimensions (2102.06387, section 5, "conditional
/// randomized rounding", with beta = e^(-1/2)), at least 1:
///
///     B^2 = floor(min((norm + sqrt(d))^2,
///                     norm^2 + d/4 + sqrt(2 log(1/beta)) (norm + sqrt(d)/2)))
///
/// An attempt is accepted with probability at least 1 - beta = 0.39.
std::int64_t rounding_bound(double norm, double dimension);

/// What the choice of scale and noise follows from.
struct DistributedTask {
  IntegerLaw law = IntegerLaw::discrete_gaussian;
  double clients = 1;     ///< n, who add their shares
  double absent = 0;      ///< of these, those whose shares do not count
  double dimension = 1;   ///< d, of the rotated vectors
  double norm = 1;        ///< C
  double flatness = 1;    ///< rho: largest d E[(R x)_j^2] / ||x||^2 of the rotation, 1 if all equal
  int bits = 16;          ///< b, at most 32
  double wrap = 6.5;      ///< k: standard deviations of a sum that fit into 2^(b-1)
  double multiplier = 1;  ///< z: noise multiplier of the Gaussian release whose privacy is wanted
};

/// Scale and noise of the mechanism.
struct DistributedNoise {
  double scale = 0;  ///< S
  std::int64_t bound_squared = 0;
  double sigma = 0;             ///< of the sum without those that are absent, in integers
  double share_sigma = 0;       ///< of one client
  double shift_mu = 0;          ///< unit_shift_mu() of the sum; shift_mu B <= 1/z
  double wrap_probability = 0;  ///< bound for the worst sum, of norm n C; at most 1
  double error = 0;  ///< bound on E||est - mean||^2 without wraps, d (sigma_n^2 + n/4) / (S n)^2
};

/// Returns the mechanism with the largest S for which k standard deviations of a coordinate of the
/// sum fit into 2^(b-1), up to a factor of 1 + 3e-6:
///
///     k^2 (rho (S C n)^2 / d + n/4 + sigma_n^2) <= 4^(b-1)
///
/// where sigma is the least with mu1 B <= 1/z for the noise of n - a clients, a of which are
/// absent, and sigma_n^2 = sigma^2 n / (n - a) is the variance with that of all. A coordinate of
/// the rotated sum is sub-Gaussian of variance rho (S C n)^2 / d, and the error of rounding of
/// variance n/4. So, with w = 2^(b-1) and A(t) = log E[exp(t noise)],
///
///     P[any coordinate wraps] <= 2 d min_t exp((rho (S C n)^2 / d + n/4) t^2 / 2 + A(t) - t w),
///
/// A(t) <= sigma_n^2 t^2 / 2 for discrete Gaussian noise, which makes the bound 2 d exp(-k^2 / 2),
/// and A(t) = sigma_n^2 (cosh(t) - 1) for Skellam noise. That roundings are conditioned on their
/// norm is neglected there. Throws std::invalid_argument for numbers out of range and where no S
/// satisfies the inequality, and UnsupportedClaim as unit_shift_mu() does.
DistributedNoise distributed_noise(const DistributedTask& task);

}  // namespace trilemma::accounting
