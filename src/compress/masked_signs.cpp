#include "compress/masked_signs.hpp"

#include "numeric/draws.hpp"

namespace trilemma {
namespace {

class MaskedSignsCompressor final : public Compressor {
 public:
  MaskedSignsCompressor(const MaskedSigns& signs, std::size_t dimension, double norm)
      : signs_(signs),
        limit_(signs.clip.limit(norm, dimension)),
        size_(static_cast<real>(signs.size(norm, dimension))),
        layout_{.dimension = dimension,
                .count = dimension,
                .index = IndexCode::keyed,
                .levels = 1,
                .level = LevelCode::sign,
                .varies = true,
                .is_keyed = true} {}

  std::string label() const override {
    return fmt::format("random signs, gamma = {:g}", signs_.rate);
  }
  std::string description() const override {
    return label() +
           fmt::format(" of {} coordinates up to {:.4g}, keyed mask, messages of any size",
                       layout_.dimension, limit_);
  }
  // The variance has no bound relative to the vector, since signs of 0 are random.
  CompressorTraits traits() const override {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {.unbiased = true, .omega = none, .gain = none, .share = signs_.rate};
  }
  Layout layout() const override { return layout_; }

  void compress(ConstView z, const Key& key, Message& out) override {
    recall(key, out);
    rounding_words(key, out.index.size(), word_);
    out.level.resize(out.index.size());
    for (std::size_t i = 0; i < out.index.size(); ++i) {
      const double y = std::clamp(static_cast<double>(z[out.index[i]]), -limit_, limit_) / limit_;
      const double u = (static_cast<double>(word_[i]) + 0.5) * 0x1p-32;
      out.level[i] = 2 * u < 1 + y ? 1 : -1;
    }
  }

  std::size_t entries(const Key& key) override {
    draw_(key, layout_.dimension, signs_.rate, index_);
    return index_.size();
  }
  void recall(const Key& key, Message& message) override {
    draw_(key, layout_.dimension, signs_.rate, message.index);
  }

  SparseView expand(const Message& message) override {
    value_.resize(message.level.size());
    for (std::size_t i = 0; i < value_.size(); ++i)
      value_[i] = message.level[i] < 0 ? -size_ : size_;
    return {Support::of(message.index), value_};
  }

 private:
  MaskedSigns signs_;
  double limit_;
  real size_;
  Layout layout_;
  CoinDraw draw_;
  std::vector<std::uint32_t> index_, word_;  ///< scratch memory
  Vector value_;
};

}  // namespace

std::unique_ptr<Compressor> make_masked_signs(const MaskedSigns& signs, std::size_t dimension,
                                              double norm) {
  return std::make_unique<MaskedSignsCompressor>(signs, dimension, norm);
}

}  // namespace trilemma
