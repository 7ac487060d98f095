#include "problem/layers/layered.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problem/interfaces.hpp"
#include "problem/kernels/image_layer.hpp"
#include "problem/kernels/record_factors.hpp"
#include "problem/layers/augmentation.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

// Where the numbers of a layer lie: the start of its parameters in the model, and of its errors,
// outputs and kept values in the factors of a record.
struct Place {
  std::size_t parameters, errors, outputs, kept;
  std::optional<std::size_t> number;  ///< among the layers with weights
  bool has_non_negative_outputs;
};

template <class Values>
using MatrixOf = ViewOf<typename Values::element_type>;

bool has_non_negative_outputs(const Layer& layer, bool has_non_negative_inputs) {
  if (layer.activation()) return *layer.activation() != Activation::tanh;
  return has_non_negative_inputs && layer.passes_signs();
}

class Layered final : public DeepClassifier, public BatchNormalised {
 public:
  Layered(LayeredPlan plan, const DataShape& shape, WeightDecay decay, LowPrecision low)
      : DeepClassifier(static_cast<std::size_t>(shape.classes), decay, low),
        plan_(std::move(plan)),
        features_(shape.features) {
    for (const StackedLayer& stacked : plan_.layers) {
      const Layer& layer = *stacked.layer;
      const bool is_last = &stacked == &plan_.layers.back();
      Place place{
          dimension_,
          factors_,
          factors_ + layer.out().size(),
          0,
          {},
          has_non_negative_outputs(
              layer, !places_.empty() && places_[below(places_.size())].has_non_negative_outputs)};
      if (layer.weights() > 0) place.number = weighted_++;
      if (is_last) place.outputs = place.errors;  // replaced by the derivatives
      place.kept = place.outputs + layer.out().size();
      factors_ = place.kept + layer.kept();
      dimension_ += layer.parameters();
      normalised_ += layer.normalised_channels();
      places_.push_back(place);
    }
    expect(plan_.layers.back().layer->out().size() == classes_, "outputs of the last layer");
  }

  std::string description() const override {
    return fmt::format("{}, d = {}{}{}", plan_.description, dimension_, low_.text(), decay_.text());
  }
  StartLaw usual_start() const override { return plan_.start; }
  std::vector<StartLayer> start_layers() const override {
    std::vector<StartLayer> found;
    for (std::size_t s = 0; s < layers(); ++s)
      if (const auto start = layer(s).start(places_[s].parameters)) found.push_back(*start);
    return found;
  }
  double products() const override {
    double sum = 0;
    for (const StackedLayer& stacked : plan_.layers) sum += stacked.layer->products();
    return sum;
  }
  bool mixes_records() const override { return normalised_ > 0 || DeepClassifier::mixes_records(); }
  bool augments_records() const override { return plan_.augmentation.is_on(); }
  void check(const Dataset& data) const override {
    check_dense(data, features_, plan_.name);
    if (layer(0).vocabulary() > 0) check_tokens(std::get<DenseRows>(data.rows));
  }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    const auto& dense = std::get<DenseRows>(shard.rows);
    if (!reads_rows(dense)) {
      const bool changes = augments_records() && batch.coins;
      if (changes) batch.forget();
      if (!batch.gather(shard, rows)) return;
      if (changes) augment_all(batch, dense);
      if (plan_.planes > 1) interleave_all(batch);
      return;
    }
    batch.shard = &shard;
    batch.rows = rows;
    if (is_indexed(dense)) image_prefetch(dense, rows);
    for (const auto row : rows) shard.prefetch_facts(row);
  }

  void norms(const Batch& batch, ConstView factors, std::span<double> norm) override {
    const auto& length = batch.shard->row_norm;
    expect(length.size() == batch.shard->size(), "shard without row norms");
    if (norm.empty()) return;
    squares_.resize(norm.size());
    std::ranges::fill(norm, 0.0);
    for (std::size_t s = 0; s < layers(); ++s) {
      if (layer(s).needs_squares_of_inputs()) set_squares_of_inputs(batch, factors, s);
      layer(s).add_squares(inputs(batch, factors, norm.size(), s), kept(factors, norm.size(), s),
                           errors(factors, norm.size(), s), squares_, norm);
    }
    for (std::size_t r = 0; r < norm.size(); ++r) {
      // A square may overflow or underflow where the norm does not.
      const bool is_fine = norm[r] >= least_square && norm[r] <= std::numeric_limits<double>::max();
      norm[r] = is_fine ? std::sqrt(norm[r])
                        : careful_norm(length[batch.rows[r]], record(factors, r), norm[r]);
    }
  }

  // Those of convolutions take about as long as their gradients.
  bool has_cheap_norms() const override {
    for (std::size_t s = 0; s < layers(); ++s)
      if (layer(s).weights() > 0 && !layer(s).needs_squares_of_inputs()) return false;
    return true;
  }

  void scale(View record, double weight) const override {
    for (std::size_t s = 0; s < layers(); ++s)
      if (layer(s).parameters() > 0)
        multiply(record.subspan(places_[s].errors, layer(s).out().size()), weight);
  }

  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    accumulate_from(0, batch, factors, static_cast<real>(weight), sum);
  }

  void accumulate_at(const Batch& batch, ConstView factors, double weight, Coordinates at,
                     View sum) override {
    const std::size_t count = batch.rows.size();
    const real w = static_cast<real>(weight);
    const bool is_done =
        count > 0 && layer(0).accumulate_at(inputs(batch, factors, count, 0),
                                            errors(factors, count, 0), w, at, parameters(sum, 0));
    accumulate_from(is_done ? 1 : 0, batch, factors, w, sum);
  }

  const BatchNormalised* as_batch_normalised() const override {
    return normalised_ > 0 ? this : nullptr;
  }
  BatchNormalised* as_batch_normalised() override { return normalised_ > 0 ? this : nullptr; }
  std::size_t normalised_channels() const override { return normalised_; }
  std::size_t statistics_records() const override { return plan_.statistics_records; }

  void measure_statistics(const Batch& batch, ConstView x, std::span<double> found) override {
    measured_.resize(batch.rows.size() * factors_);
    forward(batch, x, measured_);
    std::size_t at = 0;
    for (std::size_t s = 0; s < layers(); ++s) {
      const std::size_t count = layer(s).normalised_channels();
      layer(s).write_statistics(found.subspan(at, count), found.subspan(normalised_ + at, count));
      at += count;
    }
  }

  void use_statistics(ConstView means_and_variances) override {
    std::size_t at = 0;
    for (std::size_t s = 0; s < layers(); ++s) {
      const std::size_t count = means_and_variances.empty() ? 0 : layer(s).normalised_channels();
      layer(s).use_statistics(means_and_variances.subspan(at, count),
                              means_and_variances.subspan(count > 0 ? normalised_ + at : 0, count));
      at += count;
    }
  }

 private:
  std::size_t layers() const { return plan_.layers.size(); }
  Layer& layer(std::size_t s) const { return *plan_.layers[s].layer; }
  // Returns the number of the layer that feeds layer s > 0.
  std::size_t below(std::size_t s) const { return plan_.layers[s].from.value_or(s - 1); }

  // Bytes with an index of nonzeros, which a dense first layer reads as they are.
  bool is_indexed(const DenseRows& rows) const {
    return !rows.nonzeros.start.empty() && layer(0).reads_indexed_images();
  }

  // Rows which the first layer reads as they are.
  bool reads_rows(const DenseRows& rows) const {
    return layer(0).vocabulary() > 0 || is_indexed(rows);
  }

  void check_tokens(const DenseRows& rows) const {
    const auto check = [&](auto value) {
      const auto number = static_cast<double>(value);
      const auto last = static_cast<double>(layer(0).vocabulary() - 1);
      require(number >= 0 && number <= last && number == std::floor(number),
              "problem.layers: a record has the feature {:g}, and the tokens of the embedding are "
              "whole numbers from 0 to {:g}; give it more tokens, or choose data.scaling = "
              "\"none\"",
              number, last);
    };
    std::ranges::for_each(rows.byte, check);
    std::ranges::for_each(rows.value, check);
  }

  // A black pixel moves in from the edge.
  void augment_all(Batch& batch, const DenseRows& images) {
    const std::size_t size = plan_.side * plan_.side;
    const ImagePlanes shape{plan_.side, features_ / size};
    black_.clear();
    for (std::size_t p = 0; p < shape.planes; ++p) black_.push_back(images.black(p * size));
    for (std::size_t r = 0; r < batch.rows.size(); ++r)
      augment(plan_.augmentation, shape, black_, *batch.coins, batch.rows[r],
              View(batch.dense).subspan(r * features_, features_));
    batch.forget();
  }

  void interleave_all(Batch& batch) {
    for (std::size_t r = 0; r < batch.rows.size(); ++r)
      interleave(plan_.planes, View(batch.dense).subspan(r * features_, features_), pixels_);
  }

  // Return columns of the matrix of factors.
  template <class Values>
  MatrixOf<Values> columns(Values factors, std::size_t count, std::size_t first,
                           std::size_t size) const {
    return matrix(factors.data() + first, count, size, factors_);
  }
  template <class Values>
  MatrixOf<Values> errors(Values factors, std::size_t count, std::size_t s) const {
    return columns(factors, count, places_[s].errors, layer(s).out().size());
  }
  template <class Values>
  MatrixOf<Values> outputs(Values factors, std::size_t count, std::size_t s) const {
    return columns(factors, count, places_[s].outputs, layer(s).out().size());
  }
  template <class Values>
  MatrixOf<Values> kept(Values factors, std::size_t count, std::size_t s) const {
    return columns(factors, count, places_[s].kept, layer(s).kept());
  }
  template <class Values>
  Values parameters(Values x, std::size_t s) const {
    return x.subspan(places_[s].parameters, layer(s).parameters());
  }

  // Returns the parameters with which a layer computes.
  ConstView seen_parameters(ConstView x, std::size_t s) {
    const ConstView all = parameters(x, s);
    const auto number = places_[s].number;
    if (!number || !low_.covers(*number, weighted_)) return all;
    const std::size_t rounded = layer(s).weights();
    const ConstMatrixView low =
        seen(*number, weighted_, matrix(all.data(), 1, rounded, rounded), false, low_weights_);
    low_parameters_.assign(all.begin(), all.end());
    std::copy_n(low.data(), rounded, low_parameters_.begin());
    return low_parameters_;
  }

  LayerInputs inputs(const Batch& batch, ConstView factors, std::size_t count, std::size_t s) {
    if (s > 0) return inputs_above(factors, count, s);
    const ConstMatrixView none = matrix(factors.data(), 0, 0, 0);
    const auto& rows = std::get<DenseRows>(batch.shard->rows);
    if (reads_rows(rows)) return {none, none, &rows, batch.rows};
    return {matrix(ConstView(batch.dense).data(), count, features_, features_), none};
  }
  // Returns the inputs of layer s > 0.
  LayerInputs inputs_above(ConstView factors, std::size_t count, std::size_t s) {
    const ConstMatrixView none = matrix(factors.data(), 0, 0, 0);
    const auto number = places_[s].number;
    const ConstMatrixView values = outputs(factors, count, below(s));
    if (number && low_.covers(*number, weighted_))
      return {
          seen(*number, weighted_, values, places_[below(s)].has_non_negative_outputs, low_inputs_),
          none};
    if (const auto other = plan_.layers[s].other) return {values, outputs(factors, count, *other)};
    return {values, none};
  }

  void set_squares_of_inputs(const Batch& batch, ConstView factors, std::size_t s) {
    if (s > 0)
      return squares_of_rows(factors.data() + places_[below(s)].outputs, factors_,
                             layer(s).in().size(), squares_);
    for (std::size_t r = 0; r < squares_.size(); ++r) {
      const double length = batch.shard->row_norm[batch.rows[r]];
      squares_[r] = length * length;
    }
  }

  // Returns the norm of a record whose square is out of range, from those of its layers; the square
  // decides if there are layers of other kinds.
  double careful_norm(double length, ConstView row, double square) const {
    const auto part = [&](std::size_t first, std::size_t s) {
      return row.subspan(first, layer(s).out().size());
    };
    double norm = 0;
    for (std::size_t s = 0; s < layers(); ++s) {
      if (layer(s).parameters() > 0 && !layer(s).needs_squares_of_inputs())
        return std::sqrt(square);
      if (s > 0) length = std::sqrt(norm_squared(part(places_[below(s)].outputs, below(s))));
      norm = std::hypot(norm, layer(s).norm(length, part(places_[s].errors, s)));
    }
    return norm;
  }

  void accumulate_from(std::size_t first, const Batch& batch, ConstView factors, real weight,
                       View sum) {
    const std::size_t count = batch.rows.size();
    if (count == 0) return;
    for (std::size_t s = first; s < layers(); ++s)
      if (layer(s).parameters() > 0)
        layer(s).accumulate(inputs(batch, factors, count, s), kept(factors, count, s),
                            errors(factors, count, s), weight, parameters(sum, s));
  }

  void forward(const Batch& batch, ConstView x, View factors) override {
    const std::size_t count = batch.rows.size();
    for (std::size_t s = 0; s < layers(); ++s)
      layer(s).forward(inputs(batch, factors, count, s), seen_parameters(x, s),
                       outputs(factors, count, s), kept(factors, count, s));
  }

  // Computes the errors of all layers from those of the last one.
  void backward(ConstView x, View factors, std::size_t count) override {
    has_errors_.assign(layers(), false);
    for (std::size_t s = layers() - 1;; --s) {
      pass_activation(factors, count, s);
      if (const auto number = places_[s].number)
        round_derivatives(*number, weighted_, errors(factors, count, s));
      if (s == 0) return;
      descend(x, factors, count, s);
    }
  }

  void pass_activation(View factors, std::size_t count, std::size_t s) {
    if (!layer(s).activation()) return;
    const std::size_t size = layer(s).out().size();
    for (std::size_t r = 0; r < count; ++r) {
      const View row = record(factors, r);
      chain(*layer(s).activation(), row.subspan(places_[s].errors, size),
            row.subspan(places_[s].outputs, size));
    }
  }

  // Passes the errors of layer s > 0 on to the layers that feed it.
  void descend(ConstView x, View factors, std::size_t count, std::size_t s) {
    const auto own = errors(ConstView(factors), count, s);
    const std::size_t feeding = below(s);
    const ConstMatrixView none = matrix(ConstView(factors).data(), 0, 0, 0);
    // Products pass derivatives on without the values of the inputs.
    const LayerInputs in =
        layer(s).weights() > 0 ? LayerInputs{none, none} : inputs_above(factors, count, s);
    const auto values = kept(ConstView(factors), count, s);
    if (has_errors_[feeding]) {
      const std::size_t size = layer(feeding).out().size();
      down_.resize(count * size);
      const MatrixView more = matrix(down_.data(), count, size, size);
      layer(s).backward(in, seen_parameters(x, s), values, own, more);
      errors(factors, count, feeding) += more;
    } else {
      layer(s).backward(in, seen_parameters(x, s), values, own, errors(factors, count, feeding));
      has_errors_[feeding] = true;
    }
    const auto other = plan_.layers[s].other;
    if (!other) return;
    MatrixView others = errors(factors, count, *other);
    if (!has_errors_[*other]) others.setZero();
    has_errors_[*other] = true;
    add_to_other(layer(s).in(), layer(*other).out(), own, others);
  }

  LayeredPlan plan_;
  std::size_t features_;
  std::vector<Place> places_;
  std::size_t weighted_ = 0;    ///< number of layers with weights
  std::size_t normalised_ = 0;  ///< number of channels that are normalised over the batch
  // Scratch.
  std::vector<bool> has_errors_;
  std::vector<double> squares_;
  Vector low_weights_, low_inputs_, low_parameters_, down_, pixels_, black_, measured_;
};

}  // namespace

std::unique_ptr<Problem> make_layered(LayeredPlan plan, const DataShape& shape, WeightDecay decay,
                                      LowPrecision low) {
  return std::make_unique<Layered>(std::move(plan), shape, decay, low);
}

}  // namespace trilemma
