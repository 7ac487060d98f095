#include <bit>
#include <cmath>

#include "compress/quantiser.hpp"

namespace trilemma {
namespace {

constexpr int most_levels = 100;  // the smallest positive float is 2^-149

struct DitherOptions {
  std::uint32_t levels = 8;
  BucketOptions bucket;
  LevelCode code = LevelCode::fixed;
  void read(Reader& r) {
    r("levels", levels, {.low = 1, .high = most_levels},
      "s: levels are N, N/2, ..., N 2^(1-s) and 0");
    bucket.read(r);
    read_level_code(r, code, levels);
  }
};

// Natural dithering (Horvath et al. 2022, section 4): in a bucket of 2-norm N, the magnitude of a
// coordinate is rounded at random and without bias to an adjacent one of 0, N 2^(1-s), ..., N / 2,
// N. omega <= 1/8 + sqrt(b) 2^(1-s) min(1, sqrt(b) 2^(1-s)) (theorem 7 there).
class NaturalDithering final : public Quantiser {
 public:
  NaturalDithering(std::size_t dimension, const DitherOptions& v, ValueFormat format)
      : Quantiser(level_layout(dimension, v.bucket.length(dimension), v.levels, v.code, format),
                  v.bucket.length(dimension)),
        least_(std::ldexp(1.0F, 1 - static_cast<int>(v.levels))) {}

  std::string label() const override {
    return fmt::format("natural dithering, s = {}", layout_.levels);
  }
  std::string description() const override {
    return label() + fmt::format(", 2-norm of each {} coordinates{}", bucket_,
                                 layout_.is_equal() ? "" : ", messages of any size");
  }
  CompressorTraits traits() const override {
    const double root = std::sqrt(static_cast<double>(bucket_));
    const double low = root * static_cast<double>(least_);
    return {.unbiased = true,
            .omega = 0.125 + low * std::min(1.0, low),
            .gain = std::min(2 + low, root) * (1 + 0x1p-22)};
  }

 private:
  float quantise(ConstView bucket, std::span<const std::uint32_t> words,
                 std::span<std::int32_t> levels) const override {
    const float norm = float_above(bucket_size(bucket).norm);
    if (!(norm > 0)) {
      std::ranges::fill(levels, 0);
      return norm;
    }
    const double inverse = 1.0 / static_cast<double>(norm);
    const auto most = static_cast<std::int32_t>(layout_.levels);
    for (std::size_t i = 0; i < bucket.size(); ++i) {
      const auto x =
          std::min(static_cast<float>(std::abs(static_cast<double>(bucket[i])) * inverse), 1.0F);
      std::int32_t level = unit_float(words[i]) * least_ < x ? 1 : 0;
      if (x >= least_) {
        // The probability of a carry into the exponent is the fraction of the mantissa.
        const auto bits = std::bit_cast<std::uint32_t>(x) + (words[i] & 0x7FFFFFU);
        level = std::min(static_cast<std::int32_t>(bits >> 23U) - 127 + most, most);
      }
      levels[i] = bucket[i] < 0 ? -level : level;
    }
    return norm;
  }

  void restore(std::span<const std::int32_t> levels, float scale, View values) const override {
    // Values of levels, indexed by level + s.
    const auto most = static_cast<int>(layout_.levels);
    float value[2 * most_levels + 1];
    for (int size = 1; size <= most; ++size) {
      value[most + size] = std::ldexp(scale, size - most);
      value[most - size] = -value[most + size];
    }
    value[most] = 0;
    for (std::size_t i = 0; i < levels.size(); ++i)
      values[i] = static_cast<real>(value[most + levels[i]]);
  }

  float least_;
};

std::unique_ptr<Compressor> make_natural_dithering(const DitherOptions& options,
                                                   std::size_t dimension, ValueFormat format) {
  return std::make_unique<NaturalDithering>(dimension, options, format);
}

}  // namespace

Row<CompressorMaker> natural_dithering_compressor() {
  return part_with_settings("natural-dithering",
                            "powers of two below a bucket's 2-norm, at random; unbiased",
                            make_natural_dithering);
}

}  // namespace trilemma
