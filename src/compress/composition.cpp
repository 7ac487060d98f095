#include <cmath>
#include <limits>

#include "compress/count.hpp"

namespace trilemma {
namespace {

struct Parts {
  std::unique_ptr<Compressor> outer, inner;
};

// Composition C(z) = C2(C1(z)): C1 chooses k coordinates, C2 quantises their values. If both are
// unbiased, 1 + omega = (1 + omega1) (1 + omega2). If C1 is biased and C2 is not,
//   E||C(z)-z||^2 = E||C2(C1 z) - C1 z||^2 + ||C1 z - z||^2 <= ||z||^2 - (1 - omega2) ||C1 z||^2,
// since the coordinates that C1 keeps and those that it drops are orthogonal; so delta = (1 -
// omega2) delta1.
class Composition final : public Compressor {
 public:
  explicit Composition(Parts parts)
      : outer_(std::move(parts.outer)), inner_(std::move(parts.inner)) {
    layout_ = inner_->layout();
    layout_.dimension = outer_->layout().dimension;
    layout_.index = outer_->layout().index;
  }

  std::string label() const override { return "composition of " + outer_->label(); }
  std::string description() const override {
    return fmt::format("composition of {}; its values by {}", outer_->description(),
                       inner_->description());
  }
  CompressorTraits traits() const override {
    const CompressorTraits first = outer_->traits();
    const CompressorTraits then = inner_->traits();
    CompressorTraits found{.unbiased = first.unbiased && then.unbiased,
                           .omega = (1 + first.omega) * (1 + then.omega) - 1,
                           .gain = first.gain * then.gain,
                           .share = first.share,
                           .chooses_coordinates = first.chooses_coordinates && then.unbiased};
    if (!found.unbiased) {
      found.omega = std::numeric_limits<double>::quiet_NaN();
      found.delta = then.omega < 1 ? (1 - then.omega) * first.delta : 0;
    }
    return found;
  }
  Layout layout() const override { return layout_; }

  void compress(ConstView z, const Key& key, Message& out) override {
    outer_->compress(z, key, chosen_);
    inner_->compress(chosen_.value, key, out);
    out.index = chosen_.index;
  }
  void recall(const Key& key, Message& message) override { outer_->recall(key, message); }
  SparseView expand(const Message& message) override {
    return {Support::of(message.index), inner_->expand(message).value};
  }

 private:
  std::unique_ptr<Compressor> outer_, inner_;
  Layout layout_;
  Message chosen_;
};

struct CompositionOptions {
  CompressorMaker outer, inner;
  void read(Reader& r) {
    outer = read_part(r, "outer", "top-k", {"top-k", "rand-k", "rand-seq-k"},
                      "compressor of a composition that chooses the coordinates");
    inner = read_part(r, "inner", "qsgd", {"qsgd", "natural-dithering", "ternary"},
                      "compressor of a composition that quantises their values");
  }

 private:
  static CompressorMaker read_part(Reader& r, const char* key, std::string name,
                                   const std::vector<std::string>& names, const char* help) {
    r(key, name, names, help);
    return row(compressors(), name).read(r.settings());
  }
};

std::unique_ptr<Compressor> make_composition(const CompositionOptions& options,
                                             std::size_t dimension, ValueFormat) {
  Parts parts;
  parts.outer = options.outer(dimension, ValueFormat::float32);
  parts.inner = options.inner(parts.outer->layout().count, ValueFormat::float32);
  return std::make_unique<Composition>(std::move(parts));
}

}  // namespace

Row<CompressorMaker> composition_compressor() {
  return part_with_settings(
      "composition", "levels of the values at chosen coordinates: top-k of qsgd, for instance",
      make_composition);
}

}  // namespace trilemma
