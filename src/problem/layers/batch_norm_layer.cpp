// Batch normalisation (Ioffe and Szegedy 2015): n = (z - mean) / sqrt(variance + 1e-5) for each
// channel over the pixels of all records of a batch, h = scale n + shift. x holds the scales, then
// the shifts. Each record keeps the means and the factors 1 / sqrt(variance + 1e-5) of its batch.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "problem/kernels/channels.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

class BatchNorm final : public Layer {
 public:
  BatchNorm(const MapShape& in, std::optional<Activation> activation)
      : Layer(in, in, activation), mean_(channels()), variance_(channels()) {}

  std::size_t parameters() const override { return 2 * channels(); }
  std::size_t kept() const override { return 2 * channels(); }
  std::optional<StartLayer> start(std::size_t first) const override {
    return scales_and_shifts(first, channels());
  }

  std::size_t normalised_channels() const override { return channels(); }
  void write_statistics(std::span<double> means, std::span<double> squares) const override {
    for (std::size_t c = 0; c < channels(); ++c) {
      means[c] = mean_[c];
      squares[c] = mean_[c] * mean_[c] + variance_[c];
    }
  }
  void use_statistics(ConstView means, ConstView variances) override {
    is_fixed_ = !means.empty();
    if (!is_fixed_) return;
    mean_.assign(means.begin(), means.end());
    variance_.assign(variances.begin(), variances.end());
  }

  void forward(const LayerInputs& in, ConstView parameters, MatrixView out,
               MatrixView kept) override {
    if (!is_fixed_) measure(in, static_cast<std::size_t>(out.rows()));
    facts_.resize(2 * channels());
    for (std::size_t c = 0; c < channels(); ++c) {
      facts_[c] = static_cast<real>(mean_[c]);
      facts_[channels() + c] = static_cast<real>(1 / std::sqrt(variance_[c] + least_variance));
    }
    const ConstView scale = parameters.first(channels());
    const ConstView shift = parameters.subspan(channels());
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r) {
      const View facts = row_of(kept, r);
      std::ranges::copy(facts_, facts.begin());
      const View h = row_of(out, r);
      normalise_channels(in.row(r), norm_of(facts), scale, shift, h);
      if (activation()) activate(*activation(), h);
    }
  }

  // With m(.) the mean over the batch: factor scale (e - m(e) - n m(e n)).
  void backward(const LayerInputs& in, ConstView parameters, const ConstMatrixView& kept,
                const ConstMatrixView& errors, MatrixView down) override {
    sum_batch(in, kept, errors);
    const auto records = static_cast<std::size_t>(down.rows());
    const double size = static_cast<double>(records * in_pixels());
    ones_.assign(channels(), real{1});
    front_.resize(channels());
    by_shift_.resize(channels());
    by_scale_.resize(channels());
    for (std::size_t c = 0; c < channels(); ++c) {
      by_shift_[c] = static_cast<real>(of_shift_[c] / size);
      by_scale_[c] = static_cast<real>(of_scale_[c] / size);
    }
    for (std::size_t r = 0; r < records; ++r) {
      const ChannelNorm norm = norm_of(row_of(kept, r));
      for (std::size_t c = 0; c < channels(); ++c) front_[c] = norm.factor[c] * parameters[c];
      pass_errors(in.row(r), row_of(errors, r), norm, {front_, ones_, by_shift_, by_scale_},
                  row_of(down, r));
    }
  }

  void add_squares(const LayerInputs&, const ConstMatrixView&, const ConstMatrixView&,
                   std::span<const double>, std::span<double>) override {
    throw std::logic_error("norm of the gradient of one record under batch normalisation");
  }

  void accumulate(const LayerInputs& in, const ConstMatrixView& kept, const ConstMatrixView& errors,
                  real weight, View sum) override {
    sum_batch(in, kept, errors);
    for (std::size_t c = 0; c < channels(); ++c) {
      sum[c] += weight * static_cast<real>(of_scale_[c]);
      sum[channels() + c] += weight * static_cast<real>(of_shift_[c]);
    }
  }

 private:
  std::size_t channels() const { return in().channels; }
  std::size_t in_pixels() const { return in().pixels(); }
  ChannelNorm norm_of(ConstView facts) const {
    return {facts.first(channels()), facts.subspan(channels(), channels())};
  }

  // Sets the mean and the variance of each channel over the batch. Sums run in double.
  void measure(const LayerInputs& in, std::size_t records) {
    const double size = static_cast<double>(records * in_pixels());
    mean_.assign(channels(), 0.0);
    variance_.assign(channels(), 0.0);
    for (std::size_t r = 0; r < records; ++r) add_channels(in.row(r), mean_);
    for (double& mean : mean_) mean /= size;
    for (std::size_t r = 0; r < records; ++r) add_squared_differences(in.row(r), mean_, variance_);
    for (double& variance : variance_) variance /= size;
  }

  // Sums e, and e n, over the batch, for each channel.
  void sum_batch(const LayerInputs& in, const ConstMatrixView& kept,
                 const ConstMatrixView& errors) {
    of_shift_.assign(channels(), 0.0);
    of_scale_.assign(channels(), 0.0);
    for (std::size_t r = 0; r < static_cast<std::size_t>(errors.rows()); ++r)
      add_error_sums(in.row(r), row_of(errors, r), norm_of(row_of(kept, r)), of_shift_, of_scale_);
  }

  // By channel: what the last forward() has used, and sums for derivatives.
  std::vector<double> mean_, variance_, of_shift_, of_scale_;
  Vector facts_;  ///< means and factors
  Vector ones_, front_, by_shift_, by_scale_;
  bool is_fixed_ = false;  ///< means and variances are those of use_statistics()
};

}  // namespace

std::unique_ptr<Layer> batch_norm_layer(const MapShape& in, std::optional<Activation> activation) {
  return std::make_unique<BatchNorm>(in, activation);
}

}  // namespace trilemma
