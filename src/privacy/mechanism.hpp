#pragma once
// Mechanisms: what makes a bounded vector fit to leave the client.

#include <cmath>

#include "base/support.hpp"
#include "numeric/random.hpp"
#include "privacy/bound.hpp"

namespace trilemma {

/// A vector that may leave the client, at the coordinates asked for: with its noise where clients
/// add it; without any where the server is trusted to (perturb_mean()) or nobody does. What is done
/// to it afterwards is post-processing, so its values may be changed freely.
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

class Mechanism {
 public:
  virtual ~Mechanism() = default;
  virtual std::string description() const = 0;
  /// Standard deviation of the noise per coordinate; 0 = none.
  virtual double sigma() const = 0;

  /// Releases the coordinates `at` into `out`. Coordinate j gets the same value
  /// whatever else is asked for: its noise is number j of the key's stream, so noise is drawn only
  /// where it is used.
  Released release(const Bounded& bounded, Support at, const Key& key, Vector& out) {
    out.resize(at.size(bounded.values().size()));
    perturb(bounded.values(), at, key, out);
    return {at, out};
  }

 private:
  virtual void perturb(ConstView u, Support at, const Key& key, View out) = 0;
};

/// Independent N(0, sigma^2) on every coordinate, added in double before the one rounding to
/// `real`. sigma = 0 gives the mechanism that releases the vector as it is.
std::unique_ptr<Mechanism> make_gaussian(double sigma);

/// mean[j] += sigma z_j at the coordinates `at`, z_j number j of the key's stream of normals: the
/// noise of a trusted server on its aggregate, which is 0 elsewhere whatever the data are. Returns
/// the norm of the noise; `numbers` is scratch memory. sigma = 0 draws nothing.
double perturb_mean(std::span<double> mean, Support at, double sigma, const Key& key,
                    std::vector<double>& numbers);

/// What the end of the generator's tail (largest_normal()) adds to delta, at most, in `releases`
/// vectors of `numbers` coordinates whose neighbours lie up to `shift` standard deviations apart.
/// Let c be the largest normal and call an outcome good where no pair of noise is longer than c in
/// either of the two data sets. Good outcomes have their ideal densities, so of a set S of them
/// P[S] <= e^epsilon Q[S] + delta. Bad ones have probability at most releases numbers
/// exp(-(c - shift)^2 / 2) for pairs that are too long in the neighbour, and less for those that
/// are cut themselves; twice that is returned, 1 at most. What rounding to `double` does is left
/// out, as everywhere.
double truncation_delta(double releases, double numbers, double shift);

/// Fewest steps of the number grid that sigma may be worth (noise_resolution()) where a claim
/// holds.
inline constexpr double least_noise_resolution = 64;

/// sigma over the distance of neighbouring numbers of type T at `largest`, the largest size of a
/// value to which such noise is added: where it is small, rounding the sum to T takes noise away
/// and shows the value. T is `real` for the noise of a client and double for that of the server.
/// `largest` is the norm bound of what is released: for averages over records G times the most that
/// one vector can count (m / b drawn records; 2 m / b + 1 for svrg and saga), for clients C.
template <class T = real>
double noise_resolution(double sigma, double largest) {
  const T at = static_cast<T>(largest);
  const T next = std::nextafter(at, std::numeric_limits<T>::infinity());
  return std::isfinite(next) ? sigma / (static_cast<double>(next) - static_cast<double>(at)) : 0.0;
}

/// The closed form of [SOT] theorems 2 and 4 with an explicit constant:
/// sigma = G sqrt(c T ln(1/delta)) / (m epsilon), for G the norm bound, T rounds, m records of a
/// client.
double paper_sigma(double constant, double threshold, double rounds, double delta, double records,
                   double epsilon);

}  // namespace trilemma
