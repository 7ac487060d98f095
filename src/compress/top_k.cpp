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

struct TopKOptions {
  CountOptions count;
  IndexCode index = IndexCode::smallest;
  void read(Reader& r) {
    count.read(r);
    read_index_code(r, index);
  }
};

std::unique_ptr<Compressor> make_top_k(const TopKOptions& options, const Settings& settings,
                                       std::size_t dimension, ValueFormat format) {
  return std::make_unique<LargestK>(Layout{.dimension = dimension,
                                           .count = options.count.count(dimension, settings),
                                           .index = options.index,
                                           .value = format});
}

}  // namespace

Row<CompressorMaker> top_k_compressor() {
  return part_with_settings("top-k", "the k largest coordinates; biased, delta = k/d", make_top_k);
}

}  // namespace trilemma
