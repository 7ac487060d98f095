#pragma once
// Objectives f(x) = mean over records of loss(x; record) + regulariser(x).
//
// The gradient of one record is never stored. It is determined by the record and a short vector of
// factors (one coefficient for a linear model; the layers' activations and errors for a network),
// and everything that needs single gradients works on factors: norms, clipping (scaling a factor by
// w scales the gradient by w), weighted sums, tables of old gradients.

#include <memory>
#include <optional>

#include "base/support.hpp"
#include "data/dataset.hpp"
#include "numeric/random.hpp"
#include "problem/start_law.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Records that are processed together. `dense` holds their features if the problem gathers them.
struct Batch {
  const Dataset* shard = nullptr;
  Coordinates rows;
  Vector dense;
  /// Addresses the random rounding of derivatives and the random changes of records in a local
  /// step; without it, nothing is rounded or changed.
  std::optional<Key> coins;
  std::uint32_t block = 0;  ///< number of the batch among those with the same coins

  /// Refers to rows of a shard of dense rows and gathers them into `dense`, unless they are already
  /// there: local steps on a whole shard of up to block_rows() records load the same rows each
  /// time. The records of a shard must not change while a batch refers to it. Returns whether it
  /// has gathered them.
  bool gather(const Dataset& from, Coordinates which);
  /// Forgets which rows are in `dense`, because they have changed.
  void forget() { source_ = nullptr; }

 private:
  const Dataset* source_ = nullptr;      // shard of the rows in `dense`
  std::vector<std::uint32_t> gathered_;  // a copy, since `rows` refers to memory of the caller
};

/// A minimiser and the minimum.
struct Optimum {
  std::vector<double> x;
  double value = 0;
};

/// How well a model does on some records.
struct Score {
  double loss = 0;           ///< sum over the records
  std::size_t correct = 0;   ///< number of records in their class; 0 without classes
  double squared_error = 0;  ///< sum over the records; 0 with classes
};

class LinearModel;
class BatchNormalised;
class Classifier;
class OwnModel;

/// An objective. A process uses one object, since functions use scratch memory of the object.
class Problem {
 public:
  virtual ~Problem() = default;
  Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  /// Returns the name and parameters in one line, for people.
  virtual std::string description() const = 0;
  /// Returns the number d of model coordinates.
  virtual std::size_t dimension() const = 0;
  /// Returns the law of the start model used if the settings give none: zero if that is as good as
  /// any other, a law of layers, or own.
  virtual StartLaw usual_start() const { return StartLaw::zero; }
  /// Returns the start model of the law `own`; empty if the problem has none.
  virtual std::vector<double> own_start(std::uint64_t /*seed*/) const { return {}; }
  /// Returns the layers from the data to the output; empty if there are none.
  virtual std::vector<StartLayer> start_layers() const { return {}; }
  /// Returns the number of multiply-adds of the loss of a record; 0 = not known.
  virtual double products() const { return 0; }
  /// Returns the number of reals in the factors of one record.
  virtual std::size_t factors() const = 0;
  /// Throws UserError if the kind or shape of the data set does not fit.
  virtual void check(const Dataset& data) const = 0;

  /// Makes `batch` refer to the given rows and gathers their features if necessary.
  virtual void load(const Dataset& shard, Coordinates rows, Batch& batch) = 0;
  /// Writes the factors of all records of the batch at x (rows x factors(), row-major). Returns the
  /// sum of the losses without regulariser if `with_loss`, otherwise 0.
  virtual double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) = 0;
  /// Sets norm[j] to the Euclidean norm of the gradient represented by row j of `factors`.
  virtual void norms(const Batch& batch, ConstView factors, std::span<double> norm) = 0;
  /// Returns whether norms() costs little compared with linearise().
  virtual bool has_cheap_norms() const { return true; }
  /// Returns true and sets length[i] to the norm of the features of record i of the batch if the
  /// gradient of a record is its single factor times its features; otherwise returns false.
  virtual bool lengths(const Batch&, std::span<double> /*length*/) const { return false; }
  /// Scales the gradient represented by one record's factors.
  virtual void scale(View record_factors, double weight) const = 0;
  /// Adds weight * the sum over the batch of the gradients represented by `factors` to `sum`.
  virtual void accumulate(const Batch& batch, ConstView factors, double weight, View sum) = 0;
  /// Adds the same at the coordinates `at` of `sum` only; other coordinates are undefined
  /// afterwards. Sums may run in another order than those of accumulate().
  virtual void accumulate_at(const Batch& batch, ConstView factors, double weight, Coordinates,
                             View sum) {
    accumulate(batch, factors, weight, sum);
  }

  /// Adds weight * the sum of the gradients of all records of the batch at x to `sum` and returns
  /// the sum of their losses, if the problem does so with less work than by factors; `sum` may be
  /// empty. Otherwise returns nullopt and adds nothing.
  virtual std::optional<double> add_sum(const Batch&, ConstView /*x*/, double /*weight*/,
                                        View /*sum*/) {
    return {};
  }
  /// Returns the sum of the losses of the batch at x, without the regulariser. `factors` is scratch
  /// memory of rows x factors() numbers.
  virtual double loss(const Batch& batch, ConstView x, View factors) {
    if (const auto sum = add_sum(batch, x, 0, {})) return *sum;
    return linearise(batch, x, factors, true);
  }
  /// Returns the score of the batch at x, if the problem does so with less work than by factors;
  /// otherwise nullopt.
  virtual std::optional<Score> score(const Batch&, ConstView /*x*/) { return {}; }

  /// Returns the value of the regulariser, which does not depend on data.
  virtual double regulariser(ConstView x) const = 0;
  /// Adds the gradient of the regulariser to g.
  void add_regulariser_gradient(ConstView x, View g) const {
    add_regulariser_at(x, Support::all(), g);
  }
  /// Adds the coordinates `at` of that gradient only: adds coordinate at[i] to g[i],
  /// bit-identically. The regulariser is a sum over coordinates, so that a coordinate of its
  /// gradient depends on no other coordinate of x.
  virtual void add_regulariser_at(ConstView x, Support at, View g) const = 0;

  /// Returns the number of records of the batch that x classifies correctly; 0 without classes.
  virtual std::size_t correct(const Batch& batch, ConstView x) = 0;

  /// Returns the sum of the squared errors of predicted real targets, for records whose losses sum
  /// to `loss`; 0 with classes.
  virtual double squared_error(double /*loss*/) const { return 0; }

  /// Returns whether the model has biases, so that a constant feature would be redundant.
  virtual bool has_bias() const { return false; }

  /// Returns whether the gradient of a record depends on the records that are processed with it.
  virtual bool mixes_records() const { return false; }

  /// Returns whether local steps change the records that they use at random (Batch::coins).
  virtual bool augments_records() const { return false; }

  /// Returns this problem as a linear model, or nullptr.
  virtual LinearModel* as_linear_model() { return nullptr; }

  /// Returns this problem as a classifier with class probabilities, or nullptr.
  virtual Classifier* as_classifier() { return nullptr; }
  virtual bool gives_probabilities() const { return false; }

  /// Returns this problem as one with batch normalisation, or nullptr.
  virtual const BatchNormalised* as_batch_normalised() const { return nullptr; }
  virtual BatchNormalised* as_batch_normalised() { return nullptr; }

  /// Returns the name of the file of the user's code that the problem runs; empty if there is none.
  virtual std::string own_code() const { return {}; }
  /// Returns this problem as a model of the user's own, or nullptr.
  virtual const OwnModel* as_own_model() const { return nullptr; }
  virtual OwnModel* as_own_model() { return nullptr; }

  /// Returns a smoothness constant L of the loss of every record with the regulariser, for records
  /// of norm at most `largest_norm`; nullopt if none is known.
  virtual std::optional<double> smoothness(double /*largest_norm*/) const { return {}; }
  /// Returns a bound on f(0) - min f that holds for any records; nullopt if none is known.
  virtual std::optional<double> suboptimality_of_zero() const { return {}; }

  /// Returns the minimiser of sum_r weight_r loss_r + regulariser if it has a closed form.
  virtual std::optional<Optimum> optimum(const Dataset&, std::span<const double>) const {
    return {};
  }
};

/// Shape of the data for which a problem is created.
struct DataShape {
  std::size_t features;
  int classes;
  std::optional<bool> sparse = {};  ///< sparse or dense rows; empty = unknown
};
/// Throws UserError if the rows are sparse.
void require_dense(const Settings& settings, const DataShape& shape);
/// Throws UserError if the rows are sparse, or the targets real.
void require_dense_classes(const Settings& settings, const DataShape& shape);
/// Throws UserError if the records are not dense, or have another number of features; `problem` is
/// its name in the message.
void check_dense(const Dataset& data, std::size_t features, std::string_view problem);
using ProblemMaker = std::function<std::unique_ptr<Problem>(const DataShape&)>;

/// A word in problem.layers: its name, and the numbers that follow it with what it is.
struct LayerWords {
  std::string name, summary;
};
/// Returns the kinds of layers, then the presets, each of which stands for a list of layers.
std::vector<LayerWords> layer_words();

/// Returns the table of problems: logistic, network, linear, softmax, cnn, layers, mean, plugin.
std::span<const Row<ProblemMaker>> problems();

/// Returns the number of records that are processed at once: 512, or fewer, but at least 16, if
/// their factors would exceed 2^17 numbers (about the cache of a core). Always 512 if the gradient
/// of a record depends on the others. Depends on the problem alone, so that sums have one order.
std::size_t block_rows(const Problem& problem);

/// Returns the largest number of records that full_sum() processes at once: block_rows(), or with
/// batch normalisation 32 to 512, since the values of a deep network would take gigabytes.
std::size_t summed_rows(const Problem& problem);

/// Returns the exact sum of the losses over all records of a shard, in blocks that depend on the
/// problem and the shard alone, so that the result does not depend on which rank hosts the shard.
/// With batch normalisation, blocks differ by at most one record, and each takes records that are
/// evenly spaced. Adds the gradient of the losses (no
/// regulariser, no clipping) to `gradient` unless that is empty.
double full_sum(Problem& problem, const Dataset& shard, ConstView x, std::span<double> gradient);

}  // namespace trilemma
