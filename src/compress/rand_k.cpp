#include "compress/count.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

enum class Mask { keyed, shared, sent };

Mask read_mask(Settings& s) {
  const auto mask = s.choice(
      "mask", "keyed", {"keyed", "shared", "explicit"},
      "keyed: both ends draw the mask, no index bits; shared: so, one mask for all clients of a "
      "round; explicit: ceil(log2 d) bits each");
  if (mask == "keyed") return Mask::keyed;
  return mask == "shared" ? Mask::shared : Mask::sent;
}

bool read_scaled(Settings& s) {
  const bool scaled =
      s.flag("scaled", true,
             "multiply by d/k, which makes it unbiased; without it a memory must be there");
  s.omit_at_default("scaled");
  return scaled;
}

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

void declare_rand_k(Settings& settings) {
  read_count(settings, 20);
  read_mask(settings);
  read_scaled(settings);
}
std::unique_ptr<Compressor> make_rand_k(Settings& settings, std::size_t dimension,
                                        ValueFormat format) {
  const std::size_t k = read_count(settings, dimension);
  const Mask mask = read_mask(settings);
  return std::make_unique<RandK>(dimension, k, mask, read_scaled(settings), format);
}

}  // namespace

Row<CompressorMaker> rand_k_compressor() {
  return {"rand-k", "k random coordinates scaled by d/k; unbiased, omega = d/k - 1", declare_rand_k,
          make_rand_k};
}

}  // namespace trilemma
