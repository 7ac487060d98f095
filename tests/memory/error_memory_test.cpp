// Error memories (src/memory/memory.hpp; spec algorithms.md 3.2 and 3.5).

#include <gtest/gtest.h>

#include <cmath>

#include "memory/memory.hpp"
#include "numeric/lanes.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::error_memory_test {

const MemoryKind& kind() { return row(memories(), "error-before-bound").make; }

std::unique_ptr<Bound> smooth(double alpha) {
  Settings settings = Settings::from_text(fmt::format("alpha = {}", alpha), "bound.toml");
  return row(bounds(), "smooth-normalise-client").make(settings);
}

// One round of a client: P - v is bounded, v takes it in. Returns the bounded vector D.
Vector round_of(ClientMemory& memory, const Bound& bound, std::size_t slot, Vector p) {
  memory.before_bound(slot, p);
  const Bounded bounded = bound.apply(p);
  memory.take_in_bounded(slot, {Support::all(), bounded.values()});
  return p;
}

// v of a client.
Vector memory_of(ClientMemory& memory, std::size_t slot, std::size_t dimension) {
  Vector zero(dimension, real{0});
  memory.before_bound(slot, zero);
  for (auto& value : zero) value = -value;
  return zero;
}

// ||P - v||
double distance(ClientMemory& memory, std::size_t slot, Vector p) {
  memory.before_bound(slot, p);
  return std::sqrt(norm_squared(ConstView(p)));
}

TEST(ErrorMemory, ByHand) {
  const auto memory = kind().client(2, 2, 0.5);
  const auto bound = smooth(6);
  EXPECT_TRUE(kind().traits.works_without_sending && kind().traits.takes_in_bounded);
  EXPECT_FALSE(kind().traits.changes_released);
  EXPECT_EQ(memory_of(*memory, 0, 2), (Vector{0, 0}));
  EXPECT_EQ(round_of(*memory, *bound, 0, {6, 8}), (Vector{0.375F, 0.5F}));
  EXPECT_EQ(memory_of(*memory, 0, 2), (Vector{0.1875F, 0.25F}));
  EXPECT_EQ(memory_of(*memory, 1, 2), (Vector{0, 0}));  // slots are apart
}

TEST(ErrorMemory, ServerByHand) {
  const auto memory = kind().server(2, 0.25);
  std::vector<double> mean{4, 8};
  memory->restore(mean);
  EXPECT_EQ(mean, (std::vector<double>{1, 2}));  // vhat is the direction
  mean = {-8, 4};
  memory->restore(mean);
  EXPECT_EQ(mean, (std::vector<double>{-1, 3}));
}

// P frozen: r_{k+1} = r_k |1 - beta / (alpha + r_k)|, from r = 0.5 down, through 0 and back.
TEST(ErrorMemory, DistancesFollowTheRecursion) {
  for (const double alpha : {0.01, 0.2})
    for (const double beta : {0.001, 0.01, 0.1}) {
      const auto memory = kind().client(1, 7, beta);
      const auto bound = smooth(alpha);
      const Vector p = testing::random_vector(7, 3, 0.2);
      for (int k = 0; k < 60; ++k) {
        const double r = distance(*memory, 0, p);
        round_of(*memory, *bound, 0, p);
        EXPECT_NEAR(distance(*memory, 0, p), r * std::abs(1 - beta / (alpha + r)),
                    20 * testing::rounding)
            << alpha << ' ' << beta << ' ' << k;
      }
    }
}

// beta <= 2 alpha: the error goes to 0; else to beta/2 - alpha, turning its sign in every round.
TEST(ErrorMemory, FixedPoint) {
  constexpr double alpha = 0.01;
  for (const auto& [beta, limit] : {std::pair{0.001, 0.0}, {0.01, 0.0}, {0.1, 0.04}}) {
    const auto memory = kind().client(1, 7, beta);
    const auto bound = smooth(alpha);
    const Vector p = testing::random_vector(7, 3, 0.2);
    for (int k = 0; k < 3000; ++k) round_of(*memory, *bound, 0, p);
    EXPECT_NEAR(distance(*memory, 0, p), limit, 1e-5) << beta;
    if (limit == 0) continue;
    Vector before(p);
    memory->before_bound(0, before);
    round_of(*memory, *bound, 0, p);
    Vector after(p);
    memory->before_bound(0, after);
    for (std::size_t j = 0; j < p.size(); ++j) EXPECT_NEAR(after[j], -before[j], 1e-5);
  }
}

// beta = alpha = large: Norm_alpha(v) ~ v / alpha, so the memory is the vector itself at once.
TEST(ErrorMemory, LargeAlphaTracksExactly) {
  const auto memory = kind().client(1, 5, 1e6);
  const Vector p = testing::random_vector(5, 3);
  round_of(*memory, *smooth(1e6), 0, p);
  const Vector v = memory_of(*memory, 0, 5);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(v[j], p[j], 5e-5);
}

// p = 1 and no noise: vhat = mean v_i in every round, for gradients that wander.
TEST(ErrorMemory, ServerHasTheMeanOfTheClientsMemories) {
  constexpr std::size_t clients = 5;
  constexpr std::size_t d = 12;
  constexpr double beta = 0.1;
  const auto memory = kind().client(clients, d, beta);
  const auto server = kind().server(d, beta);
  const auto bound = smooth(0.01);
  for (std::uint64_t k = 0; k < 50; ++k) {
    std::vector<double> mean(d, 0.0);
    for (std::size_t c = 0; c < clients; ++c) {
      const Vector sent = round_of(*memory, *bound, c, testing::random_vector(d, 100 * k + c));
      for (std::size_t j = 0; j < d; ++j) mean[j] += static_cast<double>(sent[j]) / clients;
    }
    server->restore(mean);
    for (std::size_t j = 0; j < d; ++j) {
      double own = 0;
      for (std::size_t c = 0; c < clients; ++c)
        own += static_cast<double>(memory_of(*memory, c, d)[j]) / clients;
      ASSERT_NEAR(mean[j], own, 100 * testing::rounding) << k;
    }
  }
}

TEST(ErrorMemory, ComesBackFromARestart) {
  const auto first = kind().client(2, 3, 0.5);
  const auto bound = smooth(0.1);
  round_of(*first, *bound, 0, {1, 2, 3});
  round_of(*first, *bound, 1, {-1, 5, 0});
  const auto first_server = kind().server(3, 0.5);
  std::vector<double> mean{1, 2, 3};
  first_server->restore(mean);
  Bytes bytes;
  State saving = State::saving(bytes);
  for (std::size_t slot = 0; slot < 2; ++slot) first->persist(slot, saving);
  first_server->persist(saving);
  const auto second = kind().client(2, 3, 0.5);
  const auto second_server = kind().server(3, 0.5);
  State restoring = State::restoring(bytes);
  for (std::size_t slot = 0; slot < 2; ++slot) second->persist(slot, restoring);
  second_server->persist(restoring);
  restoring.finish();
  for (std::size_t slot = 0; slot < 2; ++slot)
    EXPECT_EQ(memory_of(*second, slot, 3), memory_of(*first, slot, 3));
  std::vector<double> a(3, 0.0);
  std::vector<double> b(3, 0.0);
  first_server->restore(a);
  second_server->restore(b);
  EXPECT_EQ(a, b);
}

}  // namespace trilemma::error_memory_test
