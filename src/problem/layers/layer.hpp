#pragma once
// One layer of a network: what it computes from the outputs of the layer below, and what its inputs
// and its parameters receive from the derivatives of the loss.

#include <memory>
#include <optional>
#include <vector>

#include "data/dataset.hpp"
#include "problem/kernels/elementwise.hpp"
#include "problem/kernels/matrix.hpp"
#include "problem/start_law.hpp"

namespace trilemma {

/// Added to variances before layers that normalise divide by their square roots.
inline constexpr double least_variance = 1e-5;

/// Values between two layers: pixels row by row, the values of a pixel next to each other. A vector
/// is one pixel.
struct MapShape {
  std::size_t height = 1, width = 1, channels = 0;
  std::size_t pixels() const { return height * width; }
  std::size_t size() const { return pixels() * channels; }
  bool operator==(const MapShape&) const = default;
};

/// Inputs of a layer for all records of a batch.
struct LayerInputs {
  ConstMatrixView values;             ///< one row per record; empty if `images` is set
  ConstMatrixView other;              ///< outputs that a layer `add` adds; empty for other layers
  const DenseRows* images = nullptr;  ///< first layer: rows of bytes with an index, or of tokens
  Coordinates rows = {};              ///< of `images`

  ConstView row(std::size_t record) const {
    return {values.data() + record * static_cast<std::size_t>(values.outerStride()),
            static_cast<std::size_t>(values.cols())};
  }
};

/// A layer. Its parameters are a part of the model, its weights first. `kept` are numbers of a
/// record that it stores in forward() for backward() and for the gradient, `errors` the derivatives
/// of the loss with respect to its outputs before the activation. Matrices have one row per record.
class Layer {
 public:
  Layer(const MapShape& in, const MapShape& out, std::optional<Activation> activation)
      : in_(in), out_(out), activation_(activation) {}
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const MapShape& in() const { return in_; }
  const MapShape& out() const { return out_; }
  /// Returns the activation that forward() applies to the outputs.
  std::optional<Activation> activation() const { return activation_; }
  /// Returns the number of parameters.
  virtual std::size_t parameters() const { return 0; }
  /// Returns how many of the parameters are factors of inputs: those that low precision rounds.
  virtual std::size_t weights() const { return 0; }
  /// Returns the number of multiply-adds of the products in forward() for a record.
  virtual double products() const {
    return static_cast<double>(weights()) * static_cast<double>(out_.pixels());
  }
  /// Returns the number of values that are kept of a record.
  virtual std::size_t kept() const { return 0; }
  /// Returns the parameters' law at the start, the first of them being coordinate `first`.
  virtual std::optional<StartLayer> start(std::size_t /*first*/) const { return {}; }

  /// Writes the outputs, after the activation, and what is kept.
  virtual void forward(const LayerInputs& in, ConstView parameters, MatrixView outputs,
                       MatrixView kept) = 0;
  /// Sets `down` to the derivatives with respect to the inputs.
  virtual void backward(const LayerInputs& in, ConstView parameters, const ConstMatrixView& kept,
                        const ConstMatrixView& errors, MatrixView down) = 0;
  /// Adds the squared norm of the gradient of the parameters for each record. `squares_of_inputs`
  /// are the squared norms of the records' inputs.
  virtual void add_squares(const LayerInputs&, const ConstMatrixView& /*kept*/,
                           const ConstMatrixView& /*errors*/,
                           std::span<const double> /*squares_of_inputs*/, std::span<double>) {}
  /// Adds weight * the gradient of the parameters, summed over the records, to `sum`.
  virtual void accumulate(const LayerInputs&, const ConstMatrixView& /*kept*/,
                          const ConstMatrixView& /*errors*/, real /*weight*/, View /*sum*/) {}
  /// Adds the same at the parameters `at` only, if that is less work; otherwise returns false.
  virtual bool accumulate_at(const LayerInputs&, const ConstMatrixView& /*errors*/, real /*weight*/,
                             Coordinates /*at*/, View /*sum*/) {
    return false;
  }
  /// Returns the number of channels that are normalised over the batch; 0 = the layer computes the
  /// outputs of a record from that record alone.
  virtual std::size_t normalised_channels() const { return 0; }
  /// Writes the means of these channels over the batch of the last forward(), and the means of
  /// their squares.
  virtual void write_statistics(std::span<double> /*means*/, std::span<double> /*squares*/) const {}
  /// Lets forward() normalise by these means and variances, until called with empty views.
  virtual void use_statistics(ConstView /*means*/, ConstView /*variances*/) {}
  /// Returns whether the outputs, before the activation, are not negative if the inputs are not.
  virtual bool passes_signs() const { return false; }
  /// Returns whether the layer, as the first one, reads rows of bytes with an index of nonzeros.
  virtual bool reads_indexed_images() const { return false; }
  /// Returns the number of tokens 0, 1, ... if the layer, as the first one, reads rows of tokens;
  /// otherwise 0.
  virtual std::size_t vocabulary() const { return 0; }
  /// Returns whether add_squares() uses the squared norms of the inputs.
  virtual bool needs_squares_of_inputs() const { return false; }
  /// Returns the norm of one record's gradient, accurate also where its square overflows or
  /// underflows. Only if needs_squares_of_inputs().
  virtual double norm(double /*length_of_inputs*/, ConstView /*errors*/) const { return 0; }

 private:
  MapShape in_, out_;
  std::optional<Activation> activation_;
};

/// Returns row `record` of a matrix.
inline ConstView row_of(const ConstMatrixView& m, std::size_t record) {
  return {m.data() + record * static_cast<std::size_t>(m.outerStride()),
          static_cast<std::size_t>(m.cols())};
}
inline View row_of(MatrixView& m, std::size_t record) {
  return {m.data() + record * static_cast<std::size_t>(m.outerStride()),
          static_cast<std::size_t>(m.cols())};
}

}  // namespace trilemma
