#include "wire/parts.hpp"

namespace trilemma::wire {
namespace {

constexpr unsigned parameter_bits = 5, tag_bits = 2;
constexpr IndexCode tagged[] = {IndexCode::fixed, IndexCode::rice, IndexCode::bitmap};

unsigned index_bits(const Layout& layout) { return std::max(1U, bits_for(layout.dimension)); }

// Calls visit(gap) for each index, with the number of coordinates skipped before it.
template <class Visit>
void each_gap(Coordinates indices, Visit&& visit) {
  std::uint32_t next = 0;
  for (const std::uint32_t index : indices) {
    visit(index - next);
    next = index + 1;
  }
}

// Returns the sum of all gaps, each divided by 2^rice and rounded down. The loop carries no value
// from one gap to the next, so that it is vectorised.
std::uint64_t quotients(Coordinates indices, unsigned rice) {
  std::uint64_t sum = indices[0] >> rice;
  for (std::size_t i = 1; i < indices.size(); ++i) sum += (indices[i] - indices[i - 1] - 1) >> rice;
  return sum;
}

std::uint64_t rice_bits(Coordinates indices, unsigned rice) {
  return parameter_bits + indices.size() * std::uint64_t{rice + 1} + quotients(indices, rice);
}

// The best Rice parameter for geometric gaps with this mean is about log2(mean ln 2) (Golomb 1966,
// Rice 1979). Compares the sizes at the two nearest integers; a tie goes to the smaller parameter.
std::uint64_t best_rice(Coordinates indices, unsigned& rice) {
  rice = 0;
  if (indices.empty()) return parameter_bits;
  const double mean =
      (static_cast<double>(indices.back()) + 1.0) / static_cast<double>(indices.size()) - 1.0;
  const auto target = static_cast<std::uint64_t>(0.6931471805599453 * mean);
  rice = target == 0 ? 0U : static_cast<unsigned>(std::bit_width(target)) - 1U;
  const std::uint64_t here = rice_bits(indices, rice);
  const std::uint64_t above = rice_bits(indices, rice + 1);
  if (above >= here) return here;
  ++rice;
  return above;
}

void put_rice(BitWriter& out, unsigned rice, Coordinates indices) {
  out.put(rice, parameter_bits);
  const std::uint32_t mask = (1U << rice) - 1;
  write(out, [&](BitWriter& to) {
    each_gap(indices, [&](std::uint32_t gap) {
      const std::uint32_t quotient = gap >> rice;
      if (quotient + 1 + rice > 56) {
        to.put_unary(quotient);
        to.put(gap & mask, rice);
      } else {
        const std::uint64_t ones = (1ULL << quotient) - 1;
        to.put(ones | std::uint64_t{gap & mask} << (quotient + 1), quotient + 1 + rice);
      }
    });
  });
}

void get_rice(BitReader& in, const Layout& layout, std::span<std::uint32_t> indices) {
  const auto rice = static_cast<unsigned>(in.get(parameter_bits));
  std::uint64_t next = 0;
  for (auto& index : indices) {
    next += in.get_rice(rice, layout.dimension >> rice);
    if (next >= layout.dimension) in.refuse();
    index = static_cast<std::uint32_t>(next++);
  }
}

void put_bitmap(BitWriter& out, const Layout& layout, Coordinates indices) {
  std::size_t first = 0;
  auto next = indices.begin();
  for (; first < layout.dimension; first += 64) {
    const auto bits = static_cast<unsigned>(std::min<std::size_t>(64, layout.dimension - first));
    std::uint64_t word = 0;
    for (; next != indices.end() && *next < first + bits; ++next) word |= 1ULL << (*next - first);
    out.put(word, bits);
  }
}

void get_bitmap(BitReader& in, const Layout& layout, std::span<std::uint32_t> indices) {
  std::size_t found = 0;
  for (std::size_t first = 0; first < layout.dimension; first += 64) {
    auto word = in.get(static_cast<unsigned>(std::min<std::size_t>(64, layout.dimension - first)));
    if (found + static_cast<std::size_t>(std::popcount(word)) > indices.size()) in.refuse();
    for (; word != 0; word &= word - 1)
      indices[found++] =
          static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(std::countr_zero(word));
  }
  if (found != indices.size()) in.refuse();
}

void get_fixed(BitReader& in, const Layout& layout, std::span<std::uint32_t> indices) {
  const unsigned bits = index_bits(layout);
  std::uint64_t next = 0;
  for (auto& index : indices) {
    const std::uint64_t found = in.get(bits);
    if (found >= layout.dimension)
      throw RunFailure(fmt::format("a message names coordinate {} of {}", found, layout.dimension));
    if (found < next) in.refuse();
    index = static_cast<std::uint32_t>(found);
    next = found + 1;
  }
}

}  // namespace

void measure_indices(const Layout& layout, Coordinates indices, Measure& measured) {
  measured.index = layout.index;
  if (layout.index == IndexCode::all || layout.index == IndexCode::keyed) return;
  const std::uint64_t fixed = indices.size() * std::uint64_t{index_bits(layout)};
  const std::uint64_t bitmap = layout.dimension;
  if (layout.index == IndexCode::fixed) measured.bits += fixed;
  if (layout.index == IndexCode::bitmap) measured.bits += bitmap;
  if (layout.index == IndexCode::rice) measured.bits += best_rice(indices, measured.rice);
  if (layout.index != IndexCode::smallest) return;
  const std::uint64_t rice = best_rice(indices, measured.rice);
  const std::uint64_t least = std::min({fixed, rice, bitmap});
  measured.bits += tag_bits + least;
  measured.index = least == fixed  ? IndexCode::fixed
                   : least == rice ? IndexCode::rice
                                   : IndexCode::bitmap;
}

void put_indices(BitWriter& out, const Layout& layout, const Measure& measured,
                 Coordinates indices) {
  if (layout.index == IndexCode::smallest)
    out.put(static_cast<std::uint64_t>(std::ranges::find(tagged, measured.index) - tagged),
            tag_bits);
  if (measured.index == IndexCode::rice) put_rice(out, measured.rice, indices);
  if (measured.index == IndexCode::bitmap) put_bitmap(out, layout, indices);
  if (measured.index != IndexCode::fixed) return;
  const unsigned bits = index_bits(layout);
  write(out, [&](BitWriter& to) {
    for (const auto index : indices) to.put(index, bits);
  });
}

void get_indices(BitReader& in, const Layout& layout, std::span<std::uint32_t> indices) {
  IndexCode code = layout.index;
  if (code == IndexCode::smallest) {
    const std::uint64_t tag = in.get(tag_bits);
    if (tag >= std::size(tagged)) in.refuse();
    code = tagged[tag];
  }
  if (code == IndexCode::fixed) get_fixed(in, layout, indices);
  if (code == IndexCode::rice) get_rice(in, layout, indices);
  if (code == IndexCode::bitmap) get_bitmap(in, layout, indices);
}

}  // namespace trilemma::wire
