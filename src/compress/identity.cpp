#include "compress/count.hpp"

namespace trilemma {
namespace {

// Identity: C(z) = z, rounded to the wire format. omega = 0 for float32, and 1/8 for powers of two,
// to which values are rounded at random without bias (natural compression, Horvath et al. 2022).
class Identity final : public ObliviousCompressor {
 public:
  Identity(std::size_t dimension, ValueFormat format)
      : layout_{.dimension = dimension, .count = dimension, .value = format} {}
  std::string label() const override {
    return layout_.value == ValueFormat::natural ? "natural" : "identity";
  }
  std::string description() const override {
    if (layout_.value == ValueFormat::natural) return "natural, powers of two of 9 bits";
    return "identity" + format_note(layout_.value);
  }
  CompressorTraits traits() const override { return sparse_traits(layout_, gain()); }
  Layout layout() const override { return layout_; }
  Support support(const Key&, std::vector<std::uint32_t>& index) override {
    index.clear();
    return Support::all();
  }
  double gain() const override { return 1.0; }

 private:
  Layout layout_;
};

std::unique_ptr<Compressor> make_identity(std::size_t dimension, ValueFormat format) {
  return std::make_unique<Identity>(dimension, format);
}
std::unique_ptr<Compressor> make_natural(std::size_t dimension, ValueFormat) {
  return std::make_unique<Identity>(dimension, ValueFormat::natural);
}

}  // namespace

Row<CompressorMaker> identity_compressor() {
  return part_without_settings("identity", "no compression: d values", make_identity);
}

Row<CompressorMaker> natural_compressor() {
  return part_without_settings(
      "natural", "random rounding to powers of two, 9 bits a value; unbiased, omega = 1/8",
      make_natural);
}

}  // namespace trilemma
