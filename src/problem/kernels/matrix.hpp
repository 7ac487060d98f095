#pragma once
// Row-major matrix views on memory of models, gradients and factors.

#include <Eigen/Core>

#include <type_traits>

#include "base/types.hpp"

namespace trilemma {

using RowMajorMatrix = Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// Views with a row stride; the memory need not be aligned.
using MatrixView = Eigen::Map<RowMajorMatrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using ConstMatrixView = Eigen::Map<const RowMajorMatrix, Eigen::Unaligned, Eigen::OuterStride<>>;

template <class T>
using ViewOf = std::conditional_t<std::is_const_v<T>, ConstMatrixView, MatrixView>;

/// Returns a view of rows x columns values starting at `data`, with rows `stride` values apart.
template <class T>
ViewOf<T> matrix(T* data, std::size_t rows, std::size_t columns, std::size_t stride) {
  return {data, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(stride))};
}

}  // namespace trilemma
