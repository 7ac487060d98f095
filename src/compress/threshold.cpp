#include <cmath>

#include "compress/count.hpp"
#include "compress/selection.hpp"
#include "compress/sparsifier.hpp"

namespace trilemma {
namespace {

Layout layout_of(std::size_t dimension, IndexCode index, ValueFormat format) {
  return {
      .dimension = dimension, .count = dimension, .index = index, .value = format, .varies = true};
}

// Hard threshold (Sahu et al. 2021): sends all coordinates of magnitude at least t, unscaled.
// Biased; each dropped coordinate is smaller than t, so ||C(z) - z||^2 <= d t^2, which is not
// relative to ||z||^2.
class Threshold final : public Sparsifier {
 public:
  Threshold(const Layout& layout, double least) : Sparsifier(layout), least_(least) {}

  std::string label() const override { return "threshold"; }
  std::string description() const override {
    return fmt::format("threshold, coordinates of size {:g} of {}, {} index{}", least_,
                       layout_.dimension, name_of(layout_.index), size_note()) +
           format_note(layout_.value);
  }
  CompressorTraits traits() const override { return biased_traits(0); }

 private:
  void select(ConstView z, std::vector<std::uint32_t>& index) override {
    coordinates_from(z, size_rank(static_cast<real>(least_)), index);
  }

  double least_;
};

// Adaptive threshold that about k coordinates exceed: the magnitude exceeded by a share k/d of a
// sample, one coordinate in seven. Takes one pass and no sorting; biased, with no certain bound.
class AdaptiveThreshold final : public Sparsifier {
 public:
  AdaptiveThreshold(const Layout& layout, std::size_t k) : Sparsifier(layout), k_(k) {}

  std::string label() const override { return "adaptive threshold"; }
  std::string description() const override {
    return fmt::format("adaptive threshold, about {} of {} coordinates, {} index{}", k_,
                       layout_.dimension, name_of(layout_.index), size_note()) +
           format_note(layout_.value);
  }
  CompressorTraits traits() const override { return biased_traits(0); }

 private:
  static constexpr std::size_t stride = 7;
  void select(ConstView z, std::vector<std::uint32_t>& index) override {
    coordinates_from(z, sampled_rank(z, k_, stride, sample_), index);
  }

  std::size_t k_;
  std::vector<std::uint64_t> sample_;
};

struct ThresholdOptions {
  double threshold = 0.01;
  IndexCode index = IndexCode::smallest;
  void read(Reader& r) {
    r("threshold", threshold, positive(), "smallest magnitude of a coordinate that is sent");
    read_index_code(r, index);
  }
};

std::unique_ptr<Compressor> make_threshold(const ThresholdOptions& options, std::size_t dimension,
                                           ValueFormat format) {
  return std::make_unique<Threshold>(layout_of(dimension, options.index, format),
                                     options.threshold);
}

struct AdaptiveOptions {
  CountOptions count;
  IndexCode index = IndexCode::smallest;
  void read(Reader& r) {
    count.read(r);
    read_index_code(r, index);
  }
};

std::unique_ptr<Compressor> make_adaptive(const AdaptiveOptions& options, const Settings& settings,
                                          std::size_t dimension, ValueFormat format) {
  return std::make_unique<AdaptiveThreshold>(layout_of(dimension, options.index, format),
                                             options.count.count(dimension, settings));
}

}  // namespace

Row<CompressorMaker> threshold_compressor() {
  return part_with_settings(
      "threshold", "coordinates above a fixed size; biased, an absolute bound", make_threshold);
}

Row<CompressorMaker> adaptive_threshold_compressor() {
  return part_with_settings("adaptive-threshold",
                            "coordinates above a size that about k of them reach; biased",
                            make_adaptive);
}

}  // namespace trilemma
