#include <numeric>

#include "base/check.hpp"
#include "compress/compressor.hpp"
#include "compress/rounding.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

class MarinaSwitch final : public Compressor {
 public:
  MarinaSwitch(std::unique_ptr<Compressor> other, double probability)
      : other_(std::move(other)), layout_(other_->layout()), probability_(probability) {
    layout_.count = layout_.dimension;
    layout_.varies = true;
    all_.resize(layout_.dimension);
    std::iota(all_.begin(), all_.end(), 0U);
  }

  std::string label() const override { return other_->label(); }
  std::string description() const override {
    return fmt::format("{}; everything with probability {:g}, messages of any size",
                       other_->description(), probability_);
  }
  CompressorTraits traits() const override {
    CompressorTraits traits = other_->traits();
    traits.is_shared = false;
    traits.share = probability_ + (1 - probability_) * traits.share;
    return traits;
  }
  Layout layout() const override { return layout_; }

  void compress(ConstView z, const Key& key, Message& out) override {
    if (!is_whole(key)) return other_->compress(z, key, out);
    out.index = all_;
    out.value.assign(z.begin(), z.end());
    rounding_(layout_.value, key, out.value);
  }
  void recall(const Key& key, Message& message) override {
    if (!is_whole(key)) return other_->recall(key, message);
    message.index = all_;
    if (message.index.size() != message.entries())
      throw RunFailure(fmt::format("a message of {} entries arrived where {} were to be sent",
                                   message.entries(), message.index.size()));
  }
  SparseView expand(const Message& message) override {
    return {Support::of(message.index), message.value};
  }

 private:
  bool is_whole(const Key& key) const { return common_coin(key.seed, key.round, probability_); }

  std::unique_ptr<Compressor> other_;
  Layout layout_;
  double probability_;
  std::vector<std::uint32_t> all_;
  Rounding rounding_;
};

}  // namespace

std::unique_ptr<Compressor> marina_switch(std::unique_ptr<Compressor> other, double probability) {
  if (other->traits().omega == 0) return other;
  require(other->is_oblivious() && other->layout().index == IndexCode::keyed,
          "compressor.kind: {} cannot take turns with whole vectors; choose rand-k, rand-seq-k, "
          "perm-k or bernoulli",
          other->description());
  return std::make_unique<MarinaSwitch>(std::move(other), probability);
}

}  // namespace trilemma
