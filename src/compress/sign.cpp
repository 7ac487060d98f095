#include <cmath>

#include "compress/quantiser.hpp"
#include "numeric/lanes.hpp"

namespace trilemma {
namespace {

// Scaled sign (Karimireddy et al. 2019): signs times the mean magnitude. Biased, ||C(z) - z||^2 =
// (1 - ||z||_1^2 / (b ||z||^2)) ||z||^2, so that delta >= 1 / b; the norm never grows.
class Sign final : public Quantiser {
 public:
  Sign(std::size_t dimension, std::size_t bucket, ValueFormat format)
      : Quantiser(level_layout(dimension, bucket, 1, LevelCode::sign, format), bucket, false) {}

  std::string label() const override { return "sign"; }
  std::string description() const override {
    return fmt::format("sign, mean size of each {} coordinates", bucket_);
  }
  CompressorTraits traits() const override {
    return {.unbiased = false,
            .omega = std::numeric_limits<double>::quiet_NaN(),
            .gain = 1 + 0x1p-22,
            .delta = 1.0 / static_cast<double>(bucket_)};
  }

 private:
  float quantise(ConstView bucket, std::span<const std::uint32_t>,
                 std::span<std::int32_t> levels) const override {
    for (std::size_t i = 0; i < bucket.size(); ++i) levels[i] = bucket[i] < 0 ? -1 : 1;
    const double sum = sum_of_sizes(bucket);
    const auto mean = static_cast<float>(sum / static_cast<double>(bucket.size()));
    return std::isfinite(mean) ? mean : std::numeric_limits<float>::quiet_NaN();
  }

  void restore(std::span<const std::int32_t> levels, float scale, View values) const override {
    for (std::size_t i = 0; i < levels.size(); ++i)
      values[i] = static_cast<real>(scale * static_cast<float>(levels[i]));
  }
};

std::unique_ptr<Compressor> make_sign(const BucketOptions& options, std::size_t dimension,
                                      ValueFormat format) {
  return std::make_unique<Sign>(dimension, options.length(dimension), format);
}

}  // namespace

Row<CompressorMaker> sign_compressor() {
  return part_with_settings("sign", "signs times the mean size of a bucket; biased", make_sign);
}

}  // namespace trilemma
