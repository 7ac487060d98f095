#include "problem/kernels/bit_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/bit_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Groups = SparseRows::Groups;
using Registers = hn::ScalableTag<real>;
using Register = hn::Vec<Registers>;

constexpr std::size_t lane_width = HWY_MAX_BYTES / sizeof(real);
static_assert(std::endian::native == std::endian::little, "words of bits are read as bytes");
constexpr std::size_t lanes = 16;  // number of lanes of a sum, the same for all register widths

// Number of columns whose bits are read at once.
constexpr std::size_t chunk = 8 * sizeof(real);
constexpr std::size_t vectors_of_chunk = chunk / lane_width;

// Selects values where a row has the column, and 0 elsewhere, one vector of a chunk after the
// other.
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

  // Calls visit(vector, pick) for the vectors of the chunk whose bits begin at `bytes`;
  // pick(values) selects.
  template <class Visit>
  HWY_INLINE void each(const std::uint8_t* bytes, Visit&& visit) const {
    const Registers registers;
    if constexpr (HWY_MAX_BYTES == 64) {
      for (std::size_t v = 0; v < vectors_of_chunk; ++v) {
        const auto mask = hn::LoadMaskBits(registers, bytes + v * lane_width / 8);
        visit(v, [&](Register values) HWY_ATTR { return hn::IfThenElseZero(mask, values); });
      }
    } else {
      Word bits;
      std::memcpy(&bits, bytes, sizeof bits);
      const auto all = hn::Set(Words(), bits);
      for (std::size_t v = 0; v < vectors_of_chunk; ++v) {
        const auto mask = hn::RebindMask(registers, hn::TestBit(all, bit_[v]));
        visit(v, [&](Register values) HWY_ATTR { return hn::IfThenElseZero(mask, values); });
      }
    }
  }

 private:
  hn::Vec<Words> bit_[vectors_of_chunk];
};

// Returns the sum of all lanes, by adding halves.
template <class Tag>
HWY_INLINE real sum_of_halves(Tag tag, hn::Vec<Tag> part) {
  if constexpr (hn::MaxLanes(tag) == 1) {
    return hn::GetLane(part);
  } else {
    const hn::Half<Tag> half;
    return sum_of_halves(half, hn::Add(hn::LowerHalf(half, part), hn::UpperHalf(half, part)));
  }
}

}  // namespace

void dots(const Groups& groups, Coordinates rows, ConstView number, double* out) {
  constexpr std::size_t vectors = lanes / lane_width;
  const Registers registers;
  const Chosen chosen;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(groups.bits.data());
  const std::size_t stride = groups.words * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint8_t* const row = bytes + rows[i] * stride;
    hn::Vec<Registers> part[vectors];
    for (auto& one : part) one = hn::Zero(registers);
    for (std::size_t first = 0; first < number.size(); first += chunk)
      chosen.each(row + first / 8, [&](std::size_t v, auto pick) HWY_ATTR {
        const auto value = hn::LoadU(registers, number.data() + first + v * lane_width);
        part[v % vectors] = hn::Add(part[v % vectors], pick(value));
      });
    for (std::size_t half = vectors / 2; half > 0; half /= 2)
      for (std::size_t v = 0; v < half; ++v) part[v] = hn::Add(part[v], part[v + half]);
    out[i] = static_cast<double>(sum_of_halves(registers, part[0]));
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
    hn::Vec<Registers> part[vectors];
    for (std::size_t v = 0; v < vectors; ++v)
      part[v] = hn::LoadU(registers, sum.data() + first + v * lane_width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint8_t* const row = bytes + rows[i] * stride + first / 8;
      const auto value = hn::Set(registers, number[i]);
      for (std::size_t c = 0; c < chunks; ++c)
        chosen.each(row + c * chunk / 8, [&](std::size_t v, auto pick) HWY_ATTR {
          auto& sums = part[c * vectors_of_chunk + v];
          sums = hn::Add(sums, pick(value));
        });
    }
    for (std::size_t v = 0; v < vectors; ++v)
      hn::StoreU(part[v], registers, sum.data() + first + v * lane_width);
  }
}

// Handles up to 16 columns within the same 128: collects their bytes in one register and tests
// their bits.
void add_at(const Groups& groups, Coordinates rows, ConstView number, Coordinates at, View sum) {
  constexpr std::size_t vectors = lanes / lane_width;
  const Registers registers;
  const Chosen chosen;
  constexpr std::size_t bits_of_block = 8 * lanes;
  const hn::FixedTag<std::uint8_t, lanes> bytes_tag;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(groups.bits.data());
  const std::size_t stride = groups.words * sizeof(std::uint64_t);
  for (std::size_t first = 0; first < at.size();) {
    const std::size_t block = at[first] / bits_of_block;
    std::array<std::uint8_t, lanes> byte{};
    std::array<std::uint8_t, lanes> bit{};
    std::array<real, lanes> part{};
    std::size_t count = 0;
    for (; count < lanes && first + count < at.size(); ++count) {
      const std::uint32_t column = at[first + count];
      if (column / bits_of_block != block) break;
      byte[count] = static_cast<std::uint8_t>(column % bits_of_block / 8);
      bit[count] = static_cast<std::uint8_t>(1U << (column % 8));
      part[count] = sum[column];
    }
    const auto place = hn::LoadU(bytes_tag, byte.data());
    const auto wanted = hn::LoadU(bytes_tag, bit.data());
    hn::Vec<Registers> sums[vectors];
    for (std::size_t v = 0; v < vectors; ++v)
      sums[v] = hn::LoadU(registers, part.data() + v * lane_width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = hn::LoadU(bytes_tag, bytes + rows[i] * stride + block * lanes);
      const auto found = hn::And(hn::TableLookupBytes(row, place), wanted);
      std::uint8_t has[16] = {};  // Highway accesses eight bytes from each position
      hn::StoreMaskBits(bytes_tag, hn::Eq(found, wanted), has);
      const auto value = hn::Set(registers, number[i]);
      chosen.each(has, [&](std::size_t v, auto pick) HWY_ATTR {
        if (v < vectors) sums[v] = hn::Add(sums[v], pick(value));
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
