#pragma once
// Shared by compressors that send coordinates chosen by the vector, unscaled.

#include "compress/compressor.hpp"

namespace trilemma {

/// Sends the selected coordinates with their indices, rounded to the layout's values.
class Sparsifier : public Compressor {
 public:
  Layout layout() const final { return layout_; }
  void compress(ConstView z, const Key& key, Message& out) final;
  SparseView expand(const Message& message) final {
    return {Support::of(message.index), message.value};
  }

 protected:
  explicit Sparsifier(const Layout& layout) : layout_(layout) {}
  /// Writes the coordinates to be sent, ascending.
  virtual void select(ConstView z, std::vector<std::uint32_t>& index) = 0;
  /// Returns the traits of a selection that contracts by `delta`, with the variance of rounding
  /// added.
  CompressorTraits biased_traits(double delta) const;
  /// Returns a suffix for descriptions.
  const char* size_note() const { return layout_.is_equal() ? "" : ", messages of any size"; }

  Layout layout_;

 private:
  Rounding rounding_;
};

}  // namespace trilemma
