#pragma once
// Single coordinates of A^T e, for images A with an index of their non-zero bytes
// (image_layer.hpp).

#include "data/dataset.hpp"
#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// Rows that are summed side by side.
inline constexpr std::size_t image_lanes = 16;

/// Bytes of a row that are turned at once, at most; rows of a tile are a multiple of them long.
inline constexpr std::size_t tile_bytes = 32;

/// Scratch memory: images column by column, so that a sum over rows is one over neighbours.
struct ImageColumns {
  std::size_t rows = 0;            ///< with padding to a multiple of the lanes
  std::size_t units = 0;           ///< columns of e
  std::vector<std::uint8_t> byte;  ///< by column, the rows side by side; behind them a column of 1
  std::vector<std::uint8_t> tile;  ///< some rows, side by side
  Vector error;                    ///< by unit, the rows side by side
  Vector total;                    ///< by unit, the sum of its errors
};

/// Whether so many coordinates of columns x units are less work one by one than all at once.
bool image_columns_pay(std::size_t coordinates, std::size_t columns, std::size_t units,
                       std::size_t rows);

/// sum[c] += weight * (A^T e)[c] for c in `at`: places in A^T e, row-major, ascending. Sums run in
/// 16 fixed lanes over the rows: bit-identical for registers of 256 bits and wider, different by
/// rounding from those of image_transpose_product, which run in the order of the rows.
void image_transpose_product_at(const DenseRows& images, Coordinates rows, real weight,
                                const ConstMatrixView& e, Coordinates at, ImageColumns& scratch,
                                View sum);

}  // namespace trilemma
