// Error feedback in whole experiments (spec algorithms.md 3.2 and 3.5): every client's memory moves
// in every round, the server's only by what was sent.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numeric/lanes.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::error_feedback_test {

using testing::Federation;
using Words = std::vector<std::string>;

constexpr std::size_t clients = 4;
constexpr double tolerance = 50 * testing::rounding;

Words normec(const Words& more) {
  Words words{"method=alpha-normec", "memory.step=0.1", "server.rate=0.3", "bound.threshold=1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// v_i of a client, and vhat: what the memories do with 0.
std::vector<double> memory_of(Federation& f, std::size_t slot) {
  Vector zero(f.x().size(), real{0});
  f.parts.client_memory->before_bound(slot, zero);
  std::vector<double> v(zero.begin(), zero.end());
  for (auto& value : v) value = -value;
  return v;
}
std::vector<double> server_memory(Federation& f) {
  std::vector<double> zero(f.x().size(), 0.0);
  f.parts.server_memory->restore(zero);
  return zero;
}
std::vector<std::vector<double>> memories(Federation& f) {
  std::vector<std::vector<double>> all;
  for (std::size_t slot = 0; slot < clients; ++slot) all.push_back(memory_of(f, slot));
  return all;
}

TEST(ErrorFeedback, ServerHasTheMeanOfTheMemoriesWhereAllTakePart) {
  using Case = std::pair<const char*, Words>;
  for (const auto& [method, words] :
       {Case{"alpha-normec", {}}, Case{"fed-alpha-normec", {}}, Case{"fed-alpha-normec-ig", {}},
        Case{"clip21", {}}, Case{"alpha-normec", {"compressor.kind=rand-k", "compressor.k=2"}},
        Case{"fed-alpha-normec", {"compressor.kind=qsgd"}},
        Case{"clip21", {"compressor.kind=natural", "memory.step=0.1"}}}) {
    Words more{std::string("method=") + method, "privacy.sigma=0"};
    more.insert(more.end(), words.begin(), words.end());
    Federation f(testing::tiny_experiment, more);
    for (int round = 0; round < 10; ++round) {
      f.round();
      const auto vhat = server_memory(f);
      const auto v = memories(f);
      for (std::size_t j = 0; j < vhat.size(); ++j)
        EXPECT_NEAR(vhat[j], (v[0][j] + v[1][j] + v[2][j] + v[3][j]) / 4, tolerance) << method;
    }
  }
}

// v_i += beta Norm_alpha(P_i - v_i) at every client; vhat += beta/(pM) sum over S of D_i, also
// where S is empty.
TEST(ErrorFeedback, MemoriesMoveWithoutSending) {
  Federation f(testing::tiny_experiment,
               normec({"privacy.sigma=0", "participation.kind=poisson", "participation.rate=0.4"}));
  bool saw_empty = false;
  bool saw_some = false;
  for (std::uint32_t round = 0; round < 40; ++round) {
    const Vector x = f.x();
    const auto before = memories(f);
    const auto vhat_before = server_memory(f);
    std::vector<std::uint32_t> participants;
    f.plan.schedule.make()->participants(round, participants);
    saw_empty |= participants.empty();
    saw_some |= !participants.empty() && participants.size() < clients;
    f.round();
    const auto after = memories(f);
    const auto vhat = server_memory(f);
    std::vector<double> sent(x.size(), 0.0);
    for (std::size_t slot = 0; slot < clients; ++slot) {
      Vector p(x.size());
      f.parts.work->estimate(slot, {.model = x}, p);
      double r = 0;
      for (std::size_t j = 0; j < p.size(); ++j) r += std::pow(p[j] - before[slot][j], 2);
      const bool sends = std::count(participants.begin(), participants.end(), slot) > 0;
      for (std::size_t j = 0; j < p.size(); ++j) {
        const double d = (p[j] - before[slot][j]) / (0.01 + std::sqrt(r));
        EXPECT_NEAR(after[slot][j] - before[slot][j], 0.1 * d, tolerance) << round << ' ' << slot;
        if (sends) sent[j] += d;
      }
    }
    for (std::size_t j = 0; j < vhat.size(); ++j) {
      EXPECT_NEAR(vhat[j] - vhat_before[j], 0.1 / (0.4 * 4) * sent[j], tolerance);
      EXPECT_NEAR(f.x()[j], x[j] - 0.3 * vhat[j], tolerance);
    }
  }
  EXPECT_TRUE(saw_empty);
  EXPECT_TRUE(saw_some);
}

// A silent client moves by what its compressor would have left too, and noise at the client moves
// its message only.
TEST(ErrorFeedback, MemoriesMoveByWhatTheCompressorLeaves) {
  const Words words =
      normec({"compressor.kind=rand-k", "compressor.k=2", "participation.kind=poisson",
              "participation.rate=0.4", "privacy.noise_at=client"});
  Federation f(testing::tiny_experiment, words);
  for (int round = 0; round < 5; ++round) {
    const auto before = memories(f);
    f.round();
    const auto after = memories(f);
    for (std::size_t slot = 0; slot < clients; ++slot) {
      int moved = 0;
      for (std::size_t j = 0; j < after[slot].size(); ++j)
        moved += after[slot][j] != before[slot][j];
      EXPECT_EQ(moved, 2) << round << ' ' << slot;
    }
  }
}

// beta scales the noise along with the signal, and noise does not enter the clients' memories.
TEST(ErrorFeedback, NoiseGoesToTheServersMemoryOnly) {
  for (const char* place : {"privacy.noise_at=server", "privacy.noise_at=client"}) {
    auto noise = [place](const std::string& beta) {
      Federation noisy(testing::tiny_experiment, normec({place, beta}));
      Federation calm(testing::tiny_experiment, normec({"privacy.sigma=0", place, beta}));
      noisy.round();
      calm.round();
      EXPECT_EQ(memories(noisy), memories(calm));
      auto difference = server_memory(noisy);
      const auto without = server_memory(calm);
      for (std::size_t j = 0; j < without.size(); ++j) difference[j] -= without[j];
      return difference;
    };
    const auto large = noise("memory.step=0.1");
    const auto small = noise("memory.step=0.01");
    EXPECT_GT(norm_squared<double>(std::span<const double>(large)), 0);
    for (std::size_t j = 0; j < large.size(); ++j) EXPECT_NEAR(large[j], 10 * small[j], tolerance);
  }
}

// The memories of clients that were silent come back too.
TEST(ErrorFeedback, ComesBackFromARestart) {
  const Words words = normec({"participation.kind=poisson", "participation.rate=0.3"});
  Federation whole(testing::tiny_experiment, words);
  whole.run(5);
  Bytes bytes;
  State saving = State::saving(bytes);
  whole.persist(saving);
  whole.run(5);
  Federation restored(testing::tiny_experiment, words);
  State restoring = State::restoring(bytes);
  restored.persist(restoring);
  restoring.finish();
  restored.run(5);
  EXPECT_EQ(restored.x(), whole.x());
}

// Only participants' messages are on the wire.
TEST(ErrorFeedback, SilentClientsSendNothing) {
  Federation f(testing::tiny_experiment,
               normec({"participation.kind=fixed-size", "participation.size=1"}));
  Federation all(testing::tiny_experiment, normec({}));
  EXPECT_EQ(all.round().size(), 4 * f.round().size());
}

}  // namespace trilemma::error_feedback_test
