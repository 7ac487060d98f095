// Gaussian noise against the standard library's generator, per number; the coordinates of rand-k.

#include <cstdio>
#include <cstdlib>
#include <random>

#include "base/check.hpp"
#include "bench/support.hpp"
#include "numeric/draws.hpp"
#include "numeric/secret.hpp"
#include "numeric/vectors.hpp"

namespace trilemma::bench {
namespace {

// All benchmarks obey TRILEMMA_VECTOR_BITS as the program does, and say which width they were made
// with.
const bool limited = [] {
  try {
    limit_vectors_by_environment();
  } catch (const UserError& error) {
    std::fprintf(stderr, "trilemma_bench: %s\n", error.what());
    std::exit(2);
  }
  benchmark::AddCustomContext("vector bits", std::to_string(vector_target().bits));
  return true;
}();

constexpr std::size_t numbers = 50890;

void per_item(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * items));
}

void reference_std_normal(benchmark::State& state) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  std::vector<double> out(numbers);
  for (auto _ : state) {
    for (auto& value : out) value = normal(generator);
    benchmark::DoNotOptimize(out.data());
  }
  per_item(state, numbers);
}
BENCHMARK(reference_std_normal)->Name("core/noise/reference: std::normal_distribution");

// The noise of one client per round; `secret` chooses the generator.
void dense_noise(benchmark::State& state, const Secret* secret) {
  std::vector<double> out(numbers);
  Key key{1, Purpose::noise, 0, 0, secret};
  for (auto _ : state) {
    ++key.round;
    normals(key, 0, out);
    benchmark::DoNotOptimize(out.data());
  }
  per_item(state, numbers);
}

void noise_at_coordinates(benchmark::State& state, const Secret* secret) {
  std::vector<std::uint32_t> at;
  for (std::uint32_t j = 0; j < numbers; j += 20) at.push_back(j);
  std::vector<double> out(at.size());
  Key key{1, Purpose::noise, 0, 0, secret};
  for (auto _ : state) {
    ++key.round;
    normals_at(key, at, out);
    benchmark::DoNotOptimize(out.data());
  }
  per_item(state, at.size());
}

// One coordinate in 20: which, ascending, and the values that are there.
void subset_and_gather(benchmark::State& state) {
  Vector values(numbers, real{1});
  SubsetDraw draw;
  std::vector<std::uint32_t> at;
  Vector out(numbers / 20);
  Key key{1, Purpose::mask, 0, 0, nullptr};
  for (auto _ : state) {
    ++key.round;
    draw(key, numbers, out.size(), at);
    for (std::size_t i = 0; i < at.size(); ++i) out[i] = values[at[i]];
    benchmark::DoNotOptimize(out.data());
  }
  per_item(state, out.size());
}
BENCHMARK(subset_and_gather)->Name("core/rand-k/sample and gather, one coordinate in 20");

const Secret secret;
BENCHMARK_CAPTURE(dense_noise, philox, nullptr)->Name("core/noise/all coordinates");
BENCHMARK_CAPTURE(noise_at_coordinates, philox, nullptr)->Name("core/noise/one coordinate in 20");
BENCHMARK_CAPTURE(dense_noise, chacha20, &secret)->Name("core/noise/all coordinates, ChaCha20");
BENCHMARK_CAPTURE(noise_at_coordinates, chacha20, &secret)
    ->Name("core/noise/one coordinate in 20, ChaCha20");

}  // namespace
}  // namespace trilemma::bench
