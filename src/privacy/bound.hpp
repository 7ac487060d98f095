#pragma once
// Bounds limit the influence of one record, or of one client, on a client's vector. Only a Bounded
// vector can be perturbed, and only bounds create one.

#include <limits>
#include <memory>

#include "base/types.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Largest Euclidean distance that adding or removing one unit (a record or a client) can cause in
/// the perturbed vector, split by the way in which the unit enters.
struct Sensitivity {
  double sampled = 0;  ///< through the minibatch: only if the record is drawn
  double full = 0;     ///< through a mean over all records: in every round
  double total() const { return sampled + full; }
  bool operator==(const Sensitivity&) const = default;
};

/// A vector with limited dependence on single records or clients; the bound says how it is limited
/// (without a bound, no claim holds).
class Bounded {
 public:
  ConstView values() const { return values_; }
  /// Returns the norm before the bound; infinite if the norm was not finite and the vector became
  /// zero, NaN if the bound did not compute it.
  double norm_before() const { return norm_before_; }

 private:
  friend class Bound;
  Bounded(View values, double norm_before) : values_(values), norm_before_(norm_before) {}
  View values_;
  double norm_before_;
};

/// Quantity that a bound limits: nothing, the gradient of each record, the estimate computed from
/// them, or all that a client sends.
enum class Bounds { nothing, record, estimator, client };
/// Returns "nothing", "record", "estimator" or "client".
const char* name(Bounds what);

/// Limits the norm of gradients or of finished vectors.
class Bound {
 public:
  virtual ~Bound() = default;
  virtual std::string description() const = 0;
  /// Returns the norm bound G of every record's gradient before averaging; infinite if there is
  /// none.
  virtual double record_threshold() const { return std::numeric_limits<double>::infinity(); }
  /// Returns whether vectors within the threshold stay as they are, so that those beyond it are
  /// clipped.
  virtual bool clips() const { return false; }
  /// Returns whether every record's gradient z becomes G z / (G + ||z||), not z min(1, G / ||z||).
  virtual bool smooths_records() const { return false; }
  /// Returns the norm bound in effect, of records or of the finished vector; infinite if there is
  /// none.
  virtual double threshold() const = 0;
  /// Returns the sensitivity of the bounded vector, if the average of the estimator has sensitivity
  /// `average`. The second parameter is the distance of two neighbours in norm bounds (2 if one
  /// record is replaced, otherwise 1).
  virtual Sensitivity sensitivity(const Sensitivity& average, double) const { return average; }
  /// Returns the quantity that is bounded.
  virtual Bounds what() const = 0;
  /// Returns whether the finished vector is bounded as a whole; it then includes the part without
  /// data (the gradient of the regulariser). If records are bounded, that part is added after the
  /// noise.
  virtual bool bounds_public_part() const { return false; }
  /// Returns whether only the coordinates that a client sends are bounded, before the gain of the
  /// compressor.
  virtual bool bounds_message() const { return false; }
  /// Returns the reason why no privacy claim can rest on this bound; empty if one can.
  virtual std::string objection() const { return ""; }

  /// Bounds the finished vector in place.
  Bounded apply(View u) const {
    const double norm = limit(u);
    return {u, norm};
  }

 private:
  /// Bounds u and returns its norm before that; infinite if it was replaced by zero, NaN if the
  /// bound does not compute it.
  virtual double limit(View) const { return std::numeric_limits<double>::quiet_NaN(); }
};

using BoundMaker = std::function<std::unique_ptr<Bound>()>;

/// Returns the table of bounds: clip-record, smooth-clip-record, clip-estimator, clip-client,
/// normalise-client, smooth-normalise-client, none.
std::span<const Row<BoundMaker>> bounds();

/// Replaces z by z * min(1, C/||z||); clip(0, C) = 0. Returns ||z||. If the norm is NaN or
/// infinite, z becomes 0 and the result is infinite: one bad value must not let the others pass.
double clip(View z, double threshold);

/// Replaces z by C z / (alpha + ||z||), and leaves z = 0 ([NEC] smoothed normalisation; [NORM]
/// normalisation for alpha = 0). Returns ||z||; a vector without finite norm becomes 0, as in
/// clip().
double smooth_normalise(View z, double threshold, double alpha);

}  // namespace trilemma
