#include <cmath>

#include "compress/lanes.hpp"
#include "compress/quantiser.hpp"

namespace trilemma {
namespace {

struct QsgdOptions {
  std::uint32_t levels = 16;
  bool is_max = false;
  BucketOptions bucket;
  LevelCode code = LevelCode::fixed;
  void read(Reader& r) {
    r("levels", levels, {.low = 1, .high = 65535}, "s, steps between 0 and the norm");
    r("norm", is_max, {{"two", false}, {"max", true}},
      "norm of a bucket, of which levels are fractions");
    bucket.read(r);
    read_level_code(r, code, levels);
  }
};

// QSGD, random dithering (Alistarh et al. 2017): in a bucket of norm N, coordinate z becomes N
// sign(z) l / s, where l is one of the two integers adjacent to s |z| / N, drawn so that the mean
// is z. E||C(z) - z||^2 <= min(b / s^2, sqrt(b) / s) ||z||^2 for buckets of b coordinates (lemma
// 3.1 there); if N is the largest magnitude, at most a quarter of b / s^2, since each variance is
// at most (N / 2s)^2.
class Qsgd final : public Quantiser {
 public:
  Qsgd(std::size_t dimension, const QsgdOptions& v, ValueFormat format)
      : Quantiser(level_layout(dimension, v.bucket.length(dimension), v.levels, v.code, format),
                  v.bucket.length(dimension)),
        is_max_(v.is_max) {}

  std::string label() const override { return fmt::format("qsgd, s = {}", layout_.levels); }
  std::string description() const override {
    return label() + fmt::format(", {}-norm of each {} coordinates{}", is_max_ ? "max" : "2",
                                 bucket_, layout_.is_equal() ? "" : ", messages of any size");
  }
  CompressorTraits traits() const override {
    const double s = layout_.levels;
    const auto b = static_cast<double>(bucket_);
    const double spread = b / (s * s) * (is_max_ ? 0.25 : 1.0);
    // Each coordinate grows by at most one step, and to at most the norm, which is rounded to a
    // float.
    const double gain = std::min(1 + std::sqrt(b) / s, std::sqrt(b)) * (1 + 0x1p-22);
    return {.unbiased = true, .omega = std::min(spread, std::sqrt(b) / s), .gain = gain};
  }

 private:
  float quantise(ConstView bucket, std::span<const std::uint32_t> words,
                 std::span<std::int32_t> levels) const override {
    const BucketSize size = bucket_size(bucket);
    const float norm = float_above(is_max_ ? size.most : size.norm);
    if (!(norm > 0) || std::isinf(norm)) {
      std::ranges::fill(levels, 0);
      return norm;
    }
    const auto most = static_cast<std::int32_t>(layout_.levels);
    const double steps = static_cast<double>(most) / static_cast<double>(norm);
    dither(bucket, steps, most, words, levels);
    return norm;
  }

  void restore(std::span<const std::int32_t> levels, float scale, View values) const override {
    const float step = scale / static_cast<float>(layout_.levels);
    times_levels(step, levels, values);
  }

  bool is_max_;
};

std::unique_ptr<Compressor> make_qsgd(const QsgdOptions& options, std::size_t dimension,
                                      ValueFormat format) {
  return std::make_unique<Qsgd>(dimension, options, format);
}

}  // namespace

Row<CompressorMaker> qsgd_compressor() {
  return part_with_settings(
      "qsgd", "s levels of a bucket's norm, at random (random dithering); unbiased", make_qsgd);
}

}  // namespace trilemma
