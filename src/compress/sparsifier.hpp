#pragma once
// What compressors share that send coordinates which depend on the vector, as they are.

#include "compress/compressor.hpp"

namespace trilemma {

/// Sends the chosen coordinates, with their numbers, rounded to the layout's values.
class Sparsifier : public Compressor {
 public:
  Layout layout() const final { return layout_; }
  void compress(ConstView z, const Key& key, Message& out) final;
  SparseView expand(const Message& message) final {
    return {Support::of(message.index), message.value};
  }

 protected:
  explicit Sparsifier(const Layout& layout) : layout_(layout) {}
  /// Writes the coordinates to send, ascending.
  virtual void select(ConstView z, std::vector<std::uint32_t>& index) = 0;
  /// Of a selection that contracts by delta; rounding adds its variance.
  CompressorTraits biased_traits(double delta) const;
  /// For descriptions.
  const char* size_note() const { return layout_.is_equal() ? "" : ", messages of any size"; }

  Layout layout_;

 private:
  Rounding rounding_;
};

}  // namespace trilemma
