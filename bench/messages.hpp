#pragma once
// Vectors and messages that the benchmarks of the wire share.

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/support.hpp"

namespace trilemma::bench {

inline constexpr std::size_t d = 1'000'000;

/// Standard normal numbers, the same at every call.
inline Vector normal_vector(std::size_t size = d) {
  std::vector<double> numbers(size);
  normals({5, Purpose::data}, 0, numbers);
  return {numbers.begin(), numbers.end()};
}

/// Nanoseconds an item, as a counter.
inline void per_item(benchmark::State& state, std::size_t items) {
  state.counters["ns_per_item"] =
      benchmark::Counter(static_cast<double>(state.iterations() * items) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// QSGD with the largest size as scale.
inline std::unique_ptr<Compressor> quantiser(const char* code, long levels) {
  Settings settings = Settings::from_text(
      fmt::format("levels = {}\nnorm = \"max\"\ncode = \"{}\"", levels, code), "benchmark");
  return row(compressors(), "qsgd").make(settings, d, ValueFormat::float32);
}

/// Bits a level that no code for single levels can stay below.
inline double entropy(std::span<const std::int32_t> levels) {
  std::map<std::int32_t, double> count;
  for (const auto level : levels) ++count[level];
  const auto all = static_cast<double>(levels.size());
  double bits = 0;
  for (const auto& [level, number] : count) bits -= number / all * std::log2(number / all);
  return bits;
}

}  // namespace trilemma::bench
