#include "compress/masked_blocks.hpp"

#include "numeric/draws.hpp"

namespace trilemma {
namespace {

class MaskedBlocksCompressor final : public Compressor {
 public:
  MaskedBlocksCompressor(const MaskedBlocks& blocks, std::size_t dimension, double norm)
      : blocks_(blocks),
        limit_(blocks.limit(norm, dimension)),
        layout_{.dimension = dimension,
                .count = dimension,
                .index = IndexCode::keyed,
                .value = std::is_same_v<real, double> ? ValueFormat::float64 : ValueFormat::float32,
                .varies = true,
                .is_keyed = true} {}

  std::string label() const override {
    return fmt::format("blocks of {}, gamma = {:g}", blocks_.block, blocks_.rate);
  }
  std::string description() const override {
    return label() + fmt::format(" of norm up to {:.4g}, keyed mask, messages of any size", limit_);
  }
  CompressorTraits traits() const override {
    return {.unbiased = true,
            .omega = 1 / blocks_.rate - 1,
            .gain = 1 / blocks_.rate,
            .share = blocks_.rate};
  }
  Layout layout() const override { return layout_; }

  void compress(ConstView z, const Key& key, Message& out) override {
    recall(key, out);
    out.value.resize(out.index.size());
    const auto scale = static_cast<real>(1 / blocks_.rate);
    std::size_t first = 0;
    for (const std::uint32_t drawn : drawn_) {
      const std::size_t size = end_of(drawn) - start_of(drawn);
      const View block = View(out.value).subspan(first, size);
      for (std::size_t j = 0; j < size; ++j) block[j] = z[start_of(drawn) + j] * scale;
      clip(block, limit_ / blocks_.rate);
      first += size;
    }
  }

  std::size_t entries(const Key& key) override {
    draw(key);
    std::size_t count = 0;
    for (const std::uint32_t drawn : drawn_) count += end_of(drawn) - start_of(drawn);
    return count;
  }
  void recall(const Key& key, Message& message) override {
    draw(key);
    message.index.clear();
    for (const std::uint32_t drawn : drawn_)
      for (std::size_t j = start_of(drawn); j < end_of(drawn); ++j)
        message.index.push_back(static_cast<std::uint32_t>(j));
  }
  SparseView expand(const Message& message) override {
    return {Support::of(message.index), message.value};
  }

 private:
  void draw(const Key& key) { draw_(key, blocks_.count(layout_.dimension), blocks_.rate, drawn_); }
  std::size_t start_of(std::uint32_t drawn) const {
    return static_cast<std::size_t>(blocks_.block) * drawn;
  }
  std::size_t end_of(std::uint32_t drawn) const {
    return std::min(layout_.dimension, start_of(drawn + 1));
  }

  MaskedBlocks blocks_;
  double limit_;
  Layout layout_;
  CoinDraw draw_;
  std::vector<std::uint32_t> drawn_;  ///< scratch memory
};

}  // namespace

std::unique_ptr<Compressor> make_masked_blocks(const MaskedBlocks& blocks, std::size_t dimension,
                                               double norm) {
  return std::make_unique<MaskedBlocksCompressor>(blocks, dimension, norm);
}

}  // namespace trilemma
