#include <cmath>

#include "compress/quantiser.hpp"

namespace trilemma {
namespace {

// TernGrad (Wen et al. 2017): with the largest magnitude M in a bucket, z becomes M sign(z) with
// probability |z| / M and 0 otherwise; five levels per byte. E||C(z) - z||^2 = sum |z| (M - |z|),
// which is largest, (sqrt(b) - 1) / 2 times ||z||^2, if all other magnitudes are M / (1 + sqrt(b)).
class Ternary final : public Quantiser {
 public:
  Ternary(std::size_t dimension, std::size_t bucket, ValueFormat format)
      : Quantiser(level_layout(dimension, bucket, 1, LevelCode::trits, format), bucket) {}

  std::string label() const override { return "ternary"; }
  std::string description() const override {
    return fmt::format("ternary, largest size of each {} coordinates", bucket_);
  }
  CompressorTraits traits() const override {
    const double root = std::sqrt(static_cast<double>(bucket_));
    return {.unbiased = true, .omega = 0.5 * (root - 1), .gain = root * (1 + 0x1p-22)};
  }

 private:
  float quantise(ConstView bucket, std::span<const std::uint32_t> words,
                 std::span<std::int32_t> levels) const override {
    const float most = float_above(bucket_size(bucket).most);
    for (std::size_t i = 0; i < bucket.size(); ++i) {
      const auto size = static_cast<float>(std::abs(bucket[i]));
      const std::int32_t level = unit_float(words[i]) * most < size ? 1 : 0;
      levels[i] = bucket[i] < 0 ? -level : level;
    }
    return most;
  }

  void restore(std::span<const std::int32_t> levels, float scale, View values) const override {
    for (std::size_t i = 0; i < levels.size(); ++i)
      values[i] = static_cast<real>(scale * static_cast<float>(levels[i]));
  }
};

std::unique_ptr<Compressor> make_ternary(const BucketOptions& options, std::size_t dimension,
                                         ValueFormat format) {
  return std::make_unique<Ternary>(dimension, options.length(dimension), format);
}

}  // namespace

Row<CompressorMaker> ternary_compressor() {
  return part_with_settings(
      "ternary", "-M, 0 or M of each coordinate, at random, M the largest size; unbiased",
      make_ternary);
}

}  // namespace trilemma
