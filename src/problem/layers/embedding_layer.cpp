// Embedding: output p of a record is row token_p of E (vocabulary x dimension), which x holds
// row-major. The gradient of a record adds the derivatives of all positions with a token to its
// row.

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "numeric/lanes.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

class Embedding final : public Layer {
 public:
  Embedding(std::size_t length, std::size_t vocabulary, std::size_t dimension,
            std::optional<Activation> activation)
      : Layer({1, 1, length}, {length, 1, dimension}, activation), vocabulary_(vocabulary) {}

  std::size_t parameters() const override { return vocabulary_ * dimension(); }
  std::size_t vocabulary() const override { return vocabulary_; }
  std::optional<StartLayer> start(std::size_t first) const override {
    return StartLayer{.first = first,
                      .fan_in = vocabulary_,
                      .fan_out = dimension(),
                      .outputs = dimension(),
                      .is_rectified = activation() == Activation::relu,
                      .has_biases = false,
                      .is_lookup = true};
  }

  void forward(const LayerInputs& in, ConstView parameters, MatrixView out, MatrixView) override {
    for (std::size_t r = 0; r < in.rows.size(); ++r) {
      read_tokens(in, r);
      const View to = row_of(out, r);
      for (std::size_t p = 0; p < length(); ++p)
        std::ranges::copy(parameters.subspan(token_[p] * dimension(), dimension()),
                          to.subspan(p * dimension()).begin());
      if (activation()) activate(*activation(), to);
    }
  }

  void backward(const LayerInputs&, ConstView, const ConstMatrixView&, const ConstMatrixView&,
                MatrixView) override {
    expect(false, "derivatives with respect to tokens");
  }

  void add_squares(const LayerInputs& in, const ConstMatrixView&, const ConstMatrixView& errors,
                   std::span<const double>, std::span<double> squares) override {
    place_.resize(length());
    for (std::size_t r = 0; r < squares.size(); ++r) {
      read_tokens(in, r);
      const ConstView e = row_of(errors, r);
      std::iota(place_.begin(), place_.end(), std::size_t{0});
      std::ranges::stable_sort(place_, {}, [&](std::size_t p) { return token_[p]; });
      for (std::size_t p = 0; p < length();) {
        const std::size_t token = token_[place_[p]];
        sum_.assign(dimension(), 0.0);
        for (; p < length() && token_[place_[p]] == token; ++p)
          for (std::size_t c = 0; c < dimension(); ++c)
            sum_[c] += static_cast<double>(e[place_[p] * dimension() + c]);
        squares[r] += norm_squared(std::span<const double>(sum_));
      }
    }
  }

  void accumulate(const LayerInputs& in, const ConstMatrixView&, const ConstMatrixView& errors,
                  real weight, View sum) override {
    for (std::size_t r = 0; r < in.rows.size(); ++r) {
      read_tokens(in, r);
      const ConstView e = row_of(errors, r);
      for (std::size_t p = 0; p < length(); ++p)
        for (std::size_t c = 0; c < dimension(); ++c)
          sum[token_[p] * dimension() + c] += weight * e[p * dimension() + c];
    }
  }

 private:
  std::size_t length() const { return out().pixels(); }
  std::size_t dimension() const { return out().channels; }

  // Bytes are tokens as they are, whatever their scale as features.
  void read_tokens(const LayerInputs& in, std::size_t record) {
    token_.resize(length());
    const std::size_t first = in.rows[record] * length();
    const DenseRows& rows = *in.images;
    for (std::size_t p = 0; p < length(); ++p) {
      token_[p] = rows.byte.empty() ? static_cast<std::size_t>(rows.value[first + p])
                                    : std::size_t{rows.byte[first + p]};
      expect(token_[p] < vocabulary_, "a token of the vocabulary");
    }
  }

  std::size_t vocabulary_;
  // Scratch.
  std::vector<std::size_t> token_, place_;
  std::vector<double> sum_;
};

}  // namespace

std::unique_ptr<Layer> embedding_layer(std::size_t length, std::size_t vocabulary,
                                       std::size_t dimension,
                                       std::optional<Activation> activation) {
  return std::make_unique<Embedding>(length, vocabulary, dimension, activation);
}

}  // namespace trilemma
