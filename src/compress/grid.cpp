#include <cmath>

#include "compress/quantiser.hpp"

namespace trilemma {
namespace {

struct GridOptions {
  double step = 0.001;
  void read(Reader& r) {
    r("step", step, positive(), "h, distance of neighbouring values of the grid");
  }
};

// Grid: rounds every coordinate at random to one of the two adjacent multiples of h, without bias.
// The variance is at most h^2 / 4 per coordinate, an absolute bound.
class Grid final : public Compressor {
 public:
  Grid(std::size_t dimension, double step, ValueFormat format)
      : layout_{.dimension = dimension,
                .count = dimension,
                .levels = most_levels,
                .level = LevelCode::gamma,
                .value = format},
        step_(static_cast<float>(step)) {}

  std::string label() const override { return "grid"; }
  std::string description() const override {
    return fmt::format("grid, multiples of {:g}, messages of any size", step_);
  }
  CompressorTraits traits() const override {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {.unbiased = true, .omega = none, .gain = none};
  }
  Layout layout() const override { return layout_; }

  void compress(ConstView z, const Key& key, Message& out) override {
    rounding_words(key, z.size(), words_);
    out.level.resize(z.size());
    const double steps = 1.0 / static_cast<double>(step_);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double x = static_cast<double>(z[i]) * steps;
      const double below = std::floor(x);
      const double level =
          below + (static_cast<double>(words_[i]) * 0x1p-32 < x - below ? 1.0 : 0.0);
      if (!(std::abs(level) <= most_levels))
        throw RunFailure(
            fmt::format("compressor grid: a value of {:g} does not fit {} steps of {:g}; raise "
                        "compressor.step, or lower the step sizes if the run diverges",
                        z[i], most_levels, step_));
      out.level[i] = static_cast<std::int32_t>(level);
    }
  }
  SparseView expand(const Message& message) override {
    values_.resize(message.level.size());
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = static_cast<real>(step_ * static_cast<float>(message.level[i]));
    return {Support::all(), values_};
  }

 private:
  static constexpr std::uint32_t most_levels = 1U << 24U;
  Layout layout_;
  float step_;
  std::vector<std::uint32_t> words_;
  Vector values_;
};

std::unique_ptr<Compressor> make_grid(const GridOptions& options, std::size_t dimension,
                                      ValueFormat format) {
  return std::make_unique<Grid>(dimension, options.step, format);
}

}  // namespace

Row<CompressorMaker> grid_compressor() {
  return part_with_settings(
      "grid", "random rounding to multiples of a step; unbiased, an absolute bound", make_grid);
}

}  // namespace trilemma
