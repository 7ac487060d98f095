#include <cstdlib>

#include "wire/parts.hpp"

namespace trilemma::wire {
namespace {

constexpr std::size_t trits_in_byte = 5;  // 3^5 = 243

std::uint64_t size_of(std::int32_t level) {
  return static_cast<std::uint64_t>(std::abs(std::int64_t{level}));
}

std::int32_t signed_level(BitReader& in, const Layout& layout, std::uint64_t size) {
  if (size > layout.levels) in.refuse();
  if (size == 0) return 0;
  const auto level = static_cast<std::int32_t>(size);
  return in.get(1) != 0 ? -level : level;
}

// Calls visit(gap, level) for each nonzero level, with the number of zeros before it.
template <class Visit>
void each_run(std::span<const std::int32_t> levels, Visit&& visit) {
  std::uint64_t gap = 0;
  for (const std::int32_t level : levels) {
    if (level == 0) {
      ++gap;
    } else {
      visit(gap, level);
      gap = 0;
    }
  }
}

void put_runs(BitWriter& out, std::span<const std::int32_t> levels) {
  const auto zeros = std::ranges::count(levels, 0);
  out.put(levels.size() - static_cast<std::size_t>(zeros), bits_for(levels.size() + 1));
  write(out, [&](BitWriter& to) {
    each_run(levels, [&](std::uint64_t gap, std::int32_t level) {
      to.put_gamma(gap + 1);
      to.put_gamma(size_of(level));
      to.put(level < 0 ? 1 : 0, 1);
    });
  });
}

void get_runs(BitReader& in, const Layout& layout, std::span<std::int32_t> levels) {
  std::ranges::fill(levels, 0);
  std::uint64_t next = 0;
  for (std::uint64_t left = in.get(bits_for(levels.size() + 1)); left > 0; --left) {
    next += in.get_gamma() - 1;
    if (next >= levels.size()) in.refuse();
    levels[next++] = signed_level(in, layout, in.get_gamma());
  }
}

void put_signs(BitWriter& out, std::span<const std::int32_t> levels) {
  constexpr std::size_t at_once = 32;
  for (std::size_t first = 0; first < levels.size(); first += at_once) {
    const auto some = levels.subspan(first, std::min(at_once, levels.size() - first));
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < some.size(); ++i)
      word |= (static_cast<std::uint32_t>(some[i]) >> 31U) << i;
    out.put(word, static_cast<unsigned>(some.size()));
  }
}

void put_trits(BitWriter& out, std::span<const std::int32_t> levels) {
  for (std::size_t first = 0; first < levels.size(); first += trits_in_byte) {
    const auto some = levels.subspan(first, std::min(trits_in_byte, levels.size() - first));
    unsigned byte = 0;
    for (std::size_t i = some.size(); i-- > 0;)
      byte = 3 * byte + static_cast<unsigned>(some[i] + 1);
    out.put(byte, 8);
  }
}

void get_trits(BitReader& in, std::span<std::int32_t> levels) {
  for (std::size_t first = 0; first < levels.size(); first += trits_in_byte) {
    auto byte = static_cast<unsigned>(in.get(8));
    for (auto& level : levels.subspan(first, std::min(trits_in_byte, levels.size() - first))) {
      level = static_cast<std::int32_t>(byte % 3) - 1;
      byte /= 3;
    }
    if (byte != 0) in.refuse();
  }
}

}  // namespace

unsigned level_bits(const Layout& layout) {
  if (layout.level == LevelCode::sign) return 1;
  if (layout.level == LevelCode::words) return bits_for(2 * std::uint64_t{layout.levels});
  return layout.level == LevelCode::fixed ? bits_for(2 * std::uint64_t{layout.levels} + 1) : 0U;
}

std::uint64_t trit_bits(std::size_t count) {
  return (count + trits_in_byte - 1) / trits_in_byte * std::uint64_t{8};
}

/// Returns the bits of `levels` in the code of `layout`.
std::uint64_t measure_levels(const Layout& layout, std::span<const std::int32_t> levels) {
  std::uint64_t bits = 0;
  switch (layout.level) {
    case LevelCode::fixed:
    case LevelCode::sign:
    case LevelCode::words:
      return levels.size() * std::uint64_t{level_bits(layout)};
    case LevelCode::trits:
      return trit_bits(levels.size());
    case LevelCode::gamma:
      for (const std::int32_t level : levels) bits += gamma_bits(size_of(level) + 1) + (level != 0);
      return bits;
    case LevelCode::runs:
      bits = bits_for(levels.size() + 1);
      each_run(levels, [&](std::uint64_t gap, std::int32_t level) {
        bits += gamma_bits(gap + 1) + gamma_bits(size_of(level)) + 1;
      });
      return bits;
    case LevelCode::rans:
      return measure_rans(layout, levels);
  }
  return bits;
}

void put_levels(BitWriter& out, const Layout& layout, std::span<const std::int32_t> levels) {
  const auto most = static_cast<std::int32_t>(layout.levels);
  const unsigned width = level_bits(layout);
  switch (layout.level) {
    case LevelCode::fixed:
      write(out, [&](BitWriter& to) {
        for (const std::int32_t level : levels)
          to.put(static_cast<std::uint64_t>(level + most), width);
      });
      break;
    case LevelCode::sign:
      put_signs(out, levels);
      break;
    case LevelCode::words:
      write(out, [&](BitWriter& to) {
        for (const std::int32_t level : levels)
          to.put(static_cast<std::uint32_t>(level) & (2 * layout.levels - 1), width);
      });
      break;
    case LevelCode::trits:
      put_trits(out, levels);
      break;
    case LevelCode::gamma:
      write(out, [&](BitWriter& to) {
        for (const std::int32_t level : levels) {
          to.put_gamma(size_of(level) + 1);
          if (level != 0) to.put(level < 0 ? 1 : 0, 1);
        }
      });
      break;
    case LevelCode::runs:
      put_runs(out, levels);
      break;
    case LevelCode::rans:
      put_rans(out, layout, levels);
      break;
  }
}

void get_levels(BitReader& in, const Layout& layout, std::span<std::int32_t> levels) {
  const auto most = static_cast<std::int32_t>(layout.levels);
  const unsigned width = level_bits(layout);
  switch (layout.level) {
    case LevelCode::fixed:
      for (auto& level : levels) {
        level = static_cast<std::int32_t>(in.get(width)) - most;
        if (level > most) in.refuse();
      }
      break;
    case LevelCode::sign:
      for (auto& level : levels) level = in.get(1) != 0 ? -1 : 1;
      break;
    case LevelCode::words:
      for (auto& level : levels) {
        level = static_cast<std::int32_t>(in.get(width));
        if (level >= most) level -= 2 * most;
      }
      break;
    case LevelCode::trits:
      get_trits(in, levels);
      break;
    case LevelCode::gamma:
      for (auto& level : levels) level = signed_level(in, layout, in.get_gamma() - 1);
      break;
    case LevelCode::runs:
      get_runs(in, layout, levels);
      break;
    case LevelCode::rans:
      get_rans(in, layout, levels);
      break;
  }
}

}  // namespace trilemma::wire
