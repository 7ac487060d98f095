#pragma once

#include "problem/problem.hpp"

namespace trilemma {

/// A problem that sees a record a only through its c margins z = a^T W (+ b): the factors of a
/// record are the derivatives of its loss by them, and its regulariser is l2/2 |x|^2. Several
/// gradient steps on few records then never need to leave the span of these records.
class LinearModel : public Problem {
 public:
  /// c; factors() is the same.
  virtual std::size_t outputs() const = 0;
  virtual double l2() const = 0;
  /// z (rows x c) at x.
  virtual void margins(const Batch& batch, ConstView x, View z) = 0;
  /// Turns margins into factors, in place. Here the margins of output o are the reals from
  /// o * stride on, one per record, so that records can be taken side by side; the stride is a
  /// multiple of span_lanes (span_product.hpp), and what lies between is overwritten.
  virtual void respond(const Batch& batch, View z, std::size_t stride) = 0;
  /// Scalar products of all pairs of records, that of a constant feature included (rows x rows).
  virtual void gram(const Batch& batch, View products) = 0;

  LinearModel* as_linear_model() final { return this; }
};

}  // namespace trilemma
