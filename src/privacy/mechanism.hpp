#pragma once
// Privacy mechanisms, which turn a bounded vector into one that may leave the client.

#include <cmath>

#include "base/support.hpp"
#include "numeric/random.hpp"
#include "privacy/bound.hpp"

namespace trilemma {

/// A vector that may leave the client, at the requested coordinates: with noise if clients add it;
/// without if the trusted server adds it (perturb_mean()) or there is none. Later operations are
/// post-processing, so the values may be changed freely.
class Released {
 public:
  Support at() const { return at_; }
  View values() const { return values_; }

 private:
  friend class Mechanism;
  Released(Support at, View values) : at_(at), values_(values) {}
  Support at_;
  View values_;
};

/// Releases bounded vectors.
class Mechanism {
 public:
  virtual ~Mechanism() = default;
  virtual std::string description() const = 0;
  /// Returns the standard deviation of the noise per coordinate; 0 = none.
  virtual double sigma() const = 0;

  /// Releases the coordinates `at` of a bounded vector into `out`. The value of coordinate j does
  /// not depend on the other requested coordinates: its noise is number j of the key's stream, so
  /// noise is drawn only where it is used.
  /// The noise is multiplied by `factor`.
  Released release(const Bounded& bounded, Support at, const Key& key, Vector& out,
                   double factor = 1) {
    out.resize(at.size(bounded.values().size()));
    perturb(bounded.values(), at, key, out, factor);
    return {at, out};
  }

 private:
  virtual void perturb(ConstView u, Support at, const Key& key, View out, double factor) = 0;
};

/// Returns the mechanism that adds independent N(0, sigma^2) noise to every coordinate, in double
/// before a single rounding to `real`. sigma = 0 gives the mechanism that releases the vector
/// unchanged.
std::unique_ptr<Mechanism> make_gaussian(double sigma);

/// Adds sigma z_j to mean[j] at the coordinates `at`, where z_j is number j of the key's stream of
/// normals: the noise of a trusted server on its aggregate, which is 0 at other coordinates for any
/// data. Returns the norm of the noise; `numbers` is scratch memory. sigma = 0 draws nothing.
double perturb_mean(std::span<double> mean, Support at, double sigma, const Key& key,
                    std::vector<double>& numbers);

/// Returns an upper bound on the increase of delta caused by the finite tail of the generator
/// (largest_normal()), for `releases` vectors of `numbers` coordinates whose neighbours are up to
/// `shift` standard deviations apart. Let c be the largest normal, and call an outcome good if no
/// pair of noise values is longer than c in either of the two data sets. Good outcomes have their
/// ideal densities, so P[S] <= e^epsilon Q[S] + delta for a set S of them. Bad outcomes have
/// probability at most releases numbers exp(-(c - shift)^2 / 2) for pairs that are too long in the
/// neighbour, and less for pairs that are cut off themselves; twice that is returned, at most 1.
/// Rounding to `double` is not accounted for, as everywhere.
double truncation_delta(double releases, double numbers, double shift);

/// Smallest noise_resolution() for which a claim holds.
inline constexpr double least_noise_resolution = 64;

/// Returns sigma divided by the distance of neighbouring numbers of type T at `largest`, the
/// largest magnitude of a value to which such noise is added. If the ratio is small, rounding the
/// sum to T removes noise and reveals the value. T is `real` for noise of a client and double for
/// noise of the server. `largest` is the norm bound of the released vector: for averages over
/// records G times the largest weight of one vector (m / b drawn records; 2 m / b + 1 for svrg and
/// saga), for clients C.
template <class T = real>
double noise_resolution(double sigma, double largest) {
  const T at = static_cast<T>(largest);
  const T next = std::nextafter(at, std::numeric_limits<T>::infinity());
  return std::isfinite(next) ? sigma / (static_cast<double>(next) - static_cast<double>(at)) : 0.0;
}

/// Returns the closed form of [SOT] theorems 2 and 4 with an explicit constant: sigma = G sqrt(c T
/// ln(1/delta)) / (m epsilon), with norm bound G, T rounds, and m records per client.
double paper_sigma(double constant, double threshold, double rounds, double delta, double records,
                   double epsilon);

}  // namespace trilemma
