#include <algorithm>

#include "compress/compressor.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

struct RandKSettings {
  long k, divisor;
  bool keyed;
};

RandKSettings read(Settings& s) {
  RandKSettings v{};
  v.k = s.integer("k", 0, at_least(0), "coordinates in a message; 0 = d / divisor, rounded down");
  v.divisor = s.integer("divisor", 20, at_least(1), "k = d / divisor where k is 0");
  v.keyed =
      s.choice("mask", "keyed", {"keyed", "explicit"},
               "keyed: both ends draw the mask, no index bits; explicit: ceil(log2 d) bits each") ==
      "keyed";
  return v;
}

// C(z) = (d/k) (mask .* z), the mask uniform over the subsets of k of d coordinates: unbiased,
// E||C(z)-z||^2 = (d/k - 1)||z||^2 exactly ([SOT] section 2).
class RandK final : public ObliviousCompressor {
 public:
  RandK(std::size_t dimension, std::size_t k, bool keyed, ValueFormat format)
      : layout_{.dimension = dimension,
                .count = k,
                .index = keyed ? IndexCode::keyed : IndexCode::explicit_,
                .value = format} {}

  std::string description() const override {
    return fmt::format("rand-k, k = {} of {}, {} mask", layout_.count, layout_.dimension,
                       layout_.index == IndexCode::keyed ? "keyed" : "explicit");
  }
  CompressorTraits traits() const override {
    return {.unbiased = true, .omega = gain() - 1.0, .gain = gain()};
  }
  Layout layout() const override { return layout_; }
  double gain() const override {
    return static_cast<double>(layout_.dimension) / static_cast<double>(layout_.count);
  }

  Support support(const Key& key, std::vector<std::uint32_t>& index) override {
    draw_(key, layout_.dimension, layout_.count, index);
    return Support::of(index);
  }

 private:
  Layout layout_;
  SubsetDraw draw_;
};

void declare(Settings& settings) { read(settings); }
std::unique_ptr<Compressor> make(Settings& settings, std::size_t dimension, ValueFormat format) {
  const RandKSettings v = read(settings);
  const long d = static_cast<long>(dimension);
  if (v.k > d)
    settings.refuse("k", fmt::format("more than the d = {} coordinates of the model; lower k", d));
  const long k = v.k > 0 ? v.k : std::max(1L, d / v.divisor);
  return std::make_unique<RandK>(dimension, static_cast<std::size_t>(k), v.keyed, format);
}

}  // namespace

Row<CompressorMaker> rand_k_compressor() {
  return {"rand-k", "k random coordinates scaled by d/k; unbiased, omega = d/k - 1", declare, make};
}

}  // namespace trilemma
