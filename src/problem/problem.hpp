#pragma once
// Objectives f(x) = mean over records of loss(x; record) + regulariser(x).
//
// The gradient of one record is never stored. It is determined by the record and a short vector of
// factors (one coefficient for a linear model; the layers' activations and errors for a network),
// and everything that needs single gradients works on factors: their norms, clipping (a factor
// scaled by w belongs to w times the gradient), weighted sums, tables of old gradients.

#include <memory>
#include <optional>

#include "base/support.hpp"
#include "data/dataset.hpp"
#include "numeric/random.hpp"
#include "problem/start_law.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Records that are processed together. `dense` holds their features where the problem gathers
/// them.
struct Batch {
  const Dataset* shard = nullptr;
  Coordinates rows;
  Vector dense;
  /// Addresses what a problem rounds at random in derivatives; without it, nothing is.
  std::optional<Key> coins;
  std::uint32_t block = 0;  ///< number of the batch among those that share the coins

  /// Refers to rows of a shard of dense rows and gathers them into `dense`, unless they are there
  /// already: local steps on a whole shard of up to block_rows() load the same rows each time. The
  /// records of a shard must not change while a batch refers to it.
  void gather(const Dataset& from, Coordinates which);

 private:
  const Dataset* source_ = nullptr;      // of what is in `dense`
  std::vector<std::uint32_t> gathered_;  // a copy: `rows` is memory of the caller
};

/// A minimiser and the smallest value.
struct Optimum {
  std::vector<double> x;
  double value = 0;
};

class LinearModel;
class Classifier;

/// One object per process: methods use scratch memory of the object.
class Problem {
 public:
  virtual ~Problem() = default;
  Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  virtual std::string description() const = 0;
  /// Number d of model coordinates.
  virtual std::size_t dimension() const = 0;
  /// From which start model this problem is trained where the settings say nothing: zero, where
  /// that is as good as any other, or a law of its layers.
  virtual StartLaw usual_start() const { return StartLaw::zero; }
  /// Its layers, from the data to the output, where it has any.
  virtual std::vector<StartLayer> start_layers() const { return {}; }
  /// Reals in the factors of one record.
  virtual std::size_t factors() const = 0;
  /// Refuses a data set of another kind or shape.
  virtual void check(const Dataset& data) const = 0;

  /// Makes `batch` refer to the given rows and gathers what is needed of them.
  virtual void load(const Dataset& shard, Coordinates rows, Batch& batch) = 0;
  /// Writes the factors of all records of the batch at x (rows x factors(), row-major). Returns the
  /// sum of the losses without regulariser if `with_loss`, else 0.
  virtual double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) = 0;
  /// norm[j] = Euclidean norm of the gradient that row j of `factors` stands for.
  virtual void norms(const Batch& batch, ConstView factors, std::span<double> norm) = 0;
  /// Scales the gradient that one record's factors stand for.
  virtual void scale(View record_factors, double weight) const = 0;
  /// sum += weight * sum over the batch of the gradients that `factors` stand for.
  virtual void accumulate(const Batch& batch, ConstView factors, double weight, View sum) = 0;
  /// The same for the coordinates `at` of `sum`, whose others have no meaning after it. Sums may
  /// run in another order than those of accumulate().
  virtual void accumulate_at(const Batch& batch, ConstView factors, double weight, Coordinates,
                             View sum) {
    accumulate(batch, factors, weight, sum);
  }

  /// Data-independent regulariser and its gradient (added to g).
  virtual double regulariser(ConstView x) const = 0;
  void add_regulariser_gradient(ConstView x, View g) const {
    add_regulariser_at(x, Support::all(), g);
  }
  /// Its coordinates `at` alone, g[i] += its coordinate at[i]; bit-identical. It is a
  /// sum over coordinates, so that a coordinate of the gradient needs no other one of x.
  virtual void add_regulariser_at(ConstView x, Support at, View g) const = 0;

  /// Number of records of the batch that x classifies correctly; 0 where there are no classes.
  virtual std::size_t correct(const Batch& batch, ConstView x) = 0;

  /// Sum of squared errors of predicted real targets, for records whose losses sum to `loss`; 0
  /// where there are classes.
  virtual double squared_error(double /*loss*/) const { return 0; }

  /// Whether the model has biases of its own, so that a constant feature adds nothing.
  virtual bool has_bias() const { return false; }

  /// Whether the gradient of a record depends on the records that are processed with it.
  virtual bool mixes_records() const { return false; }

  /// This problem as a linear model, or nullptr.
  virtual LinearModel* as_linear_model() { return nullptr; }

  /// This problem as one that gives class probabilities, or nullptr.
  virtual Classifier* as_classifier() { return nullptr; }
  virtual bool gives_probabilities() const { return false; }

  /// The minimiser of sum_r weight_r loss_r + regulariser, where it has a closed form.
  virtual std::optional<Optimum> optimum(const Dataset&, std::span<const double>) const {
    return {};
  }
};

/// Shape of the data that a problem is made for.
struct DataShape {
  std::size_t features;
  int classes;
  std::optional<bool> sparse = {};  ///< sparse or dense rows; empty = not known
};
/// Refuses sparse rows for a problem on dense ones.
void require_dense(const Settings& settings, const DataShape& shape);
/// Refuses sparse rows, and real targets, for a problem on dense rows with classes.
void require_dense_classes(const Settings& settings, const DataShape& shape);
/// Refuses records that are not dense, or have another number of features; `problem` is the name in
/// the message.
void check_dense(const Dataset& data, std::size_t features, std::string_view problem);
using ProblemMaker = std::unique_ptr<Problem> (*)(Settings&, const DataShape&);

/// logistic, network, linear, softmax, cnn, mean.
std::span<const Row<ProblemMaker>> problems();

/// How many records are worked on at once: 512, or where their factors would take more than 2^17
/// numbers (which is what a core's cache holds) fewer, but at least 16, for products of matrices.
/// 512 too where the gradient of a record depends on the others. A property of the problem alone,
/// so that sums have one order.
std::size_t block_rows(const Problem& problem);

/// Exact sums over all records of a shard, in blocks of fixed size so that the result does not
/// depend on where the shard lives. Adds the gradient of the losses (no regulariser, no clipping)
/// into `gradient` unless that is empty; returns the sum of the losses.
double full_sum(Problem& problem, const Dataset& shard, ConstView x, std::span<double> gradient);

}  // namespace trilemma
