#pragma once
// Decentralised methods on four nodes with quadratic functions, without a driver.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "method/method.hpp"
#include "schedule/graph.hpp"
#include "tests/support/compressors.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::testing::nodes {

constexpr std::uint32_t n = 4;
constexpr std::size_t d = 3;

inline Graph graph_of(const char* kind, MixingWeights weights = MixingWeights::metropolis) {
  Settings none = Settings::empty();
  return {n, row(graphs(), kind).make(none, n, 1), weights};
}

/// f_i(x) = sum_j a_ij (x_j - c_ij)^2 / 2.
inline double a_of(std::size_t i, std::size_t j) {
  return 1 + static_cast<double>((i + 2 * j) % 4) / 4;
}
inline double c_of(std::size_t i, std::size_t j) {
  return static_cast<double>((3 * i + 5 * j) % 7) - 3 + static_cast<double>(i) / 8 +
         static_cast<double>(j) / 16;
}

/// Gradients of the nodes: of the functions; 0; of random sizes that cancel out; the mean of two
/// records' with the norm bound 1, smooth or not, plus made-up noise.
enum class Gradients { functions, none, cancelling, smooth, clipped };

/// Returns number j of the gradient of f_i at x_i, which has its records at c_i + shift.
inline double slope_of(std::size_t i, std::size_t j, double x, double shift = 0) {
  return a_of(i, j) * (x - c_of(i, j) - shift);
}

/// Runs a method on all nodes; messages are those of `compressor`.
class Nodes {
 public:
  Nodes(const std::string& method, const std::string& keys, const Graph& graph,
        const char* compressor = "identity", double start = 0, double rate = 0.125)
      : graph_(graph),
        compressor_(make_compressor(compressor, d,
                                    compressor == std::string("top-k") ? "k = 1" : "",
                                    wide ? ValueFormat::float64 : ValueFormat::float32)) {
    Settings settings =
        Settings::from_text(fmt::format("[gossip]\nrate = {}\n{}", rate, keys), "test.toml");
    method_ = row(methods(), method).make(settings).node.make();
    for (std::uint32_t i = 0; i < n; ++i) {
      model_[i].assign(d, static_cast<real>(start * (i + 1.0)));
      vectors_[i].assign(method_->vectors(), Node::Doubles(d));
      own_[i].assign(method_->channels(), Node::Doubles(d));
      mixed_[i] = own_[i];
      Node own = node(i);
      method_->start(own);
    }
  }

  void round(Gradients gradients = Gradients::functions) {
    const std::size_t channels = method_->channels();
    std::vector<Sent> sent(channels);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Vector y = gradient(i, gradients);
      for (std::size_t channel = 0; channel < channels; ++channel) {
        Vector message = y;
        Node own = node(i);
        method_->offer(channel, own, message);
        const auto step = static_cast<std::uint32_t>(channels * rounds_ + channel);
        sent[channel].push_back(compressed(i, step, message));
      }
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::size_t channel = 0; channel < channels; ++channel) mix(i, channel, sent[channel]);
      Node own = node(i);
      method_->combine(own);
    }
    ++rounds_;
  }
  void run(int rounds, Gradients gradients = Gradients::functions) {
    for (int t = 0; t < rounds; ++t) round(gradients);
  }

  Vector gradient(std::uint32_t i, Gradients gradients) const {
    Vector y(d);
    if (gradients == Gradients::smooth || gradients == Gradients::clipped)
      for (const double shift : {0.5, -0.5})
        add_bounded(i, shift, gradients == Gradients::smooth, y);
    Stream pair({1, Purpose::noise, i / 2, rounds_});
    for (std::size_t j = 0; j < d; ++j) {
      if (gradients == Gradients::functions) y[j] = static_cast<real>(slope_of(i, j, x(i, j)));
      if (gradients == Gradients::cancelling)
        y[j] = static_cast<real>(i % 2 == 0 ? pair.uniform() : -pair.uniform());
      if (gradients == Gradients::smooth || gradients == Gradients::clipped)
        y[j] +=
            static_cast<real>((static_cast<double>((7 * i + 3 * j + 5 * rounds_) % 11) - 5) / 50);
    }
    return y;
  }
  double x(std::size_t i, std::size_t j) const { return static_cast<double>(model_[i][j]); }
  double mean(std::size_t j) const { return (x(0, j) + x(1, j) + x(2, j) + x(3, j)) / 4; }

  Node node(std::uint32_t i) {
    return {model_[i], vectors_[i], own_[i], mixed_[i], graph_.own_weight(i), rounds_};
  }
  const Graph& graph() const { return graph_; }
  const NodeMethod& method() const { return *method_; }
  /// Returns the mean over the nodes of number j of the gradients of the next round.
  double mean_gradient(std::size_t j, Gradients gradients = Gradients::functions) const {
    double sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) sum += static_cast<double>(gradient(i, gradients)[j]);
    return sum / n;
  }

 private:
  using Sent = std::vector<std::vector<double>>;  // by node
  void add_bounded(std::uint32_t i, double shift, bool smooth, Vector& y) const {
    double z[d], square = 0;
    for (std::size_t j = 0; j < d; ++j) {
      z[j] = slope_of(i, j, x(i, j), shift);
      square += z[j] * z[j];
    }
    const double norm = std::sqrt(square);
    const double factor = smooth ? 1 / (1 + norm) : std::min(1.0, 1 / norm);
    for (std::size_t j = 0; j < d; ++j) y[j] += static_cast<real>(factor * z[j] / 2);
  }
  std::vector<double> compressed(std::uint32_t i, std::uint32_t step, const Vector& message) {
    Message out;
    compressor_->compress(message, {1, Purpose::mask, i, step}, out);
    return dense(compressor_->expand(out), d);
  }
  void mix(std::uint32_t i, std::size_t channel, const Sent& sent) {
    auto& own = own_[i][channel];
    auto& mixed = mixed_[i][channel];
    for (std::size_t j = 0; j < d; ++j) {
      if (!method_->keeps_sums()) own[j] = mixed[j] = 0;
      own[j] += sent[i][j];
      mixed[j] += graph_.own_weight(i) * sent[i][j];
      for (std::size_t at = 0; at < graph_.degree(i); ++at)
        mixed[j] += graph_.weight(i, at) * sent[graph_.neighbours(i)[at]][j];
    }
  }

  Graph graph_;
  std::unique_ptr<Compressor> compressor_;
  std::unique_ptr<NodeMethod> method_;
  Vector model_[n];
  std::vector<Node::Doubles> vectors_[n], own_[n], mixed_[n];
  std::uint32_t rounds_ = 0;
};

constexpr double tolerance = wide ? 1e-11 : 2e-6;

/// Both runs have the same models in every round.
inline void expect_equal(Nodes one, Nodes other, Gradients gradients = Gradients::functions) {
  for (int t = 0; t < 9; ++t) {
    one.round(gradients);
    other.round(gradients);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(one.x(i, j), other.x(i, j), 3 * tolerance);
  }
}

}  // namespace trilemma::testing::nodes
