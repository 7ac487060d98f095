// The end of a residual block.

#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

// Calls visit(first value in a pixel of the sum, first value in the pixel of the other layer that
// is added to it) for all pixels; the channels in common lie one after the other.
template <class Visit>
void each_pixel(const MapShape& in, const MapShape& other, Visit&& visit) {
  const std::size_t stride = other.height / in.height;
  const std::size_t before = (in.channels - other.channels) / 2;
  for (std::size_t i = 0; i < in.height; ++i)
    for (std::size_t j = 0; j < in.width; ++j)
      visit((i * in.width + j) * in.channels + before,
            (i * other.width + j) * stride * other.channels);
}

class Addition final : public Layer {
 public:
  Addition(const MapShape& in, const MapShape& other, std::optional<Activation> activation)
      : Layer(in, in, activation), other_(other) {}

  void forward(const LayerInputs& in, ConstView, MatrixView out, MatrixView) override {
    out = in.values;
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r) {
      const ConstView from = row_of(in.other, r);
      const View to = row_of(out, r);
      each_pixel(this->in(), other_, [&](std::size_t at, std::size_t its) {
        for (std::size_t c = 0; c < other_.channels; ++c) to[at + c] += from[its + c];
      });
      if (activation()) activate(*activation(), to);
    }
  }

  void backward(const LayerInputs&, ConstView, const ConstMatrixView&,
                const ConstMatrixView& errors, MatrixView down) override {
    down = errors;
  }

 private:
  MapShape other_;
};

}  // namespace

std::unique_ptr<Layer> addition_layer(const MapShape& in, const MapShape& other,
                                      std::optional<Activation> activation) {
  return std::make_unique<Addition>(in, other, activation);
}

void add_to_other(const MapShape& in, const MapShape& other, const ConstMatrixView& errors,
                  MatrixView others) {
  for (std::size_t r = 0; r < static_cast<std::size_t>(errors.rows()); ++r) {
    const ConstView from = row_of(errors, r);
    const View to = row_of(others, r);
    each_pixel(in, other, [&](std::size_t at, std::size_t its) {
      for (std::size_t c = 0; c < other.channels; ++c) to[its + c] += from[at + c];
    });
  }
}

}  // namespace trilemma
