#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "wire/parts.hpp"

namespace trilemma::wire {
namespace {

// Range variant of asymmetric numeral systems (Duda 2013) with 64-bit states and 32-bit digits. The
// magnitudes of levels are coded by their frequencies in the message, in units of 2^-15; the signs
// of nonzero levels follow, one bit each. The code is preceded by the largest magnitude and the
// share of each smaller one.
constexpr unsigned share_bits = 15, state_bits = 64, digit_bits = 32;
constexpr std::uint32_t whole = 1U << share_bits;
constexpr std::uint64_t least_state = 1ULL << 31U;

std::size_t symbol_of(std::int32_t level) {
  return static_cast<std::size_t>(std::abs(std::int64_t{level}));
}

// Shares of magnitudes and their cumulative sums; `before` has one extra entry for the total.
struct Model {
  std::vector<std::uint32_t> share, before;

  std::size_t sizes() const { return share.size(); }
  void sum_up() {
    before.resize(sizes() + 1);
    before[0] = 0;
    for (std::size_t i = 0; i < sizes(); ++i) before[i + 1] = before[i] + share[i];
  }
  // Gives every magnitude that occurs a nonzero share; the rounding difference goes to the most
  // frequent one.
  void count(std::span<const std::int32_t> levels) {
    share.clear();
    for (const std::int32_t level : levels) {
      const std::size_t size = symbol_of(level);
      if (size >= sizes()) share.resize(size + 1);
      ++share[size];
    }
    const auto used = static_cast<std::uint64_t>(sizes()) -
                      static_cast<std::uint64_t>(std::ranges::count(share, 0U));
    const auto most = std::ranges::max_element(share) - share.begin();
    std::uint32_t left = whole;
    for (auto& number : share) {
      if (number == 0) continue;
      number = static_cast<std::uint32_t>(number * (whole - used) / levels.size()) + 1;
      left -= number;
    }
    share[static_cast<std::size_t>(most)] += left;
    sum_up();
  }
  std::uint64_t bits(const Layout& layout) const {
    std::uint64_t total = bits_for(std::uint64_t{layout.levels} + 1);
    for (std::size_t i = 0; i + 1 < sizes(); ++i) total += gamma_bits(share[i] + 1);
    return total;
  }
  void put(BitWriter& out, const Layout& layout) const {
    out.put(sizes() - 1, bits_for(std::uint64_t{layout.levels} + 1));
    for (std::size_t i = 0; i + 1 < sizes(); ++i) out.put_gamma(share[i] + 1);
  }
  void get(BitReader& in, const Layout& layout) {
    const std::uint64_t most = in.get(bits_for(std::uint64_t{layout.levels} + 1));
    if (most > layout.levels) in.refuse();
    share.resize(most + 1);
    std::uint64_t left = whole;
    for (std::size_t i = 0; i < most; ++i) {
      const std::uint64_t part = in.get_gamma() - 1;
      if (part >= left) in.refuse();
      share[i] = static_cast<std::uint32_t>(part);
      left -= part;
    }
    share[most] = static_cast<std::uint32_t>(left);
    sum_up();
  }
};

// Encodes the levels from last to first. Calls digit(d) for each digit that leaves the state, and
// returns the final state.
template <class Digit>
std::uint64_t push_all(const Model& model, std::span<const std::int32_t> levels, Digit&& digit) {
  std::uint64_t state = least_state;
  for (std::size_t i = levels.size(); i-- > 0;) {
    const std::size_t size = symbol_of(levels[i]);
    const std::uint64_t share = model.share[size];
    if (state >= ((least_state >> share_bits) << digit_bits) * share) {
      digit(static_cast<std::uint32_t>(state));
      state >>= digit_bits;
    }
    state = ((state / share) << share_bits) + state % share + model.before[size];
  }
  return state;
}

// Finds the magnitude whose range contains a given unit of 2^-15: a table of 256 start positions,
// followed by a linear search.
class Finder {
 public:
  void prepare(const Model& model) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < first_.size(); ++i) {
      while (model.before[size + 1] <= i << shift) ++size;
      first_[i] = static_cast<std::uint32_t>(size);
    }
  }
  std::size_t find(const Model& model, std::uint32_t part) const {
    std::size_t size = first_[part >> shift];
    while (model.before[size + 1] <= part) ++size;
    return size;
  }

 private:
  static constexpr unsigned shift = share_bits - 8;
  std::array<std::uint32_t, 256> first_{};
};

// Reused buffers, since messages are written and read in every round and a round must not allocate.
thread_local Model model;
thread_local Finder finder;
thread_local std::vector<std::uint32_t> digits;

}  // namespace

std::uint64_t measure_rans(const Layout& layout, std::span<const std::int32_t> levels) {
  if (levels.empty()) return 0;
  model.count(levels);
  std::uint64_t bits = model.bits(layout) + state_bits;
  push_all(model, levels, [&](std::uint32_t) { bits += digit_bits; });
  return bits + levels.size() - static_cast<std::uint64_t>(std::ranges::count(levels, 0));
}

void put_rans(BitWriter& out, const Layout& layout, std::span<const std::int32_t> levels) {
  if (levels.empty()) return;
  model.count(levels);
  model.put(out, layout);
  digits.clear();
  const std::uint64_t state =
      push_all(model, levels, [](std::uint32_t digit) { digits.push_back(digit); });
  out.put(state & 0xFFFFFFFFU, digit_bits);
  out.put(state >> digit_bits, digit_bits);
  for (std::size_t i = digits.size(); i-- > 0;) out.put(digits[i], digit_bits);
  for (const std::int32_t level : levels)
    if (level != 0) out.put(level < 0 ? 1 : 0, 1);
}

void get_rans(BitReader& in, const Layout& layout, std::span<std::int32_t> levels) {
  if (levels.empty()) return;
  model.get(in, layout);
  finder.prepare(model);
  std::uint64_t state = in.get(state_bits);
  if (state < least_state || state >> (state_bits - 1) != 0) in.refuse();
  for (auto& level : levels) {
    const auto part = static_cast<std::uint32_t>(state & (whole - 1));
    const std::size_t size = finder.find(model, part);
    level = static_cast<std::int32_t>(size);
    state = model.share[size] * (state >> share_bits) + part - model.before[size];
    if (state < least_state) state = state << digit_bits | in.get(digit_bits);
  }
  if (state != least_state) in.refuse();
  for (auto& level : levels)
    if (level != 0 && in.get(1) != 0) level = -level;
}

}  // namespace trilemma::wire
