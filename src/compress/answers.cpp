#include <cmath>

#include "compress/words.hpp"

namespace trilemma {
namespace {

class Answers final : public Compressor {
 public:
  Answers(std::size_t dimension, const SqkrOptions& options)
      : own_coins_(options.own_coins),
        sqkr_(dimension, options),
        layout_{.dimension = own_coins_ ? sqkr_frame(dimension) : dimension,
                .count = options.bits,
                .index = own_coins_ ? IndexCode::fixed : IndexCode::keyed,
                .levels = 1,
                .level = LevelCode::sign},
        value_(dimension) {}

  std::string label() const override { return fmt::format("answers, k = {}", layout_.count); }
  std::string description() const override {
    return label() + (own_coins_ ? " bits and their coordinates" : " bits, keyed mask");
  }
  CompressorTraits traits() const override { return {.unbiased = true, .omega = 0, .gain = 1}; }
  Layout layout() const override { return layout_; }

  void compress(ConstView z, const Key& key, Message& out) override {
    recall(key, out);
    out.level.resize(layout_.count);
    if (own_coins_) out.index.resize(layout_.count);
    for (std::size_t l = 0; l < layout_.count; ++l) {
      out.level[l] = z[l] < 0 ? -1 : 1;
      if (own_coins_) out.index[l] = static_cast<std::uint32_t>(std::abs(z[l])) - 1;
    }
  }
  void recall(const Key& key, Message& message) override {
    if (own_coins_)
      sqkr_.set_frame(key.seed);
    else
      sqkr_.coordinates(key, message.index);
  }

  SparseView expand(const Message& message) override {
    sqkr_.decode(message.index, message.level, value_);
    return {Support::all(), value_};
  }

 private:
  bool own_coins_;
  Sqkr sqkr_;
  Layout layout_;
  Vector value_;
};

}  // namespace

std::unique_ptr<Compressor> make_answers(std::size_t dimension, const SqkrOptions& options) {
  return std::make_unique<Answers>(dimension, options);
}

}  // namespace trilemma
