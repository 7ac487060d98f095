#include "compress/count.hpp"

namespace trilemma {
namespace {

// Natural compression (Horvath et al. 2022): every value goes to one of the two powers of two next
// to it, at random so that the mean stays; sign and exponent travel, 9 bits. omega = 1/8.
class Natural final : public ObliviousCompressor {
 public:
  explicit Natural(std::size_t dimension)
      : layout_{.dimension = dimension, .count = dimension, .value = ValueFormat::natural} {}
  std::string description() const override { return "natural, powers of two of 9 bits"; }
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

void declare(Settings&) {}
std::unique_ptr<Compressor> make(Settings&, std::size_t dimension, ValueFormat) {
  return std::make_unique<Natural>(dimension);
}

}  // namespace

Row<CompressorMaker> natural_compressor() {
  return {"natural", "random rounding to powers of two, 9 bits a value; unbiased, omega = 1/8",
          declare, make};
}

}  // namespace trilemma
