#include "compress/compressor.hpp"

namespace trilemma {

// One declaration and one row for each file of this room.
Row<CompressorMaker> identity_compressor();
Row<CompressorMaker> rand_k_compressor();
Row<CompressorMaker> bernoulli_compressor();

std::span<const Row<CompressorMaker>> compressors() {
  static const Row<CompressorMaker> table[] = {
      identity_compressor(),
      rand_k_compressor(),
      bernoulli_compressor(),
  };
  return table;
}

}  // namespace trilemma
