#include "compress/count.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

enum class Mask { keyed, shared, sent };

struct RandKOptions {
  CountOptions count;
  Mask mask = Mask::keyed;
  bool is_scaled = true;
  void read(Reader& r) {
    count.read(r);
    r("mask", mask,
      {{"keyed", Mask::keyed, "both ends draw the mask, no index bits"},
       {"shared", Mask::shared, "keyed, with one mask for all clients of a round"},
       {"explicit", Mask::sent, "indices of ceil(log2 d) bits each"}},
      "how the coordinates of a message are known");
    r("scaled", is_scaled,
      "multiply by d/k, which makes the compressor unbiased; without it a memory is required");
  }
};

// Rand-k: C(z) = (d/k) (mask .* z), with a mask uniform over the subsets of k of d coordinates.
// Unbiased, E||C(z)-z||^2 = (d/k - 1)||z||^2 exactly ([SOT] section 2). Without scaling, C(z) =
// mask .* z is a contraction: E||C(z)-z||^2 = (1 - k/d)||z||^2 exactly.
class RandK final : public ObliviousCompressor {
 public:
  RandK(std::size_t dimension, std::size_t k, Mask mask, bool scaled, ValueFormat format)
      : layout_{.dimension = dimension,
                .count = k,
                .index = mask == Mask::sent ? IndexCode::fixed : IndexCode::keyed,
                .value = format},
        mask_(mask),
        scaled_(scaled) {}

  std::string label() const override { return fmt::format("rand-k, k = {}", layout_.count); }
  std::string description() const override {
    return label() +
           fmt::format(" of {}, {} mask{}", layout_.dimension,
                       mask_ == Mask::keyed    ? "keyed"
                       : mask_ == Mask::shared ? "shared"
                                               : "explicit",
                       scaled_ ? "" : ", not scaled") +
           format_note(layout_.value);
  }
  CompressorTraits traits() const override {
    CompressorTraits found =
        scaled_ ? sparse_traits(layout_, gain()) : unscaled_traits(layout_, one_in(layout_));
    found.is_shared = mask_ == Mask::shared;
    return found;
  }
  Layout layout() const override { return layout_; }
  double gain() const override { return scaled_ ? one_in(layout_) : 1; }

  Support support(const Key& key, std::vector<std::uint32_t>& index) override {
    draw_(mask_ == Mask::shared ? shared_mask(key) : key, layout_.dimension, layout_.count, index);
    return Support::of(index);
  }

 private:
  Layout layout_;
  Mask mask_;
  bool scaled_;
  SubsetDraw draw_;
};

std::unique_ptr<Compressor> make_rand_k(const RandKOptions& options, const Settings& settings,
                                        std::size_t dimension, ValueFormat format) {
  return std::make_unique<RandK>(dimension, options.count.count(dimension, settings), options.mask,
                                 options.is_scaled, format);
}

}  // namespace

Row<CompressorMaker> rand_k_compressor() {
  return part_with_settings(
      "rand-k", "k random coordinates scaled by d/k; unbiased, omega = d/k - 1", make_rand_k);
}

}  // namespace trilemma
