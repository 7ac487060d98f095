// Group and layer normalisation: n = (z - mean) / sqrt(variance + 1e-5) over each group of values
// of a record, h = scale n + shift by channel. x holds the scales, then the shifts. A group is a
// number of neighbouring channels of all pixels, or all channels of one pixel. kept is the mean and
// the factor 1 / sqrt(variance + 1e-5) of each group.

#include <cmath>

#include "problem/kernels/channels.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

class Norm final : public Layer {
 public:
  // Each of `areas` areas of neighbouring pixels has `groups` groups of channels.
  Norm(const MapShape& in, std::size_t areas, std::size_t groups,
       std::optional<Activation> activation)
      : Layer(in, in, activation), areas_(areas), groups_(groups) {}

  std::size_t parameters() const override { return 2 * channels(); }
  std::size_t kept() const override { return 2 * areas_ * groups_; }
  std::optional<StartLayer> start(std::size_t first) const override {
    return scales_and_shifts(first, channels());
  }

  void forward(const LayerInputs& in, ConstView parameters, MatrixView out,
               MatrixView kept) override {
    const ConstView scale = parameters.first(channels());
    const ConstView shift = parameters.subspan(channels());
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r) {
      const View h = row_of(out, r);
      const View facts = row_of(kept, r);
      for (std::size_t a = 0; a < areas_; ++a) {
        const ConstView z = area(in.row(r), a);
        measure(z, facts.subspan(2 * a * groups_));
        spread_facts(facts.subspan(2 * a * groups_));
        normalise_channels(z, {mean_, factor_}, scale, shift, area(h, a));
      }
      if (activation()) activate(*activation(), h);
    }
  }

  // With m(.) the mean over a group: factor (scale e - m(scale e) - n m(scale e n)).
  void backward(const LayerInputs& in, ConstView parameters, const ConstMatrixView& kept,
                const ConstMatrixView& errors, MatrixView down) override {
    const ConstView scale = parameters.first(channels());
    const double size = static_cast<double>(in_group());
    for (std::size_t r = 0; r < static_cast<std::size_t>(down.rows()); ++r)
      for (std::size_t a = 0; a < areas_; ++a) {
        const ConstView z = area(in.row(r), a);
        const ConstView e = area(row_of(errors, r), a);
        sum_area(z, e, row_of(kept, r).subspan(2 * a * groups_));
        by_shift_.resize(channels());
        by_scale_.resize(channels());
        for (std::size_t g = 0; g < groups_; ++g) {
          double of_errors = 0;
          double of_products = 0;
          for (std::size_t c = g * width(); c < (g + 1) * width(); ++c) {
            of_errors += static_cast<double>(scale[c]) * shifts_[c];
            of_products += static_cast<double>(scale[c]) * scales_[c];
          }
          for (std::size_t c = g * width(); c < (g + 1) * width(); ++c) {
            by_shift_[c] = static_cast<real>(of_errors / size);
            by_scale_[c] = static_cast<real>(of_products / size);
          }
        }
        pass_errors(z, e, {mean_, factor_}, {factor_, scale, by_shift_, by_scale_},
                    area(row_of(down, r), a));
      }
  }

  void add_squares(const LayerInputs& in, const ConstMatrixView& kept,
                   const ConstMatrixView& errors, std::span<const double>,
                   std::span<double> squares) override {
    for (std::size_t r = 0; r < squares.size(); ++r) {
      sum_record(in.row(r), row_of(errors, r), row_of(kept, r));
      for (std::size_t c = 0; c < channels(); ++c)
        squares[r] += all_scales_[c] * all_scales_[c] + all_shifts_[c] * all_shifts_[c];
    }
  }

  void accumulate(const LayerInputs& in, const ConstMatrixView& kept, const ConstMatrixView& errors,
                  real weight, View sum) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(errors.rows()); ++r) {
      sum_record(in.row(r), row_of(errors, r), row_of(kept, r));
      for (std::size_t c = 0; c < channels(); ++c) {
        sum[c] += weight * static_cast<real>(all_scales_[c]);
        sum[channels() + c] += weight * static_cast<real>(all_shifts_[c]);
      }
    }
  }

 private:
  std::size_t channels() const { return in().channels; }
  std::size_t width() const { return channels() / groups_; }  // of a group, in channels
  std::size_t in_group() const { return in().pixels() / areas_ * width(); }
  template <class Values>
  Values area(Values record, std::size_t number) const {
    const std::size_t size = in().size() / areas_;
    return record.subspan(number * size, size);
  }

  // Writes the mean and the factor of each group. Sums run in double.
  void measure(ConstView z, View facts) {
    const double size = static_cast<double>(in_group());
    shifts_.assign(channels(), 0.0);
    add_channels(z, shifts_);
    means_.resize(channels());
    for (std::size_t g = 0; g < groups_; ++g) {
      double sum = 0;
      for (std::size_t c = g * width(); c < (g + 1) * width(); ++c) sum += shifts_[c];
      for (std::size_t c = g * width(); c < (g + 1) * width(); ++c) means_[c] = sum / size;
    }
    scales_.assign(channels(), 0.0);
    add_squared_differences(z, means_, scales_);
    for (std::size_t g = 0; g < groups_; ++g) {
      double sum = 0;
      for (std::size_t c = g * width(); c < (g + 1) * width(); ++c) sum += scales_[c];
      facts[2 * g] = static_cast<real>(means_[g * width()]);
      facts[2 * g + 1] = static_cast<real>(1 / std::sqrt(sum / size + least_variance));
    }
  }

  // Stores the facts of each channel's group.
  void spread_facts(ConstView facts) {
    mean_.resize(channels());
    factor_.resize(channels());
    for (std::size_t c = 0; c < channels(); ++c) {
      mean_[c] = facts[2 * (c / width())];
      factor_[c] = facts[2 * (c / width()) + 1];
    }
  }

  // Sums e, and e n, over the pixels of an area, for each channel.
  void sum_area(ConstView z, ConstView e, ConstView facts) {
    spread_facts(facts);
    shifts_.assign(channels(), 0.0);
    scales_.assign(channels(), 0.0);
    add_error_sums(z, e, {mean_, factor_}, shifts_, scales_);
  }
  void sum_record(ConstView z, ConstView e, ConstView facts) {
    all_shifts_.assign(channels(), 0.0);
    all_scales_.assign(channels(), 0.0);
    for (std::size_t a = 0; a < areas_; ++a) {
      sum_area(area(z, a), area(e, a), facts.subspan(2 * a * groups_));
      for (std::size_t c = 0; c < channels(); ++c) {
        all_shifts_[c] += shifts_[c];
        all_scales_[c] += scales_[c];
      }
    }
  }

  std::size_t areas_, groups_;
  // Scratch, by channel.
  Vector mean_, factor_, by_shift_, by_scale_;
  std::vector<double> means_, shifts_, scales_, all_shifts_, all_scales_;
};

}  // namespace

std::unique_ptr<Layer> group_norm_layer(const MapShape& in, std::size_t groups,
                                        std::optional<Activation> activation) {
  return std::make_unique<Norm>(in, 1, groups, activation);
}

std::unique_ptr<Layer> layer_norm_layer(const MapShape& in, std::optional<Activation> activation) {
  return std::make_unique<Norm>(in, in.pixels(), 1, activation);
}

}  // namespace trilemma
