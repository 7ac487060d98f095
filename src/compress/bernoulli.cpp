#include "compress/count.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

struct BernoulliOptions {
  double p = 0.05;
  void read(Reader& r) {
    r("p", p, {.low = 0, .high = 1, .low_open = true}, "probability that a coordinate is sent");
  }
};

// Bernoulli mask: C(z) = (mask .* z) / p, with every coordinate in the mask with probability p.
// Unbiased, E||C(z) - z||^2 = (1/p - 1) ||z||^2 exactly. Both ends draw the mask, so messages carry
// no indices, and the number of entries is binomial.
class Bernoulli final : public ObliviousCompressor {
 public:
  Bernoulli(std::size_t dimension, double p, ValueFormat format)
      : layout_{.dimension = dimension,
                .count = dimension,
                .index = IndexCode::keyed,
                .value = format,
                .varies = true},
        p_(p) {}

  std::string label() const override { return fmt::format("bernoulli, p = {:g}", p_); }
  std::string description() const override {
    return label() +
           fmt::format(" of {} coordinates, keyed mask, messages of any size", layout_.dimension) +
           format_note(layout_.value);
  }
  CompressorTraits traits() const override { return sparse_traits(layout_, gain()); }
  Layout layout() const override { return layout_; }
  double gain() const override { return 1.0 / p_; }

  Support support(const Key& key, std::vector<std::uint32_t>& index) override {
    draw_(key, layout_.dimension, p_, index);
    return Support::of(index);
  }

 private:
  Layout layout_;
  double p_;
  CoinDraw draw_;
};

std::unique_ptr<Compressor> make_bernoulli(const BernoulliOptions& options, std::size_t dimension,
                                           ValueFormat format) {
  return std::make_unique<Bernoulli>(dimension, options.p, format);
}

}  // namespace

Row<CompressorMaker> bernoulli_compressor() {
  return part_with_settings(
      "bernoulli", "each coordinate with probability p, scaled by 1/p; unbiased, omega = 1/p - 1",
      make_bernoulli);
}

}  // namespace trilemma
