#include "problem/kernels/image_columns.hpp"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/image_columns.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using ImageTag = hn::CappedTag<real, image_lanes>;
using ImagePart = hn::Vec<ImageTag>;
constexpr std::size_t part_width = std::min<std::size_t>(image_lanes, HWY_LANES(real));
constexpr std::size_t parts = image_lanes / part_width;
// Number of units summed at the same time: uses half of the 16 registers that every processor has.
constexpr std::size_t most_units = 8 / parts;

// Returns the sum of all lanes, by adding halves.
template <class Tag>
real folded(Tag tag, hn::Vec<Tag> value) {
  if constexpr (hn::MaxLanes(tag) == 1) {
    return hn::GetLane(value);
  } else {
    const hn::Half<Tag> half;
    return folded(half, hn::Add(hn::LowerHalf(half, value), hn::UpperHalf(half, value)));
  }
}

real folded(std::array<ImagePart, parts> sum) {
  for (std::size_t half = parts / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) sum[i] = hn::Add(sum[i], sum[i + half]);
  return folded(ImageTag(), sum[0]);
}

template <class Tag>
hn::Vec<Tag> load_bytes(Tag tag, const std::uint8_t* from) {
  const hn::Rebind<std::uint8_t, Tag> bytes;
  const hn::Rebind<std::int32_t, Tag> integers;
  const auto value = hn::PromoteTo(integers, hn::LoadU(bytes, from));
  if constexpr (sizeof(hn::TFromD<Tag>) == sizeof(float))
    return hn::ConvertTo(tag, value);
  else
    return hn::PromoteTo(tag, value);
}

// Sets out[k] to the sum over the rows of byte[row] * error[k][row].
template <std::size_t units>
void dots(const std::uint8_t* byte, const real* const* error, std::size_t rows, real* out) {
  const ImageTag registers;
  std::array<std::array<ImagePart, parts>, units> sum;
  for (auto& one : sum) one.fill(hn::Zero(registers));
  for (std::size_t row = 0; row < rows; row += image_lanes)
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t at = row + i * part_width;
      const ImagePart value = load_bytes(registers, byte + at);
      for (std::size_t k = 0; k < units; ++k)
        sum[k][i] = hn::MulAdd(value, hn::LoadU(registers, error[k] + at), sum[k][i]);
    }
  for (std::size_t k = 0; k < units; ++k) out[k] = folded(sum[k]);
}

template <std::size_t units>
void dots_of(std::size_t count, const std::uint8_t* byte, const real* const* error,
             std::size_t rows, real* out) {
  if (count == units) return dots<units>(byte, error, rows, out);
  if constexpr (units > 1) dots_of<units - 1>(count, byte, error, rows, out);
}

using ByteTag = hn::CappedTag<std::uint8_t, tile_bytes>;
constexpr std::size_t block_bytes = 16;  // of a register; bytes are interleaved within blocks
static_assert(image_lanes == block_bytes);

// Transposes rows of `stride` bytes into columns of `rows` bytes: 16 rows, and as many of the
// `columns` columns as fill a register, at a time. Four perfect shuffles transpose 16 x 16 bytes.
template <class Tag>
HWY_INLINE void transpose_tile(Tag tag, const std::uint8_t* from, std::size_t stride,
                               std::size_t columns, std::uint8_t* to, std::size_t rows) {
  constexpr std::size_t half = block_bytes / 2;
  hn::Vec<Tag> value[block_bytes];
  for (std::size_t i = 0; i < block_bytes; ++i) value[i] = hn::LoadU(tag, from + i * stride);
  for (int shuffle = 0; shuffle < 4; ++shuffle) {
    hn::Vec<Tag> mixed[block_bytes];
    for (std::size_t i = 0; i < half; ++i) {
      mixed[2 * i] = hn::InterleaveLower(tag, value[i], value[i + half]);
      mixed[2 * i + 1] = hn::InterleaveUpper(tag, value[i], value[i + half]);
    }
    for (std::size_t i = 0; i < block_bytes; ++i) value[i] = mixed[i];
  }
  if constexpr (hn::MaxLanes(tag) == block_bytes) {
    for (std::size_t i = 0; i < columns; ++i) hn::StoreU(value[i], tag, to + i * rows);
  } else {
    const hn::Half<Tag> block;
    for (std::size_t i = 0; i < std::min(block_bytes, columns); ++i)
      hn::StoreU(hn::LowerHalf(block, value[i]), block, to + i * rows);
    for (std::size_t i = block_bytes; i < columns; ++i)
      hn::StoreU(hn::UpperHalf(block, value[i - block_bytes]), block, to + i * rows);
  }
}

}  // namespace

// Transposes 16 rows of bytes, each `stride` long, to positions 0 to 15 of the columns.
void transpose_rows(const std::uint8_t* from, std::size_t stride, std::size_t columns,
                    std::uint8_t* to, std::size_t rows) {
  constexpr std::size_t width = hn::MaxLanes(ByteTag());
  for (std::size_t c = 0; c < columns; c += width)
    transpose_tile(ByteTag(), from + c, stride, std::min(width, columns - c), to + c * rows, rows);
}

void add_dots(ImageColumns& of, std::size_t columns, real scale, real shift, Coordinates at,
              View sum) {
  const std::uint8_t* const ones = of.byte.data() + columns * of.rows;
  for (std::size_t j = 0; j < of.units; ++j) {
    const real* const error = of.error.data() + j * of.rows;
    dots<1>(ones, &error, of.rows, of.total.data() + j);
  }
  std::array<const real*, most_units> error{};
  std::array<real, most_units> found{};
  std::array<std::size_t, most_units> unit{};
  for (std::size_t first = 0; first < at.size();) {
    const std::size_t column = at[first] / of.units;
    std::size_t count = 0;
    for (; count < most_units && first + count < at.size(); ++count) {
      const std::size_t j = at[first + count] - column * of.units;
      if (j >= of.units) break;
      unit[count] = j;
      error[count] = of.error.data() + j * of.rows;
    }
    dots_of<most_units>(count, of.byte.data() + column * of.rows, error.data(), of.rows,
                        found.data());
    for (std::size_t k = 0; k < count; ++k)
      sum[at[first + k]] += scale * found[k] + shift * of.total[unit[k]];
    first += count;
  }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(add_dots);
HWY_EXPORT(transpose_rows);

namespace {

// Copies the pointers to local variables, since the compiler must assume that a stored byte may
// alias any other variable.
void put_bytes(const DenseRows::NonZeros& n, std::uint32_t row, std::uint8_t* to) {
  const std::uint16_t* column = n.column.data() + n.start[row];
  const std::uint16_t* const end = n.column.data() + n.start[row + 1];
  const std::uint8_t* byte = n.byte.data() + n.start[row];
  for (; column != end; ++column, ++byte) to[*column] = *byte;
}

// Expands a few rows at a time, so that they stay in the first-level cache, and transposes them
// from there.
void turn(const DenseRows& images, Coordinates rows, const ConstMatrixView& e, ImageColumns& to) {
  const std::size_t stride = (images.columns + tile_bytes - 1) / tile_bytes * tile_bytes;
  to.tile.resize(image_lanes * stride);
  for (std::size_t first = 0; first < to.rows; first += image_lanes) {
    const std::size_t count = std::min(image_lanes, rows.size() - first);
    std::ranges::fill(to.tile, std::uint8_t{0});
    for (std::size_t i = 0; i < count; ++i)
      put_bytes(images.nonzeros, rows[first + i], to.tile.data() + i * stride);
    HWY_DYNAMIC_DISPATCH(transpose_rows)
    (to.tile.data(), stride, images.columns, to.byte.data() + first, to.rows);
    const auto below = static_cast<std::size_t>(e.outerStride());
    const real* const error = e.data() + first * below;
    for (std::size_t j = 0; j < to.units; ++j) {
      real* const column = to.error.data() + j * to.rows + first;
      for (std::size_t i = 0; i < count; ++i) column[i] = error[i * below + j];
      std::fill(column + count, column + image_lanes, real{0});
    }
  }
}

}  // namespace

bool image_columns_pay(std::size_t coordinates, std::size_t columns, std::size_t units,
                       std::size_t rows) {
  constexpr std::size_t least_rows = 32, share = 4;
  return rows >= least_rows && coordinates * share <= columns * units;
}

void image_transpose_product_at(const DenseRows& images, Coordinates rows, real weight,
                                const ConstMatrixView& e, Coordinates at, ImageColumns& scratch,
                                View sum) {
  if (at.empty()) return;
  scratch.rows = (rows.size() + image_lanes - 1) / image_lanes * image_lanes;
  scratch.units = static_cast<std::size_t>(e.cols());
  scratch.byte.resize(images.columns * scratch.rows);
  scratch.byte.resize((images.columns + 1) * scratch.rows, 1);
  scratch.error.resize(scratch.units * scratch.rows);
  scratch.total.resize(scratch.units);
  turn(images, rows, e, scratch);
  const real scale = weight * static_cast<real>(images.scale);
  const real shift = weight * static_cast<real>(images.shift);
  HWY_DYNAMIC_DISPATCH(add_dots)(scratch, images.columns, scale, shift, at, sum);
}

}  // namespace trilemma
#endif
