#include "problem/image_layer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace trilemma {
namespace {

using NonZeros = DenseRows::NonZeros;

// Columns of the dense matrix that are worked on at once: they fit into the vector registers.
constexpr std::size_t strip = 64;

// A group of columns that stays in one or a few vector registers; compilers do not keep plain
// arrays there. Additions are the same as in a plain loop.
using Lanes [[gnu::vector_size(64)]] = real;
constexpr std::size_t lane_width = 64 / sizeof(real);
constexpr std::size_t groups = strip / lane_width;

// The memory need not be aligned for Lanes.
Lanes load(const real* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
void store(real* to, const Lanes& lanes) { std::memcpy(to, &lanes, sizeof lanes); }

// Non-zero bytes of one row.
struct Entries {
  const std::uint16_t* column;
  const std::uint8_t* byte;
  std::size_t count;
};

Entries entries(const NonZeros& n, std::uint32_t row) {
  const std::size_t first = n.start[row];
  return {n.column.data() + first, n.byte.data() + first, n.start[row + 1] - first};
}

// out[0 .. width) = sum over the entries of byte * w[column][0 .. width)
void product(const Entries& in, const real* w, std::size_t stride, real* out, std::size_t width) {
  if (width < strip) {
    std::fill_n(out, width, real{0});
    for (std::size_t e = 0; e < in.count; ++e)
      for (std::size_t j = 0; j < width; ++j)
        out[j] += static_cast<real>(in.byte[e]) * w[in.column[e] * stride + j];
    return;
  }
  Lanes part[groups] = {};
  for (std::size_t e = 0; e < in.count; ++e) {
    const real value = in.byte[e];
    const real* from = w + in.column[e] * stride;
    for (std::size_t g = 0; g < groups; ++g) part[g] += value * load(from + g * lane_width);
  }
  for (std::size_t g = 0; g < groups; ++g) store(out + g * lane_width, part[g]);
}

// sum[column][0 .. width) += byte * error[0 .. width) for all entries
void add_transpose(const Entries& in, const real* error, real* sum, std::size_t stride,
                   std::size_t width) {
  if (width < strip) {
    for (std::size_t e = 0; e < in.count; ++e)
      for (std::size_t j = 0; j < width; ++j)
        sum[in.column[e] * stride + j] += static_cast<real>(in.byte[e]) * error[j];
    return;
  }
  Lanes part[groups];
  for (std::size_t g = 0; g < groups; ++g) part[g] = load(error + g * lane_width);
  for (std::size_t e = 0; e < in.count; ++e) {
    const real value = in.byte[e];
    real* to = sum + in.column[e] * stride;
    for (std::size_t g = 0; g < groups; ++g)
      store(to + g * lane_width, load(to + g * lane_width) + value * part[g]);
  }
}

void product_strip(const DenseRows& images, Coordinates rows, Matrix<const real> w,
                   Matrix<real> out) {
  std::array<real, strip> column_sum{};
  for (std::size_t i = 0; i < w.rows; ++i)
    for (std::size_t j = 0; j < w.columns; ++j) column_sum[j] += w.data[i * w.stride + j];
  const real scale = static_cast<real>(images.scale);
  const real shift = static_cast<real>(images.shift);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    real* to = out.data + r * out.stride;
    product(entries(images.nonzeros, rows[r]), w.data, w.stride, to, out.columns);
    for (std::size_t j = 0; j < out.columns; ++j) to[j] = scale * to[j] + shift * column_sum[j];
  }
}

void transpose_strip(const DenseRows& images, Coordinates rows, real weight, Matrix<const real> e,
                     Matrix<real> sum) {
  const real scale = weight * static_cast<real>(images.scale);
  const real shift = weight * static_cast<real>(images.shift);
  std::array<real, strip> total{};
  std::array<real, strip> scaled{};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t j = 0; j < e.columns; ++j) {
      total[j] += e.data[r * e.stride + j];
      scaled[j] = scale * e.data[r * e.stride + j];
    }
    add_transpose(entries(images.nonzeros, rows[r]), scaled.data(), sum.data, sum.stride,
                  e.columns);
  }
  for (std::size_t i = 0; i < sum.rows; ++i)
    for (std::size_t j = 0; j < e.columns; ++j) sum.data[i * sum.stride + j] += shift * total[j];
}

// Columns [first, first + strip) of a matrix, or what is left of them.
template <class T>
Matrix<T> columns(const Matrix<T>& m, std::size_t first) {
  return {m.data + first, m.rows, std::min(strip, m.columns - first), m.stride};
}

}  // namespace

void image_prefetch(const DenseRows& images, Coordinates rows) {
  constexpr std::size_t line = 64;
  const NonZeros& n = images.nonzeros;
  for (const auto row : rows) __builtin_prefetch(n.start.data() + row);
  for (const auto row : rows) {
    const Entries next = entries(n, row);
    for (std::size_t e = 0; e < next.count; e += line / sizeof(std::uint16_t))
      __builtin_prefetch(next.column + e);
    for (std::size_t e = 0; e < next.count; e += line) __builtin_prefetch(next.byte + e);
  }
}

void image_product(const DenseRows& images, Coordinates rows, Matrix<const real> w,
                   Matrix<real> out) {
  for (std::size_t first = 0; first < w.columns; first += strip)
    product_strip(images, rows, columns(w, first), columns(out, first));
}

void image_transpose_product(const DenseRows& images, Coordinates rows, real weight,
                             Matrix<const real> e, Matrix<real> sum) {
  for (std::size_t first = 0; first < e.columns; first += strip)
    transpose_strip(images, rows, weight, columns(e, first), columns(sum, first));
}

}  // namespace trilemma
