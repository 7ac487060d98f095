// The end of a residual block.

#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

// Returns the distance of the rows of `other` of which `rows` are left; 0 if there is none.
std::size_t stride_of(std::size_t rows, std::size_t other) {
  const std::size_t stride = (other + rows - 1) / rows;
  return (other + stride - 1) / stride == rows ? stride : 0;
}

// Calls visit(first value in a pixel of the sum, first value in the pixel of the other layer that
// is added to it) for all pixels; the channels in common lie one after the other.
template <class Visit>
void each_pixel(const MapShape& in, const MapShape& other, Visit&& visit) {
  const std::size_t stride = stride_of(in.height, other.height);
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

bool can_be_added(const MapShape& in, const MapShape& other) {
  const std::size_t stride = stride_of(in.height, other.height);
  const bool is_vector = in.pixels() == 1;
  return stride > 0 && stride == stride_of(in.width, other.width) &&
         other.channels <= in.channels && is_vector == (other.pixels() == 1);
}

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
