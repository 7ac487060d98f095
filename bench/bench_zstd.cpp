// A general compressor on levels, compared with our own coder (wire/levels ... rans): zstd on a
// byte a level.

#include <zstd.h>

#include "bench/messages.hpp"

namespace trilemma::bench {
namespace {

// Arguments: the largest level, and how hard zstd tries.
void zstd(benchmark::State& state, bool writes) {
  Message message;
  quantiser("fixed", state.range(0))->compress(normal_vector(), {1, Purpose::mask}, message);
  std::vector<std::int8_t> levels(message.level.begin(), message.level.end());
  std::vector<std::byte> packed(ZSTD_compressBound(levels.size()));
  const auto pack = [&] {
    return ZSTD_compress(packed.data(), packed.size(), levels.data(), levels.size(),
                         static_cast<int>(state.range(1)));
  };
  const std::size_t size = pack();
  for (auto _ : state) {
    if (writes)
      pack();
    else
      ZSTD_decompress(levels.data(), levels.size(), packed.data(), size);
    benchmark::DoNotOptimize(packed.data());
    benchmark::DoNotOptimize(levels.data());
  }
  state.counters["bits_per_item"] = 8.0 * static_cast<double>(size) / static_cast<double>(d);
  state.counters["entropy"] = entropy(message.level);
  per_item(state, d);
}
BENCHMARK_CAPTURE(zstd, w, true)
    ->Name("wire/levels encode zstd")
    ->ArgsProduct({{4, 127}, {1, 3, 9}});
BENCHMARK_CAPTURE(zstd, r, false)->Name("wire/levels decode zstd")->ArgsProduct({{4, 127}, {1, 3}});

}  // namespace
}  // namespace trilemma::bench
