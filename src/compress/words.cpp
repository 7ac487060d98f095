#include "compress/words.hpp"

#include "privacy/joint.hpp"

namespace trilemma {
namespace {

class Words final : public Compressor {
 public:
  Words(std::size_t dimension, unsigned bits, std::shared_ptr<PairMasks> masks)
      : bits_(bits),
        masks_(std::move(masks)),
        layout_{.dimension = dimension,
                .count = dimension,
                .levels = 1U << (bits - 1),
                .level = LevelCode::words} {}

  std::string label() const override { return fmt::format("words, b = {}", bits_); }
  std::string description() const override {
    return fmt::format("words, integers modulo 2^{}", bits_);
  }
  CompressorTraits traits() const override { return {.unbiased = true, .omega = 0, .gain = 1}; }
  Layout layout() const override { return layout_; }

  void compress(ConstView z, const Key& key, Message& out) override {
    out.level.resize(z.size());
    for (std::size_t j = 0; j < z.size(); ++j) out.level[j] = static_cast<std::int32_t>(z[j]);
    if (masks_ != nullptr) masks_->add(key.round, key.client, out.level);
  }

  SparseView expand(const Message& message) override {
    value_.resize(message.level.size());
    for (std::size_t j = 0; j < value_.size(); ++j) value_[j] = static_cast<real>(message.level[j]);
    return {Support::all(), value_};
  }

 private:
  unsigned bits_;
  std::shared_ptr<PairMasks> masks_;
  Layout layout_;
  Vector value_;
};

}  // namespace

std::unique_ptr<Compressor> make_words(std::size_t dimension, unsigned bits,
                                       std::shared_ptr<PairMasks> masks) {
  expect(bits >= 1 && bits <= most_word_bits, "a word has 1 to 24 bits");
  return std::make_unique<Words>(dimension, bits, std::move(masks));
}

}  // namespace trilemma
