// Pooling: the largest, or the mean value of a window of each channel.

#include "problem/kernels/channels.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

MapShape pooled(const MapShape& in, const PoolingWindow& w) {
  return {(in.height - w.height) / w.stride + 1, (in.width - w.width) / w.stride + 1, in.channels};
}

// Calls visit(first value of the outputs' pixel, first value of one of its inputs' pixels, number
// of that pixel in the window) for all of them.
template <class Visit>
void each_pixel(const MapShape& in, const MapShape& out, const PoolingWindow& w, Visit&& visit) {
  for (std::size_t i = 0; i < out.height; ++i)
    for (std::size_t j = 0; j < out.width; ++j)
      for (std::size_t k = 0; k < w.height * w.width; ++k) {
        const std::size_t row = i * w.stride + k / w.width;
        const std::size_t column = j * w.stride + k % w.width;
        visit((i * out.width + j) * in.channels, (row * in.width + column) * in.channels, k);
      }
}

class Pooling : public Layer {
 public:
  Pooling(const MapShape& in, const PoolingWindow& window, std::optional<Activation> activation)
      : Layer(in, pooled(in, window), activation), window_(window) {}

  bool passes_signs() const override { return true; }

 protected:
  template <class Visit>
  void each(Visit&& visit) const {
    each_pixel(in(), out(), window_, visit);
  }
  PoolingWindow window_;
};

// Keeps the position of each largest value in its window, the first of equal ones. The largest of
// values with a NaN is NaN.
class MaxPooling final : public Pooling {
 public:
  using Pooling::Pooling;
  std::size_t kept() const override { return out().size(); }

  void forward(const LayerInputs& in, ConstView, MatrixView out, MatrixView kept) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r) {
      const View to = row_of(out, r);
      largest_of_windows(windows(), in.row(r), to, row_of(kept, r));
      if (activation()) activate(*activation(), to);
    }
  }

  void backward(const LayerInputs&, ConstView, const ConstMatrixView& kept,
                const ConstMatrixView& errors, MatrixView down) override {
    down.setZero();
    for (std::size_t r = 0; r < static_cast<std::size_t>(down.rows()); ++r)
      add_to_largest(windows(), row_of(errors, r), row_of(kept, r), row_of(down, r));
  }

 private:
  MapWindows windows() const {
    return {in().width,     in().channels, out().height,  out().width,
            window_.height, window_.width, window_.stride};
  }
};

class MeanPooling final : public Pooling {
 public:
  using Pooling::Pooling;

  void forward(const LayerInputs& in, ConstView, MatrixView out, MatrixView) override {
    out.setZero();
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r) {
      const ConstView from = in.row(r);
      const View to = row_of(out, r);
      each([&](std::size_t at, std::size_t below, std::size_t) {
        for (std::size_t c = 0; c < this->in().channels; ++c) to[at + c] += from[below + c];
      });
      for (real& value : to) value *= share();
      if (activation()) activate(*activation(), to);
    }
  }

  void backward(const LayerInputs&, ConstView, const ConstMatrixView&,
                const ConstMatrixView& errors, MatrixView down) override {
    down.setZero();
    for (std::size_t r = 0; r < static_cast<std::size_t>(down.rows()); ++r) {
      const ConstView e = row_of(errors, r);
      const View to = row_of(down, r);
      each([&](std::size_t at, std::size_t below, std::size_t) {
        for (std::size_t c = 0; c < in().channels; ++c) to[below + c] += share() * e[at + c];
      });
    }
  }

 private:
  real share() const { return real{1} / static_cast<real>(window_.height * window_.width); }
};

}  // namespace

std::unique_ptr<Layer> max_pooling_layer(const MapShape& in, const PoolingWindow& window,
                                         std::optional<Activation> activation) {
  return std::make_unique<MaxPooling>(in, window, activation);
}

std::unique_ptr<Layer> mean_pooling_layer(const MapShape& in, const PoolingWindow& window,
                                          std::optional<Activation> activation) {
  return std::make_unique<MeanPooling>(in, window, activation);
}

}  // namespace trilemma
