#include "compress/count.hpp"

namespace trilemma {
namespace {

// C(z) = z: omega = 0, d values on the wire.
class Identity final : public ObliviousCompressor {
 public:
  Identity(std::size_t dimension, ValueFormat format)
      : layout_{.dimension = dimension, .count = dimension, .value = format} {}
  std::string description() const override { return "identity"; }
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
std::unique_ptr<Compressor> make(Settings&, std::size_t dimension, ValueFormat format) {
  return std::make_unique<Identity>(dimension, format);
}

}  // namespace

Row<CompressorMaker> identity_compressor() {
  return {"identity", "no compression: d values", declare, make};
}

}  // namespace trilemma
