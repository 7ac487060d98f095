#include "compress/compressor.hpp"

namespace trilemma {

// One declaration and one row for each file of this room.
Row<CompressorMaker> identity_compressor();
Row<CompressorMaker> rand_k_compressor();
Row<CompressorMaker> rand_seq_k_compressor();
Row<CompressorMaker> bernoulli_compressor();
Row<CompressorMaker> perm_k_compressor();
Row<CompressorMaker> natural_compressor();
Row<CompressorMaker> qsgd_compressor();
Row<CompressorMaker> natural_dithering_compressor();
Row<CompressorMaker> ternary_compressor();
Row<CompressorMaker> grid_compressor();
Row<CompressorMaker> lattice_compressor();
Row<CompressorMaker> top_k_compressor();
Row<CompressorMaker> threshold_compressor();
Row<CompressorMaker> adaptive_threshold_compressor();
Row<CompressorMaker> sign_compressor();
Row<CompressorMaker> composition_compressor();
Row<CompressorMaker> count_sketch_compressor();
Row<CompressorMaker> low_rank_compressor();

std::span<const Row<CompressorMaker>> compressors() {
  static const Row<CompressorMaker> table[] = {
      identity_compressor(),     rand_k_compressor(),
      rand_seq_k_compressor(),   bernoulli_compressor(),
      perm_k_compressor(),       natural_compressor(),
      qsgd_compressor(),         natural_dithering_compressor(),
      ternary_compressor(),      grid_compressor(),
      lattice_compressor(),      top_k_compressor(),
      threshold_compressor(),    adaptive_threshold_compressor(),
      sign_compressor(),         composition_compressor(),
      count_sketch_compressor(), low_rank_compressor(),
  };
  return table;
}

}  // namespace trilemma
