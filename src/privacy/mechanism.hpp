#pragma once
// Mechanisms: what makes a bounded vector fit to leave the client.

#include "core/random.hpp"
#include "privacy/bound.hpp"

namespace trilemma {

/// A vector that may leave the client, at the coordinates asked for. What is done to it afterwards
/// is post-processing, so its values may be changed freely.
class Released {
 public:
  /// Coordinates; empty means all.
  Coordinates index() const { return index_; }
  View values() const { return values_; }

 private:
  friend class Mechanism;
  Released(Coordinates index, View values) : index_(index), values_(values) {}
  Coordinates index_;
  View values_;
};

class Mechanism {
 public:
  virtual ~Mechanism() = default;
  virtual std::string description() const = 0;
  /// Standard deviation of the noise per coordinate; 0 = none.
  virtual double sigma() const = 0;

  /// Releases the coordinates `at` (empty: all) into `out`. Coordinate j gets the same value
  /// whatever else is asked for: its noise is number j of the key's stream, so noise is drawn only
  /// where it is used.
  Released release(const Bounded& bounded, Coordinates at, const Key& key, Vector& out) {
    out.resize(at.empty() ? bounded.values().size() : at.size());
    perturb(bounded.values(), at, key, out);
    return {at, out};
  }

 private:
  virtual void perturb(ConstView u, Coordinates at, const Key& key, View out) = 0;
};

/// Independent N(0, sigma^2) on every coordinate, added in double before the one rounding to
/// `real`. sigma = 0 gives the mechanism that releases the vector as it is.
std::unique_ptr<Mechanism> make_gaussian(double sigma);

/// mean[j] += sigma z_j, z_j number j of the key's stream of normals: the noise of a trusted server
/// on its aggregate. Returns the norm of the noise. sigma = 0 draws nothing.
double perturb_mean(std::span<double> mean, double sigma, const Key& key);

/// The closed form of [SOT] theorems 2 and 4 with an explicit constant:
/// sigma = G sqrt(c T ln(1/delta)) / (m epsilon), for G the norm bound, T rounds, m records of a
/// client.
double paper_sigma(double constant, double threshold, double rounds, double delta, double records,
                   double epsilon);

}  // namespace trilemma
