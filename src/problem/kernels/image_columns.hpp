#pragma once
// Single coordinates of A^T e for images A with an index of their nonzero bytes (image_layer.hpp).

#include "data/dataset.hpp"
#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// Number of rows that are summed in parallel.
inline constexpr std::size_t image_lanes = 16;

/// Largest number of bytes of a row that are transposed at once; the length of a row of a tile is a
/// multiple of it.
inline constexpr std::size_t tile_bytes = 32;

/// Scratch memory: images stored by column, so that a sum over rows reads consecutive memory.
struct ImageColumns {
  std::size_t rows = 0;            ///< number of rows, padded to a multiple of the lanes
  std::size_t units = 0;           ///< number of columns of e
  std::vector<std::uint8_t> byte;  ///< by column, rows contiguous; followed by a column of ones
  std::vector<std::uint8_t> tile;  ///< some rows, one after the other
  Vector error;                    ///< by unit, rows contiguous
  Vector total;                    ///< by unit, the sum of its errors
};

/// Returns whether computing this number of coordinates of columns x units one by one is cheaper
/// than computing all.
bool image_columns_pay(std::size_t coordinates, std::size_t columns, std::size_t units,
                       std::size_t rows);

/// Adds weight * (A^T e)[c] to sum[c] for c in `at`: positions in A^T e, row-major, ascending. Sums
/// run in 16 fixed lanes over the rows: bit-identical for registers of 256 bits and wider, and
/// equal up to rounding to those of image_transpose_product, which run in the order of the rows.
void image_transpose_product_at(const DenseRows& images, Coordinates rows, real weight,
                                const ConstMatrixView& e, Coordinates at, ImageColumns& scratch,
                                View sum);

}  // namespace trilemma
