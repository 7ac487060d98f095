// What messages cost at d = 1,000,000, each compared with a plain program for the same work
// ("plain"), in nanoseconds a coordinate (or an index, where only those that are sent are written).

#include <algorithm>
#include <bit>
#include <cmath>

#include "bench/messages.hpp"
#include "compress/rounding.hpp"
#include "compress/selection.hpp"
#include "numeric/draws.hpp"
#include "numeric/exact_sum.hpp"

namespace trilemma::bench {
namespace {

void top_k(benchmark::State& state) {
  const Vector z = normal_vector();
  TopK select;
  std::vector<std::uint32_t> out;
  for (auto _ : state) {
    select(z, static_cast<std::size_t>(state.range(0)), out);
    benchmark::DoNotOptimize(out.data());
  }
  per_item(state, d);
}
BENCHMARK(top_k)->Name("wire/top-k")->Arg(1'000)->Arg(10'000)->Arg(100'000);

// Exponents and upper mantissas counted in one pass, then one scan with the threshold and a
// selection among what is in its bin.
void top_k_plain(benchmark::State& state) {
  const Vector z = normal_vector();
  const auto k = static_cast<std::size_t>(state.range(0));
  std::vector<std::uint32_t> bins(1U << 15U), out, edge;
  auto bits = [](real value) {
    return std::bit_cast<std::uint32_t>(std::abs(static_cast<float>(value)));
  };
  for (auto _ : state) {
    std::ranges::fill(bins, 0U);
    for (const real value : z) ++bins[bits(value) >> 16U];
    std::size_t bin = bins.size(), above = 0;
    while (above + bins[bin - 1] < k) above += bins[--bin];
    --bin;
    out.clear();
    edge.clear();
    for (std::uint32_t j = 0; j < d; ++j) {
      const std::uint32_t here = bits(z[j]) >> 16U;
      if (here > bin) out.push_back(j);
      if (here == bin) edge.push_back(j);
    }
    std::ranges::nth_element(edge, edge.begin() + static_cast<std::ptrdiff_t>(k - above - 1),
                             [&](auto a, auto b) { return bits(z[a]) > bits(z[b]); });
    out.insert(out.end(), edge.begin(), edge.begin() + static_cast<std::ptrdiff_t>(k - above));
    benchmark::DoNotOptimize(out.data());
  }
  per_item(state, d);
}
BENCHMARK(top_k_plain)->Name("wire/top-k plain")->Arg(1'000)->Arg(10'000)->Arg(100'000);

// Adding a message to the sum that is the same in any order. The more terms there are, the coarser
// the unit of the sum: with a thousand terms it is too coarse for one value in 40,000, with a
// million for one in 20.
void exact_sum(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const Vector z = normal_vector(size);
  ExactSum sum(size, false);
  sum.begin(static_cast<std::size_t>(state.range(1)), 8);
  for (auto _ : state) benchmark::DoNotOptimize(sum.add(0, Support::all(), z));
  per_item(state, size);
}
BENCHMARK(exact_sum)
    ->Name("wire/exact sum")
    ->Args({16'384, 1'000})
    ->Args({16'384, 1'000'000})
    ->Args({d, 1'000})
    ->Args({d, 1'000'000});

void integer_sum_plain(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const Vector z = normal_vector(size);
  std::vector<std::int64_t> sum(size);
  for (auto _ : state) {
    for (std::size_t j = 0; j < size; ++j)
      sum[j] += static_cast<std::int64_t>(static_cast<double>(z[j]) * 0x1p40);
    benchmark::DoNotOptimize(sum.data());
    benchmark::ClobberMemory();
  }
  per_item(state, size);
}
BENCHMARK(integer_sum_plain)->Name("wire/int64 sum plain")->Arg(16'384)->Arg(d);

// Indices of one coordinate in `range`.
Message indices(std::size_t share) {
  Message message;
  SubsetDraw()({3, Purpose::mask}, d, d / share, message.index);
  message.value.resize(message.index.size());
  return message;
}

void rice(benchmark::State& state, bool writes) {
  Message message = indices(static_cast<std::size_t>(state.range(0)));
  const std::size_t k = message.index.size();
  // Signs are the shortest entries there are, one bit each.
  message.value.clear();
  message.level.assign(k, 1);
  const Layout layout{
      .dimension = d, .count = k, .index = IndexCode::rice, .levels = 1, .level = LevelCode::sign};
  Bytes bytes(measure(layout, message).bytes());
  encode(layout, message, measure(layout, message), bytes);
  for (auto _ : state) {
    if (writes)
      encode(layout, message, measure(layout, message), bytes);
    else
      decode(layout, bytes, message);
    benchmark::DoNotOptimize(bytes.data());
  }
  state.counters["bits_per_item"] =
      8.0 * static_cast<double>(bytes.size()) / static_cast<double>(k) - 1;
  per_item(state, k);
}
BENCHMARK_CAPTURE(rice, write, true)
    ->Name("wire/rice encode")
    ->Arg(1000)
    ->Arg(100)
    ->Arg(20)
    ->Arg(3);
BENCHMARK_CAPTURE(rice, read, false)
    ->Name("wire/rice decode")
    ->Arg(1000)
    ->Arg(100)
    ->Arg(20)
    ->Arg(3);

// With a parameter that is known, into a buffer that is long enough.
void rice_plain(benchmark::State& state) {
  const Message message = indices(static_cast<std::size_t>(state.range(0)));
  const unsigned rice = std::bit_width(static_cast<unsigned>(0.69 * state.range(0))) - 1U;
  std::vector<std::uint64_t> out(message.index.size());
  for (auto _ : state) {
    std::uint64_t word = 0, *to = out.data();
    unsigned filled = 0;
    std::uint32_t next = 0;
    for (const std::uint32_t index : message.index) {
      const std::uint32_t gap = index - next;
      next = index + 1;
      const std::uint32_t quotient = gap >> rice;
      const unsigned bits = quotient + 1 + rice;
      const std::uint64_t field = ((1ULL << quotient) - 1) | std::uint64_t{gap & ((1U << rice) - 1)}
                                                                 << (quotient + 1);
      word |= field << filled;
      filled += bits;
      if (filled >= 64) {
        *to++ = word;
        filled -= 64;
        word = filled == bits ? 0 : field >> (bits - filled);
      }
    }
    *to = word;
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  per_item(state, message.index.size());
}
BENCHMARK(rice_plain)->Name("wire/rice encode plain")->Arg(1000)->Arg(100)->Arg(20)->Arg(3);

void rounding(benchmark::State& state, ValueFormat format) {
  const Vector z = normal_vector();
  Vector values(z);
  Rounding round;
  Key key{1, Purpose::mask};
  for (auto _ : state) {
    ++key.round;
    std::ranges::copy(z, values.begin());
    round(format, key, values);
    benchmark::DoNotOptimize(values.data());
  }
  per_item(state, d);
}
BENCHMARK_CAPTURE(rounding, natural, ValueFormat::natural)->Name("wire/natural, with its words");
BENCHMARK_CAPTURE(rounding, bfloat16, ValueFormat::bfloat16)->Name("wire/bfloat16, with its words");

void words(benchmark::State& state) {
  std::vector<std::uint32_t> out(d);
  Key key{1, Purpose::rounding};
  for (auto _ : state) {
    ++key.round;
    random_words(key, 0, out);
    benchmark::DoNotOptimize(out.data());
  }
  per_item(state, d);
}
BENCHMARK(words)->Name("wire/words");

void natural_plain(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const Vector z = normal_vector(size);
  std::vector<std::uint32_t> word(size);
  random_words({1, Purpose::rounding}, 0, word);
  std::vector<std::uint16_t> out(size);
  for (auto _ : state) {
    for (std::size_t j = 0; j < size; ++j) {
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(z[j]));
      out[j] = static_cast<std::uint16_t>((bits + (word[j] & 0x7FFFFFU)) >> 23U);
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  per_item(state, size);
}
BENCHMARK(natural_plain)->Name("wire/natural plain, without its words")->Arg(16'384)->Arg(d);

void qsgd(benchmark::State& state) {
  const Vector z = normal_vector();
  const auto compressor = quantiser("fixed", state.range(0));
  Message message;
  Key key{1, Purpose::mask};
  for (auto _ : state) {
    ++key.round;
    compressor->compress(z, key, message);
    benchmark::DoNotOptimize(message.level.data());
  }
  per_item(state, d);
}
BENCHMARK(qsgd)->Name("wire/qsgd quantise, with its words")->Arg(4)->Arg(127);

// One scale for all, a multiplicative hash of the number as the random word.
void qsgd_plain(benchmark::State& state) {
  const Vector z = normal_vector();
  std::vector<std::int8_t> out(d);
  std::uint32_t round = 0;
  for (auto _ : state) {
    float most = 0;
    for (const real value : z) most = std::max(most, std::abs(static_cast<float>(value)));
    const float steps = 127 / most;
    ++round;
    for (std::uint32_t j = 0; j < d; ++j) {
      std::uint32_t hash = (j ^ round) * 0x9E3779B1U;
      hash = (hash ^ hash >> 15U) * 0x85EBCA77U;
      const float shift = static_cast<float>(hash >> 8U) * 0x1p-24F;
      out[j] = static_cast<std::int8_t>(std::floor(static_cast<float>(z[j]) * steps + shift));
    }
    benchmark::DoNotOptimize(out.data());
  }
  per_item(state, d);
}
BENCHMARK(qsgd_plain)->Name("wire/qsgd quantise plain");

void levels(benchmark::State& state, const char* code, bool writes) {
  const auto compressor = quantiser(code, state.range(0));
  Message message;
  compressor->compress(normal_vector(), {1, Purpose::mask}, message);
  const Layout layout = compressor->layout();
  Bytes bytes(measure(layout, message).bytes());
  encode(layout, message, measure(layout, message), bytes);
  for (auto _ : state) {
    if (writes)
      encode(layout, message, measure(layout, message), bytes);
    else
      decode(layout, bytes, message);
    benchmark::DoNotOptimize(bytes.data());
  }
  const double scales = 32.0 * static_cast<double>(layout.scalars);
  state.counters["bits_per_item"] =
      (8.0 * static_cast<double>(bytes.size()) - scales) / static_cast<double>(d);
  state.counters["entropy"] = entropy(message.level);
  per_item(state, d);
}
#define LEVELS(code)                                \
  BENCHMARK_CAPTURE(levels, code##_w, #code, true)  \
      ->Name("wire/levels encode " #code)           \
      ->Arg(4)                                      \
      ->Arg(127);                                   \
  BENCHMARK_CAPTURE(levels, code##_r, #code, false) \
      ->Name("wire/levels decode " #code)           \
      ->Arg(4)                                      \
      ->Arg(127)
LEVELS(fixed);
LEVELS(gamma);
LEVELS(rans);

}  // namespace
}  // namespace trilemma::bench
