#pragma once
// Data sets and settings that the benchmarks share.

#include <benchmark/benchmark.h>

#include <numeric>
#include <string>

#include "experiment/read_plan.hpp"
#include "federation/round.hpp"

namespace trilemma::bench {

/// A plan for a method on generated data of a9a's shape.
inline Plan a9a_plan(const std::string& method) {
  const std::string text = R"(
    rounds = 100
    [data]
    rows = 32560
    [start]
    scale = 0.2
    [bound]
    threshold = 0.5
    [privacy]
    sigma = 0.003
    [compressor]
    k = 6
  )";
  return read_plan(Settings::from_text(text, "benchmark", {"method=" + method}));
}

/// Images with random labels; by default of MNIST's size and share of zeros.
inline Dataset images(std::size_t rows, double zeros = 0.81, std::size_t pixels = 784) {
  DenseRows dense;
  dense.columns = pixels;
  dense.byte.resize(rows * pixels);
  Dataset data;
  data.classes = 10;
  Stream stream({1, Purpose::data, 0, 0});
  for (auto& byte : dense.byte)
    byte = stream.uniform() < zeros ? 0 : static_cast<std::uint8_t>(1 + stream.below(255));
  for (std::size_t i = 0; i < rows; ++i)
    data.label.push_back(static_cast<std::int32_t>(stream.below(10)));
  data.rows = std::move(dense);
  return data;
}

}  // namespace trilemma::bench
