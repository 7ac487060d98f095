// Methods with local steps: their slots and the server's step (src/method; spec algorithms.md 2,
// 3 and 4).

#include <gtest/gtest.h>

#include <cmath>

#include "compress/compressor.hpp"
#include "method/method.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::local_update_methods_test {

constexpr const char* smooth = "smooth-normalise-client";

Method make(const std::string& name, const std::string& toml = "") {
  Settings settings = Settings::from_text(toml, "method.toml");
  return row(methods(), name).make(settings);
}

struct Slots {
  const char *name, *solver, *bound;
  Update update;
  bool noise, error_memory, divides_rate;
  long steps;
  PaperNoise paper_noise;
  double constant;
};

TEST(LocalUpdateMethods, Slots) {
  const Slots table[] = {
      {"fedavg", "sgd", "none", Update::difference, false, false, false, 1, nullptr, 0},
      {"fedprox", "sgd", "none", Update::difference, false, false, false, 1, nullptr, 0},
      {"dp-fedavg-clip", "sgd", "clip-client", Update::sum, true, false, false, 1, norm_noise, 1},
      {"dp-normfedavg", "sgd", "normalise-client", Update::sum, true, false, false, 1, norm_noise,
       1},
      {"dp-fedavg-smooth", "sgd", smooth, Update::mean, true, false, true, 1, nec_noise, 1},
      {"alpha-normec", "gd", smooth, Update::mean, true, true, false, 1, nec_noise, 1},
      {"fed-alpha-normec", "gd", smooth, Update::mean, true, true, true, 20, nec_noise, 1},
      {"fed-alpha-normec-ig", "cyclic", smooth, Update::mean, true, true, true, 1, nec_noise, 1},
      {"clip21", "gd", "clip-client", Update::mean, true, true, false, 1, nec_noise, 1},
      {"pmtl", "personal-gd", "clip-client", Update::difference, true, false, false, 20, norm_noise,
       16},
      {"local", "personal-gd", "none", Update::difference, false, false, false, 20, nullptr, 0},
      {"pp-sgd", "additive-gd", "clip-client", Update::difference, true, false, false, 20,
       norm_noise, 16},
      {"scaffold", "scaffold-gd", "none", Update::difference, false, false, false, 20, nullptr, 0},
      {"dp-scaffold", "scaffold-gd", "clip-client", Update::difference, true, false, false, 20,
       norm_noise, 1},
      {"naive-dp-mtl", "block-gd", "clip-client", Update::difference, true, false, false, 20,
       norm_noise, 1},
      {"decomfl", "zeroth-sgd", "none", Update::difference, false, false, false, 1, nullptr, 0},
      {"dp-decomfl", "zeroth-sgd", "clip-client", Update::difference, true, false, false, 1,
       nullptr, 0},
  };
  for (const auto& slots : table) {
    const Method m = make(slots.name);
    EXPECT_EQ(m.steps.solver, slots.solver) << slots.name;
    EXPECT_EQ(m.steps.update, slots.update) << slots.name;
    EXPECT_EQ(m.steps.divides_rate, slots.divides_rate) << slots.name;
    EXPECT_EQ(m.steps.count, slots.steps) << slots.name;
    EXPECT_EQ(m.estimator, "") << slots.name;
    EXPECT_EQ(m.bound, slots.bound) << slots.name;
    EXPECT_EQ(m.noise, slots.noise) << slots.name;
    EXPECT_EQ(m.memory, slots.error_memory ? "error-before-bound" : "none") << slots.name;
    const bool is_short = m.shape(2, 3).up == 0 || m.clients_can_step;
    EXPECT_EQ(m.compressor, is_short ? "identity" : "") << slots.name;
    EXPECT_STREQ(m.default_compressor, "identity") << slots.name;
    EXPECT_EQ(m.paper_noise, slots.paper_noise) << slots.name;
    EXPECT_EQ(m.noise_constant, slots.constant) << slots.name;
  }
}

TEST(LocalUpdateMethods, PullsAndMemories) {
  EXPECT_EQ(make("fedavg").steps.pull, 0);
  EXPECT_GT(make("fedprox").steps.pull, 0);
  EXPECT_GT(make("pmtl").steps.pull, 0);
  EXPECT_EQ(make("fed-alpha-normec", "[memory]\nstep = 0.1").memory_step, 0.1);
  EXPECT_EQ(make("clip21").memory_step, 1);
  testing::expect_parts(testing::refusal([] { make("alpha-normec", "[memory]\nstep = 0"); }),
                        {"method.toml:2", "step"});
}

// Nothing is pulled, and nothing else can be sent than what the method says.
TEST(LocalUpdateMethods, FixedSteps) {
  for (const char* name : {"local", "pp-sgd", "scaffold", "naive-dp-mtl", "decomfl"}) {
    EXPECT_EQ(make(name).steps.pull, 0) << name;
    for (const char* word : {"pull=1", "update=own"}) {
      Settings settings = Settings::from_text("", "e.toml", {std::string("local.") + word});
      row(methods(), name).make(settings);
      testing::expect_parts(testing::refusal([&] { settings.refuse_unused(); }), {"local."});
    }
  }
}

TEST(LocalUpdateMethods, NothingTravelsInLocalTraining) {
  const StateShape shape = make("local").shape(7, 3);
  EXPECT_EQ(shape.state, 7U);
  EXPECT_EQ(shape.down, 0U);
  EXPECT_EQ(shape.up, 0U);
  Vector x{1, 2};
  make("local").step.make()->apply(0, x, std::vector<double>{3, 4});
  EXPECT_EQ(x, (Vector{1, 2}));
}

// x after one step from 0 along `direction` in round `round`.
Vector stepped(ServerStep& step, std::uint32_t round, const std::vector<double>& direction) {
  Vector x(direction.size(), real{0});
  step.apply(round, x, direction);
  return x;
}

const char* const local_methods[] = {
    "fedavg",       "fedprox",          "dp-fedavg-clip", "dp-normfedavg", "dp-fedavg-smooth",
    "alpha-normec", "fed-alpha-normec", "clip21",         "pmtl",          "pp-sgd"};

// m = mu m + a, x -= beta m, without dampening (A6): by hand for a = 1, 1, 0.
TEST(ServerStep, Momentum) {
  for (const char* name : local_methods) {
    const auto step = make(name, "[server]\nrate = 0.5\nmomentum = 0.8").step.make();
    EXPECT_NEAR(stepped(*step, 0, {1})[0], -0.5, testing::rounding) << name;
    EXPECT_NEAR(stepped(*step, 1, {1})[0], -0.9, testing::rounding) << name;
    EXPECT_NEAR(stepped(*step, 2, {0})[0], -0.72, testing::rounding) << name;
  }
}

// [NEC] 3.2: ||x' - x|| = eta exactly, and no step at 0.
TEST(ServerStep, NormalisedStepsHaveTheLengthOfTheRate) {
  for (const char* name : local_methods) {
    const auto step = make(name, "[server]\nrate = 0.25\nnormalise = true").step.make();
    for (const double scale : {1e-20, 1.0, 1e20}) {
      const Vector x = stepped(*step, 0, {3 * scale, -4 * scale});
      EXPECT_NEAR(x[0], -0.15, testing::rounding) << name;
      EXPECT_NEAR(x[1], 0.2, testing::rounding) << name;
    }
    EXPECT_EQ(stepped(*step, 0, {0, 0}), (Vector{0, 0})) << name;
  }
}

// With momentum it is the momentum that gets the length.
TEST(ServerStep, NormalisedMomentum) {
  const auto step =
      make("dp-fedavg-clip", "[server]\nrate = 0.25\nnormalise = true\nmomentum = 0.5").step.make();
  stepped(*step, 0, {6, 0});
  const Vector x = stepped(*step, 1, {0, 4});  // m = (3, 4)
  EXPECT_NEAR(x[0], -0.15, testing::rounding);
  EXPECT_NEAR(x[1], -0.2, testing::rounding);
}

// [NORM]: beta_k = eta_k = 0.99^k eta_0; [NEC] experiments: eta = gamma. What sends differences of
// models makes whole steps.
TEST(ServerStep, TheDefaultRate) {
  const std::string local = "[local]\nrate = 0.25\nrate_decay = 0.5\nrate_decay_every = 2\n";
  for (const char* name : {"dp-fedavg-clip", "dp-normfedavg", "dp-fedavg-smooth", "alpha-normec",
                           "fed-alpha-normec", "fed-alpha-normec-ig", "clip21"})
    for (const std::string server : {"", "[server]\nrate = \"local\"\n"}) {
      const auto step = make(name, local + server).step.make();
      EXPECT_EQ(stepped(*step, 1, {1}), (Vector{-0.25})) << name;
      EXPECT_EQ(stepped(*step, 2, {1}), (Vector{-0.125})) << name;
    }
  for (const char* name : {"fedavg", "fedprox", "pmtl", "pp-sgd"})
    EXPECT_EQ(stepped(*make(name, local).step.make(), 2, {1}), (Vector{-1})) << name;
}

TEST(ServerStep, ARateOfItsOwn) {
  const auto step = make("dp-fedavg-clip",
                         "[local]\nrate = 0.25\nrate_decay = 0.1\n[server]\nrate = 2.0\n"
                         "rate_decay = 0.5\nrate_decay_every = 3")
                        .step.make();
  EXPECT_EQ(stepped(*step, 2, {1}), (Vector{-2}));
  EXPECT_EQ(stepped(*step, 3, {1}), (Vector{-1}));
}

TEST(ServerStep, MomentumComesBackFromARestart) {
  const char* toml = "[server]\nrate = 1.0\nmomentum = 0.5";
  const auto first = make("pmtl", toml).step.make();
  stepped(*first, 0, {4});
  Bytes bytes;
  State saving = State::saving(bytes);
  first->persist(saving);
  const auto second = make("pmtl", toml).step.make();
  State restoring = State::restoring(bytes);
  second->persist(restoring);
  restoring.finish();
  EXPECT_EQ(stepped(*second, 1, {0}), (Vector{-2}));
}

TEST(ServerStep, WrongValuesAreRefused) {
  for (const char* server : {"rate = 0", "rate = \"fast\"", "rate_decay = 0.0", "momentum = 1.0",
                             "momentum = -0.1", "normalise = 2"}) {
    const std::string key = std::string(server).substr(0, std::string(server).find(' '));
    const std::string rate = key == "rate_decay" ? "rate = 1.0\n" : "";
    testing::expect_parts(
        testing::refusal([&] { make("dp-fedavg-clip", "[server]\n" + rate + server); }),
        {"method.toml:" + std::string(rate.empty() ? "2" : "3"), key});
  }
}

}  // namespace trilemma::local_update_methods_test
