#include "compress/count.hpp"
#include "compress/selection.hpp"
#include "compress/sparsifier.hpp"

namespace trilemma {
namespace {

// Top-k: sends the k coordinates of largest magnitude unscaled. Biased, ||C(z) - z||^2 <= (1 - k/d)
// ||z||^2 (Stich et al. 2018); the selection depends on z, so indices are sent.
class LargestK final : public Sparsifier {
 public:
  LargestK(const Layout& layout) : Sparsifier(layout) {}

  std::string label() const override { return fmt::format("top-k, k = {}", layout_.count); }
  std::string description() const override {
    return label() +
           fmt::format(" of {}, {} index{}", layout_.dimension, name_of(layout_.index),
                       size_note()) +
           format_note(layout_.value);
  }
  CompressorTraits traits() const override { return biased_traits(1 / one_in(layout_)); }

 private:
  void select(ConstView z, std::vector<std::uint32_t>& index) override {
    top_(z, layout_.count, index);
  }

  TopK top_;
};

void declare_top_k(Settings& settings) {
  read_count(settings, 20);
  read_index_code(settings);
}
std::unique_ptr<Compressor> make_top_k(Settings& settings, std::size_t dimension,
                                       ValueFormat format) {
  const std::size_t k = read_count(settings, dimension);
  return std::make_unique<LargestK>(Layout{
      .dimension = dimension, .count = k, .index = read_index_code(settings), .value = format});
}

}  // namespace

Row<CompressorMaker> top_k_compressor() {
  return {"top-k", "the k largest coordinates; biased, delta = k/d", declare_top_k, make_top_k};
}

}  // namespace trilemma
