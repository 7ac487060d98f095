#include <cmath>

#include "compress/count.hpp"
#include "compress/selection.hpp"
#include "compress/sparsifier.hpp"

namespace trilemma {
namespace {

// Sends the k = ceil(share d) coordinates of largest magnitude, unscaled, and one bit for each of
// the d coordinates that says whether it is sent. Biased: ||C(z) - z||^2 <= (1 - k/d) ||z||^2.
class LargestShare final : public Sparsifier {
 public:
  explicit LargestShare(const Layout& layout) : Sparsifier(layout) {}
  std::string label() const override { return fmt::format("largest-share, k = {}", layout_.count); }
  std::string description() const override {
    return label() + fmt::format(" of {}", layout_.dimension) + format_note(layout_.value);
  }
  CompressorTraits traits() const override { return biased_traits(1 / one_in(layout_)); }

 private:
  void select(ConstView z, std::vector<std::uint32_t>& index) override {
    largest_(z, layout_.count, index);
  }

  TopK largest_;
};

struct LargestShareOptions {
  double share = 0.5;
  void read(Reader& r) {
    r("share", share, {.low = 0, .high = 1, .low_open = true}, "share of coordinates that is sent");
  }
};

std::unique_ptr<Compressor> make_largest_share(const LargestShareOptions& options,
                                               std::size_t dimension, ValueFormat format) {
  const double count = std::ceil(options.share * static_cast<double>(dimension));
  return std::make_unique<LargestShare>(Layout{.dimension = dimension,
                                               .count = static_cast<std::size_t>(count),
                                               .index = IndexCode::bitmap,
                                               .value = format});
}

}  // namespace

Row<CompressorMaker> largest_share_compressor() {
  return part_with_settings("largest-share", "a share of the coordinates, the largest ones; biased",
                            make_largest_share);
}

}  // namespace trilemma
