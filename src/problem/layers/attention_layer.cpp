// Causal attention: for each head A = softmax(Q K^T / sqrt(width)) over earlier pixels and the own
// one, H = A V. The inputs of a pixel are its queries, keys and values, each for one head after the
// other. It keeps nothing: backward() computes A again, which takes less memory than A of all
// records.

#include <cmath>

#include "problem/kernels/elementwise.hpp"
#include "problem/kernels/product.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

// Part of the inputs of a pixel.
enum Third : std::size_t { queries, keys, values };

class Attention final : public Layer {
 public:
  Attention(const MapShape& in, std::size_t heads)
      : Layer(in, {in.height, in.width, in.channels / 3}, {}),
        heads_(heads),
        shares_(length() * length()),
        slopes_(length() * length()) {}

  double products() const override {  // scores, and their products with the values
    return 2.0 * static_cast<double>(length() * length() * out().channels);
  }
  void forward(const LayerInputs& in, ConstView, MatrixView out, MatrixView) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r)
      for (std::size_t head = 0; head < heads_; ++head) {
        set_shares(in.row(r), head);
        product(square(ConstView(shares_)), third(in.row(r), values, head),
                of_head(row_of(out, r), head));
      }
  }

  // With e the derivatives with respect to H: V receives A^T e, and the scores s = Q K^T / sqrt(w)
  // receive A (e V^T - d), d the sum of a row of A e V^T.
  void backward(const LayerInputs& in, ConstView, const ConstMatrixView&,
                const ConstMatrixView& errors, MatrixView down) override {
    down.setZero();
    for (std::size_t r = 0; r < static_cast<std::size_t>(down.rows()); ++r)
      for (std::size_t head = 0; head < heads_; ++head) {
        const ConstView z = in.row(r);
        const View to = row_of(down, r);
        const ConstMatrixView e = of_head(row_of(errors, r), head);
        set_shares(z, head);
        add_transpose_product(1, square(ConstView(shares_)), e, third(to, values, head));
        product_with_transpose(e, third(z, values, head), square(View(slopes_)));
        set_slopes();
        product(square(ConstView(slopes_)), third(z, keys, head), third(to, queries, head));
        add_transpose_product(1, square(ConstView(slopes_)), third(z, queries, head),
                              third(to, keys, head));
      }
  }

 private:
  template <class Values>
  using MatrixOf = ViewOf<typename Values::element_type>;

  std::size_t length() const { return in().pixels(); }
  std::size_t width() const { return out().channels / heads_; }  // of a head
  real scale() const { return real{1} / std::sqrt(static_cast<real>(width())); }

  template <class Values>
  MatrixOf<Values> square(Values pairs) const {
    return matrix(pairs.data(), length(), length(), length());
  }
  template <class Values>
  MatrixOf<Values> third(Values record, Third which, std::size_t head) const {
    return matrix(record.data() + which * out().channels + head * width(), length(), width(),
                  in().channels);
  }
  template <class Values>
  MatrixOf<Values> of_head(Values record, std::size_t head) const {
    return matrix(record.data() + head * width(), length(), width(), out().channels);
  }
  View row(Vector& pairs, std::size_t p) const {
    return View(pairs).subspan(p * length(), length());
  }

  // Sets the shares A.
  void set_shares(ConstView record, std::size_t head) {
    product_with_transpose(third(record, queries, head), third(record, keys, head),
                           square(View(shares_)));
    for (std::size_t p = 0; p < length(); ++p) {
      const View seen = row(shares_, p).first(p + 1);
      for (real& score : seen) score *= scale();
      softmax(seen);
      for (real& later : row(shares_, p).subspan(p + 1)) later = 0;
    }
  }

  // Replaces the derivatives with respect to A by those with respect to Q K^T.
  void set_slopes() {
    for (std::size_t p = 0; p < length(); ++p) {
      const View slopes = row(slopes_, p);
      const View shares = row(shares_, p);
      double sum = 0;
      for (std::size_t q = 0; q <= p; ++q)
        sum += static_cast<double>(slopes[q]) * static_cast<double>(shares[q]);
      const real mean = static_cast<real>(sum);
      for (std::size_t q = 0; q <= p; ++q) slopes[q] = scale() * shares[q] * (slopes[q] - mean);
      for (real& later : slopes.subspan(p + 1)) later = 0;
    }
  }

  std::size_t heads_;
  Vector shares_, slopes_;  ///< scratch
};

}  // namespace

std::unique_ptr<Layer> attention_layer(const MapShape& in, std::size_t heads) {
  return std::make_unique<Attention>(in, heads);
}

}  // namespace trilemma
