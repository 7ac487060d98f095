// DeComFL (src/method/decomfl.cpp) as whole experiments: a few scalars travel in both directions.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "experiment/claim.hpp"
#include "numeric/directions.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::decomfl_test {

using testing::Federation;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

constexpr std::size_t clients = 4;
constexpr std::size_t scalars = 6;  // 2 steps, 3 directions

Words words_of(const std::string& method, const Words& more = {}) {
  Words words{"method=" + method, "local.steps=2", "local.perturbations=3", "local.rate=0.05"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Messages hold doubles.
std::vector<double> values_of(std::span<const std::byte> messages) {
  std::vector<double> values(messages.size() / sizeof(double));
  std::memcpy(values.data(), messages.data(), messages.size());
  return values;
}

// x -= eta/P sum_m mean_i(g_im) z_m, from the messages as they are sent.
TEST(DeComFL, TheModelMovesByTheMeanOfTheScalars) {
  Federation f(tiny_experiment, words_of("decomfl"));
  Vector x = f.x();
  for (std::uint32_t round = 0; round < 3; ++round) {
    const auto sent = values_of(f.round());
    ASSERT_EQ(sent.size(), clients * scalars);
    for (std::size_t m = 0; m < scalars; ++m) {
      double mean = 0;
      for (std::size_t i = 0; i < clients; ++i) mean += sent[i * scalars + m] / clients;
      for (std::size_t j = 0; j < x.size(); ++j) {
        const double z = normal_reference(
            {f.plan.seed, Purpose::directions, static_cast<std::uint32_t>(m), round},
            static_cast<std::uint32_t>(j));
        x[j] = static_cast<real>(static_cast<double>(x[j]) - 0.05 / 3 * mean * z);
      }
    }
    for (std::size_t j = 0; j < x.size(); ++j)
      EXPECT_NEAR(f.x()[j], x[j], 50 * testing::rounding) << j;
  }
}

// A client alone ends its round at the server's next model: the difference that FedAvg would send.
TEST(DeComFL, OneClientAloneTakesTheServersStep) {
  Federation f(tiny_experiment, words_of("decomfl", {"clients=1", "local.steps=1"}));
  Vector x = f.x();
  const auto sent = values_of(f.round());
  const Vector kept(sent.begin(), sent.end());
  move_along_directions(f.plan.seed, 0, kept, 0.05 / 3, x);
  EXPECT_EQ(f.x(), x);
}

// d = 16, which no direction depends on: 6 scalars up for each participant, down for all clients.
TEST(DeComFL, BitsDoNotDependOnTheModel) {
  const Words two{"participation.kind=fixed-size", "participation.size=2", "wire.value=float32"};
  Federation few(tiny_experiment, words_of("decomfl", two));
  few.run(5);
  EXPECT_EQ(few.plan.shape().up, scalars);
  EXPECT_EQ(few.noted().count("bits_up_payload"), 5 * 2 * scalars * 32);
  EXPECT_EQ(few.noted().count("bits_up_model"), 5 * 2 * scalars * 32);
  EXPECT_EQ(few.noted().count("bits_down_payload"), 5 * clients * scalars * sizeof(real) * 8);
  EXPECT_EQ(few.noted().count("bits_down_model"), 5 * clients * scalars * 32);
  Words plain = words_of("decomfl", two);
  plain.emplace_back("exchange.down=plain");
  Federation models(tiny_experiment, plain);
  models.run(5);
  EXPECT_EQ(models.x(), few.x());
  EXPECT_EQ(models.noted().count("bits_down_model"), 5 * 2 * 16 * 32);
}

TEST(DeComFL, LearnsAsDescentDoes) {
  Federation f(tiny_experiment, {"method=decomfl", "local.rate=0.1", "local.perturbations=20",
                                 "local.solver=zeroth-gd", "problem.lambda=0"});
  const double before = f.evaluate().objective;
  f.run(200);
  Federation descent(tiny_experiment, {"method=gd", "server.rate=0.1", "problem.lambda=0"});
  descent.run(200);
  const double lowest = descent.evaluate().objective;
  EXPECT_LT(f.evaluate().objective, lowest + 0.1 * (before - lowest));
}

// The scalars of a client are one vector of norm C at most.
TEST(DeComFL, TheBoundIsOnTheScalars) {
  Federation f(tiny_experiment,
               words_of("dp-decomfl", {"privacy.sigma=0", "bound.threshold=0.001"}));
  const auto sent = values_of(f.round());
  for (std::size_t i = 0; i < clients; ++i) {
    double square = 0;
    for (std::size_t m = 0; m < scalars; ++m) square += std::pow(sent[i * scalars + m], 2);
    EXPECT_NEAR(std::sqrt(square), 0.001, 1e-7);
  }
  EXPECT_LE(f.noted().number("mean_norm"), 0.001 * (1 + 1e-6));
  EXPECT_EQ(f.noted().count("clipped"), clients);
}

// Noise of total norm sigma is spread over the scalars, not over the model.
TEST(DeComFL, NoiseIsOnTheScalars) {
  const Words loud{"privacy.sigma=3", "privacy.noise_mode=total_norm"};
  const auto f = Federation(tiny_experiment, words_of("dp-decomfl", loud));
  EXPECT_DOUBLE_EQ(f.parts.sigma, 3 / std::sqrt(6.0));
}

TEST(DeComFL, TheClaimIsThatOfClippedUpdates) {
  for (const Words& more : {Words{}, Words{"participation.kind=poisson", "participation.rate=0.3"},
                            Words{"participation.kind=fixed-size", "participation.size=2"},
                            Words{"privacy.noise_at=client"}}) {
    const auto claim = [&](const std::string& method) {
      Words words{"method=" + method, "privacy.sigma=2", "privacy.delta=1e-3"};
      words.insert(words.end(), more.begin(), more.end());
      const Plan plan = read_plan(Settings::from_text(tiny_experiment, "tiny.toml", words));
      return make_claim(plan, noise_sigma(plan, 15), 15).record;
    };
    const auto found = claim("dp-decomfl");
    EXPECT_EQ(found.dp_claim, "accounted") << found.reason;
    EXPECT_EQ(found.epsilon, claim("dp-fedavg-clip").epsilon);
    EXPECT_EQ(found.sensitivity_full, claim("dp-fedavg-clip").sensitivity_full);
  }
}

TEST(DeComFL, RefusesWhatItCannotDo) {
  const auto refused = [](const Words& words) {
    return testing::refusal([&] { Federation(tiny_experiment, words); });
  };
  testing::expect_parts(refused({"method=decomfl", "local.unit=epoch"}),
                        {"local.unit", "same length", "choose step"});
  testing::expect_parts(refused({"method=fedavg", "exchange.down=scalars"}),
                        {"exchange.down", "fedavg", "choose plain"});
  testing::expect_parts(refused({"method=decomfl", "server.momentum=0.5"}), {"server.momentum"});
  testing::expect_parts(refused({"method=decomfl", "privacy.epsilon=1"}), {"dp-decomfl"});
  testing::expect_parts(refused({"method=dp-decomfl", "compressor.rotate=true"}),
                        {"compressor.rotate"});
}

}  // namespace trilemma::decomfl_test
