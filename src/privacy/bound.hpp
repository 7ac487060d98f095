#pragma once
// Bounding: what limits the influence of one record, or client, on what a client computes. Only a
// Bounded vector can be perturbed, and only bounds make them.

#include <limits>
#include <memory>

#include "base/types.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Largest Euclidean distance that adding or removing one unit (a record, or a whole client) can
/// cause in what is perturbed, split by the way the unit enters.
struct Sensitivity {
  double sampled = 0;  ///< through the minibatch: only if the record is drawn
  double full = 0;     ///< through a mean over all records: in every round
  double total() const { return sampled + full; }
  bool operator==(const Sensitivity&) const = default;
};

/// A vector whose dependence on single records or clients is limited: by how much, the bound says
/// (where there is none, no claim holds).
class Bounded {
 public:
  ConstView values() const { return values_; }
  /// Norm before the bound; infinite where the vector had no finite norm and has become zero, NaN
  /// where the bound did not look at it.
  double norm_before() const { return norm_before_; }

 private:
  friend class Bound;
  Bounded(View values, double norm_before) : values_(values), norm_before_(norm_before) {}
  View values_;
  double norm_before_;
};

/// What a bound limits: nothing, the gradient of each record, the estimate made of them, or all
/// that a client sends.
enum class Bounds { nothing, record, estimator, client };
/// "nothing", "record", "estimator", "client".
const char* name(Bounds what);

class Bound {
 public:
  virtual ~Bound() = default;
  virtual std::string description() const = 0;
  /// Norm bound G applied to every record's gradient before averaging; infinite if there is none.
  virtual double record_threshold() const { return std::numeric_limits<double>::infinity(); }
  /// Norm bound G in effect, of records or of the finished vector; infinite if there is none.
  virtual double threshold() const = 0;
  /// Sensitivity of the bounded vector, where the estimator's average has `average`; `distance` is
  /// that of two neighbours in norm bounds (2 if one record is replaced, else 1).
  virtual Sensitivity sensitivity(const Sensitivity& average, double) const { return average; }
  virtual Bounds what() const = 0;
  /// True where the finished vector is bounded, all of it: what has no data in it (the
  /// regulariser's gradient) belongs to it then. Where records are bounded that is added after the
  /// noise.
  virtual bool bounds_public_part() const { return false; }
  /// True where only the coordinates that a client sends are bounded, before the gain of their
  /// compressor.
  virtual bool bounds_message() const { return false; }
  /// Why no privacy claim can rest on this bound; empty if one can.
  virtual std::string objection() const { return ""; }

  /// Bounds the finished vector in place.
  Bounded apply(View u) const {
    const double norm = limit(u);
    return {u, norm};
  }

 private:
  /// Bounds u and returns its norm before that; infinite where it was replaced by zero, NaN where
  /// the bound does not look at it.
  virtual double limit(View) const { return std::numeric_limits<double>::quiet_NaN(); }
};

using BoundMaker = std::unique_ptr<Bound> (*)(Settings&);

/// clip-record, clip-estimator, clip-client, normalise-client, smooth-normalise-client, none.
std::span<const Row<BoundMaker>> bounds();

/// z * min(1, C/||z||); clip(0, C) = 0. Returns ||z||. A vector whose norm is NaN or infinite
/// becomes 0, and the norm returned is infinite: one bad value must not let the others through.
double clip(View z, double threshold);

/// C z / (alpha + ||z||), 0 at z = 0 ([NEC] smoothed normalisation; [NORM] normalisation for
/// alpha = 0). Returns ||z||; what is not finite becomes 0, as with clip().
double smooth_normalise(View z, double threshold, double alpha);

}  // namespace trilemma
