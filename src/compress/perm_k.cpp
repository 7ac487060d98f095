#include <numeric>

#include "compress/count.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

struct PermKOptions {
  long parts = 20;
  void read(Reader& r) {
    r("parts", parts, at_least(1),
      "parts that the coordinates are divided into; client i sends part i (mod parts)");
  }
};

// Perm-K (Szlendak et al. 2022): a random permutation of the coordinates, the same for all clients
// of a round, is cut into parts of k = floor(d / parts); client i sends part i mod `parts`, scaled
// by d/k. Each message alone is distributed like that of rand-k, but messages of different parts
// never overlap.
class PermK final : public ObliviousCompressor {
 public:
  PermK(std::size_t dimension, std::size_t parts, ValueFormat format)
      : layout_{.dimension = dimension,
                .count = dimension / parts,
                .index = IndexCode::keyed,
                .value = format},
        parts_(parts) {}

  std::string label() const override { return fmt::format("perm-k, k = {}", layout_.count); }
  std::string description() const override {
    return label() + fmt::format(" of {}, {} parts", layout_.dimension, parts_) +
           format_note(layout_.value);
  }
  CompressorTraits traits() const override { return sparse_traits(layout_, gain()); }
  Layout layout() const override { return layout_; }
  double gain() const override { return one_in(layout_); }

  Support support(const Key& key, std::vector<std::uint32_t>& index) override {
    const Key order = shared_mask(key);
    if (order_.empty() || order.round != drawn_.round || order.seed != drawn_.seed) draw(order);
    const auto part =
        std::span(order_).subspan((key.client % parts_) * layout_.count, layout_.count);
    index.assign(part.begin(), part.end());
    return Support::of(index);
  }

 private:
  // Draws the permutation of a round, each part ascending. It is kept, since all clients of the
  // round use it.
  void draw(const Key& key) {
    order_.resize(layout_.dimension);
    std::iota(order_.begin(), order_.end(), 0U);
    shuffle(order_, key);
    for (std::size_t part = 0; part < parts_; ++part) {
      const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(part * layout_.count);
      std::sort(begin, begin + static_cast<std::ptrdiff_t>(layout_.count));
    }
    drawn_ = key;
  }

  Layout layout_;
  std::size_t parts_;
  Key drawn_;
  std::vector<std::uint32_t> order_;
};

std::unique_ptr<Compressor> make_perm_k(const PermKOptions& options, const Settings& settings,
                                        std::size_t dimension, ValueFormat format) {
  const long d = static_cast<long>(dimension);
  if (options.parts > d && settings.has("parts"))
    settings.refuse("parts",
                    fmt::format("more than the d = {} coordinates of the model; lower parts", d));
  return std::make_unique<PermK>(dimension, static_cast<std::size_t>(std::min(options.parts, d)),
                                 format);
}

}  // namespace

Row<CompressorMaker> perm_k_compressor() {
  return part_with_settings(
      "perm-k", "coordinates divided among the clients at random, scaled; unbiased", make_perm_k);
}

}  // namespace trilemma
