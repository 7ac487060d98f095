#include "problem/kernels/bit_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/bit_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "numeric/registers.hpp"

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

using Groups = SparseRows::Groups;

using Quad = hn::CappedTag<real, 4>;

constexpr std::size_t quad = std::min<std::size_t>(4, lane_width);  // number of lanes of a Quad
static_assert(std::endian::native == std::endian::little, "words of bits are read as bytes");
constexpr std::size_t sum_lanes = 16;  // number of lanes of a sum, the same for all register widths

// Number of columns whose bits are read at once.
constexpr std::size_t chunk = 8 * sizeof(real);
constexpr std::size_t bit_block = 128;  // number of columns; rows have whole blocks
constexpr std::size_t vectors_of_chunk = chunk / lane_width;

// Finds the columns of a row, one vector of a chunk after the other.
class Chosen {
  using Words = hn::RebindToUnsigned<Registers>;
  using Word = hn::TFromD<Words>;

 public:
  Chosen() {
    for (std::size_t v = 0; v < vectors_of_chunk; ++v) {
      Word bit[lane_width];
      for (std::size_t l = 0; l < lane_width; ++l) bit[l] = Word{1} << (v * lane_width + l);
      bit_[v] = hn::LoadU(Words(), bit);
    }
  }

  // Calls visit(vector, add) for the vectors of the chunk whose bits begin at `bytes`; add(sums,
  // values) adds the values of the columns that the row has to their sums.
  template <class Visit>
  HWY_INLINE void each(const std::uint8_t* bytes, Visit&& visit) const {
    const Registers registers;
    if constexpr (HWY_MAX_BYTES == 64) {
      for (std::size_t v = 0; v < vectors_of_chunk; ++v) {
        const auto mask = hn::LoadMaskBits(registers, bytes + v * lane_width / 8);
        visit(v, [&](Register sums, Register values)
                     HWY_ATTR { return hn::IfThenElse(mask, hn::Add(sums, values), sums); });
      }
    } else {
      Word bits;
      std::memcpy(&bits, bytes, sizeof bits);
      const auto all = hn::Set(Words(), bits);
      for (std::size_t v = 0; v < vectors_of_chunk; ++v) {
        const auto mask = hn::RebindMask(registers, hn::TestBit(all, bit_[v]));
        visit(v, [&](Register sums, Register values)
                     HWY_ATTR { return hn::Add(sums, hn::IfThenElseZero(mask, values)); });
      }
    }
  }

 private:
  hn::Vec<Words> bit_[vectors_of_chunk];
};

// Adds the upper half of the lanes to the lower half until `quad` lanes are left.
template <class Tag>
HWY_INLINE hn::Vec<Quad> sum_of_halves(Tag tag, hn::Vec<Tag> part) {
  if constexpr (hn::MaxLanes(tag) == quad) {
    return part;
  } else {
    const hn::Half<Tag> half;
    return sum_of_halves(half, hn::Add(hn::LowerHalf(half, part), hn::UpperHalf(half, part)));
  }
}

// Returns the sum of the lanes of each part, by adding halves.
HWY_INLINE hn::Vec<Quad> sums_of_lanes(const hn::Vec<Quad>* part) {
  const Quad tag;
  const auto pair = [&](hn::Vec<Quad> a, hn::Vec<Quad> b) HWY_ATTR {
    return hn::Add(hn::ConcatLowerLower(tag, b, a), hn::ConcatUpperUpper(tag, b, a));
  };
  if constexpr (quad == 2) {
    return pair(part[0], part[1]);
  } else {
    const auto low = pair(part[0], part[1]);
    const auto high = pair(part[2], part[3]);
    return hn::Add(hn::ConcatEven(tag, high, low), hn::ConcatOdd(tag, high, low));
  }
}

// Returns the sums of number[j] over the columns j of `quad` rows, whose bits begin at row[r];
// their additions do not wait for each other.
HWY_INLINE hn::Vec<Quad> sums_of_rows(const Chosen& chosen, const std::uint8_t* const* row,
                                      ConstView number) {
  constexpr std::size_t vectors = sum_lanes / lane_width;
  const Registers registers;
  hn::Vec<Registers> part[quad][vectors];
  for (auto& of_row : part)
    for (auto& one : of_row) one = hn::Zero(registers);
  for (std::size_t first = 0; first < number.size(); first += bit_block) HWY_UNROLL(16)
  for (std::size_t c = 0; c < bit_block; c += chunk) HWY_UNROLL(4)
  for (std::size_t r = 0; r < quad; ++r)
    chosen.each(row[r] + first / 8 + c / 8, [&](std::size_t v, auto add) HWY_ATTR {
      const auto value = hn::LoadU(registers, number.data() + first + c + v * lane_width);
      part[r][v % vectors] = add(part[r][v % vectors], value);
    });
  hn::Vec<Quad> sum[quad];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < quad; ++r) {
    for (std::size_t half = vectors / 2; half > 0; half /= 2)
      for (std::size_t v = 0; v < half; ++v) part[r][v] = hn::Add(part[r][v], part[r][v + half]);
    sum[r] = sum_of_halves(registers, part[r][0]);
  }
  return sums_of_lanes(sum);
}

}  // namespace

void dots(const Groups& groups, Coordinates rows, ConstView number, double* out) {
  const Chosen chosen;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(groups.bits.data());
  const std::size_t stride = groups.words * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < rows.size(); i += quad) {
    const std::size_t count = std::min(quad, rows.size() - i);
    const std::uint8_t* row[quad];
    for (std::size_t r = 0; r < quad; ++r)
      row[r] = bytes + rows[i + std::min(r, count - 1)] * stride;
    real sum[quad];
    hn::StoreU(sums_of_rows(chosen, row, number), Quad(), sum);
    for (std::size_t r = 0; r < count; ++r) out[i + r] = static_cast<double>(sum[r]);
  }
}

void add_rows(const Groups& groups, Coordinates rows, ConstView number, View sum) {
  constexpr std::size_t chunks = std::max<std::size_t>(1, 8 / vectors_of_chunk);
  constexpr std::size_t vectors =
      chunks * vectors_of_chunk;  // the sums of these vectors stay in registers
  const Registers registers;
  const Chosen chosen;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(groups.bits.data());
  const std::size_t stride = groups.words * sizeof(std::uint64_t);
  for (std::size_t first = 0; first < sum.size(); first += chunks * chunk) {
    const auto zero = hn::Zero(registers);  // makes +0 of -0, as adding 0 for absent columns would
    hn::Vec<Registers> part[vectors];
    for (std::size_t v = 0; v < vectors; ++v)
      part[v] = hn::Add(hn::LoadU(registers, sum.data() + first + v * lane_width), zero);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint8_t* const row = bytes + rows[i] * stride + first / 8;
      const auto value = hn::Set(registers, number[i]);
      for (std::size_t c = 0; c < chunks; ++c)
        chosen.each(row + c * chunk / 8, [&](std::size_t v, auto add) HWY_ATTR {
          auto& sums = part[c * vectors_of_chunk + v];
          sums = add(sums, value);
        });
    }
    for (std::size_t v = 0; v < vectors; ++v)
      hn::StoreU(part[v], registers, sum.data() + first + v * lane_width);
  }
}

// Handles up to 16 columns within the same 128: collects their bytes in one register and tests
// their bits.
void add_at(const Groups& groups, Coordinates rows, ConstView number, Coordinates at, View sum) {
  constexpr std::size_t vectors = sum_lanes / lane_width;
  const Registers registers;
  const Chosen chosen;
  constexpr std::size_t bits_of_block = 8 * sum_lanes;
  const hn::FixedTag<std::uint8_t, sum_lanes> bytes_tag;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(groups.bits.data());
  const std::size_t stride = groups.words * sizeof(std::uint64_t);
  for (std::size_t first = 0; first < at.size();) {
    const std::size_t own = at[first] / bits_of_block;
    std::array<std::uint8_t, sum_lanes> byte{};
    std::array<std::uint8_t, sum_lanes> bit{};
    std::array<real, sum_lanes> part{};
    std::size_t count = 0;
    for (; count < sum_lanes && first + count < at.size(); ++count) {
      const std::uint32_t column = at[first + count];
      if (column / bits_of_block != own) break;
      byte[count] = static_cast<std::uint8_t>(column % bits_of_block / 8);
      bit[count] = static_cast<std::uint8_t>(1U << (column % 8));
      part[count] = sum[column] + real{0};
    }
    const auto place = hn::LoadU(bytes_tag, byte.data());
    const auto wanted = hn::LoadU(bytes_tag, bit.data());
    hn::Vec<Registers> sums[vectors];
    for (std::size_t v = 0; v < vectors; ++v)
      sums[v] = hn::LoadU(registers, part.data() + v * lane_width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = hn::LoadU(bytes_tag, bytes + rows[i] * stride + own * sum_lanes);
      const auto found = hn::And(hn::TableLookupBytes(row, place), wanted);
      std::uint8_t has[16] = {};  // Highway accesses eight bytes from each position
      hn::StoreMaskBits(bytes_tag, hn::Eq(found, wanted), has);
      const auto value = hn::Set(registers, number[i]);
      chosen.each(has, [&](std::size_t v, auto add) HWY_ATTR {
        if (v < vectors) sums[v] = add(sums[v], value);
      });
    }
    for (std::size_t v = 0; v < vectors; ++v)
      hn::StoreU(sums[v], registers, part.data() + v * lane_width);
    for (std::size_t l = 0; l < count; ++l) sum[at[first + l]] = part[l];
    first += count;
  }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(dots);
HWY_EXPORT(add_rows);
HWY_EXPORT(add_at);

std::size_t bit_room(const SparseRows::Groups& groups) { return 64 * groups.words; }

void bit_row_dots(const SparseRows::Groups& groups, Coordinates rows, ConstView number,
                  double* out) {
  HWY_DYNAMIC_DISPATCH(dots)(groups, rows, number, out);
}

void add_bit_rows(const SparseRows::Groups& groups, Coordinates rows, ConstView number, View sum) {
  HWY_DYNAMIC_DISPATCH(add_rows)(groups, rows, number, sum);
}

void add_bit_rows_at(const SparseRows::Groups& groups, Coordinates rows, ConstView number,
                     Coordinates at, View sum) {
  HWY_DYNAMIC_DISPATCH(add_at)(groups, rows, number, at, sum);
}

}  // namespace trilemma
#endif
