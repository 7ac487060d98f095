#pragma once
// Shared by compressors that send coordinates chosen by the vector, unscaled.

#include <algorithm>
#include <limits>

#include "compress/compressor.hpp"

namespace trilemma {

/// Sends the selected coordinates with their indices, rounded to the layout's values.
class Sparsifier : public Compressor {
 public:
  Layout layout() const final { return layout_; }
  void compress(ConstView z, const Key& key, Message& out) final {
    select(z, out.index);
    out.value.resize(out.index.size());
    for (std::size_t i = 0; i < out.index.size(); ++i) out.value[i] = z[out.index[i]];
    rounding_(layout_.value, key, out.value);
  }
  SparseView expand(const Message& message) final {
    return {Support::of(message.index), message.value};
  }

 protected:
  explicit Sparsifier(const Layout& layout) : layout_(layout) {}
  /// Writes the coordinates to be sent, ascending.
  virtual void select(ConstView z, std::vector<std::uint32_t>& index) = 0;
  /// Returns the traits of a selection that contracts by `delta`, with the variance of rounding
  /// added: the coordinates that are sent and those that are dropped are orthogonal, so their
  /// errors add up.
  CompressorTraits biased_traits(double delta) const {
    const RoundingTraits rounding = rounding_traits(layout_.value, layout_.count);
    return {.unbiased = false,
            .omega = std::numeric_limits<double>::quiet_NaN(),
            .gain = rounding.gain,
            .share = layout_.varies ? 1.0
                                    : static_cast<double>(layout_.count) /
                                          static_cast<double>(layout_.dimension),
            .chooses_coordinates = true,
            .delta = std::max(0.0, delta - rounding.omega)};
  }
  /// Returns a suffix for descriptions.
  const char* size_note() const { return layout_.is_equal() ? "" : ", messages of any size"; }

  Layout layout_;

 private:
  Rounding rounding_;
};

}  // namespace trilemma
