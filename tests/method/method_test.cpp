// Methods, their slots and their names (src/method).

#include "method/method.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "compress/compressor.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::method_test {

Method make(const std::string& name, const std::string& server = "") {
  Settings settings = Settings::from_text("[server]\n" + server, "server.toml");
  for (const auto& row : methods())
    if (name == row.name) return row.make(settings);
  throw std::logic_error("no method " + name);
}

TEST(Methods, NamesOfTheTable) {
  EXPECT_EQ(names(methods()), (std::vector<std::string>{"gd",
                                                        "compressed-gd",
                                                        "diana",
                                                        "ef21",
                                                        "marina",
                                                        "ldp-sgd",
                                                        "ldp-svrg",
                                                        "ldp-spider",
                                                        "dp-sgd",
                                                        "dp-gd",
                                                        "rrpsgd",
                                                        "dp-srm",
                                                        "dp-srm-distributed",
                                                        "cdp-sgd",
                                                        "soteriafl-gd",
                                                        "soteriafl-sgd",
                                                        "soteriafl-svrg",
                                                        "soteriafl-saga",
                                                        "fedavg",
                                                        "fedprox",
                                                        "dp-fedavg-clip",
                                                        "dp-normfedavg",
                                                        "dp-fedavg-smooth",
                                                        "alpha-normec",
                                                        "fed-alpha-normec",
                                                        "fed-alpha-normec-ig",
                                                        "clip21",
                                                        "pmtl",
                                                        "local",
                                                        "pp-sgd",
                                                        "scaffold",
                                                        "dp-scaffold",
                                                        "naive-dp-mtl",
                                                        "decomfl",
                                                        "dp-decomfl",
                                                        "dsgd",
                                                        "choco-sgd",
                                                        "d2",
                                                        "deepsqueeze",
                                                        "gradient-tracking",
                                                        "beer",
                                                        "porter-dp",
                                                        "porter-gc",
                                                        "motef",
                                                        "sdm-dsgd",
                                                        "q-dpsgd-1",
                                                        "favano",
                                                        "quafl",
                                                        "fedbuff",
                                                        "fedavg-timed",
                                                        "asyncsgd",
                                                        "fedasync",
                                                        "fedcompass"}));
}

struct Slots {
  const char *name, *estimator, *bound, *compressor;
  bool noise;
  const char* memory;
  double constant;
};

// Constants: 8 for CDP-SGD and LDP-SGD, 12 for SoteriaFL-GD/SGD, 96 for all SVRG and SAGA.
TEST(Methods, SlotsAndConstants) {
  const Slots table[] = {
      {"gd", "gd", "none", "identity", false, "none", 0},
      {"compressed-gd", "gd", "none", "", false, "none", 0},
      {"diana", "gd", "none", "", false, "shift", 0},
      {"ef21", "gd", "none", "", false, "ef21", 0},
      {"marina", "gd", "none", "", false, "marina", 0},
      {"ldp-sgd", "sgd", "", "identity", true, "none", 8},
      {"ldp-svrg", "svrg", "", "identity", true, "none", 96},
      {"ldp-spider", "recursive", "clip-record", "identity", true, "none", 16},
      {"dp-sgd", "sgd", "clip-record", "identity", true, "none", 8},
      {"dp-gd", "gd", "clip-record", "identity", true, "none", 8},
      {"rrpsgd", "sgd", "clip-record", "identity", true, "none", 32},
      {"dp-srm", "recursive", "clip-record", "identity", true, "none", 0},
      {"dp-srm-distributed", "recursive", "clip-record", "identity", true, "none", 0},
      {"cdp-sgd", "sgd", "", "", true, "none", 8},
      {"soteriafl-gd", "gd", "", "", true, "shift", 12},
      {"soteriafl-sgd", "sgd", "", "", true, "shift", 12},
      {"soteriafl-svrg", "svrg", "", "", true, "shift", 96},
      {"soteriafl-saga", "saga", "", "", true, "shift", 96},
      {"dsgd", "sgd", "", "identity", true, "none", 0},
      {"choco-sgd", "sgd", "", "", true, "none", 0},
      {"d2", "sgd", "", "identity", true, "none", 0},
      {"deepsqueeze", "sgd", "", "", true, "none", 0},
      {"gradient-tracking", "sgd", "", "identity", true, "none", 0},
      {"beer", "sgd", "none", "", false, "none", 0},
      {"porter-dp", "sgd", "", "", true, "none", 0},
      {"porter-gc", "sgd", "clip-estimator", "", false, "none", 0},
      {"motef", "sgd", "", "", true, "none", 0},
      {"sdm-dsgd", "sgd", "", "", true, "none", 0},
      {"q-dpsgd-1", "sgd", "", "grid", true, "none", 0},
  };
  for (const auto& slots : table) {
    const Method m = make(slots.name);
    EXPECT_EQ(m.estimator, slots.estimator) << slots.name;
    EXPECT_EQ(m.bound, slots.bound) << slots.name;
    EXPECT_EQ(m.compressor, slots.compressor) << slots.name;
    EXPECT_EQ(m.noise, slots.noise) << slots.name;
    EXPECT_EQ(m.memory, slots.memory) << slots.name;
    EXPECT_EQ(m.noise_constant, slots.constant) << slots.name;
  }
}

TEST(Methods, NamedPartsExist) {
  const auto has = [](const auto& rows, const std::string& name) {
    return std::any_of(rows.begin(), rows.end(), [&](const auto& r) { return name == r.name; });
  };
  for (const auto& row : methods()) {
    const Method m = make(row.name);
    EXPECT_TRUE(m.estimator.empty() ? has(solvers(), m.steps.solver)
                                    : has(estimators(), m.estimator))
        << row.name;
    EXPECT_TRUE(m.bound.empty() || has(bounds(), m.bound)) << row.name;
    EXPECT_TRUE(m.compressor.empty() || has(compressors(), m.compressor)) << row.name;
  }
}

TEST(Methods, StepByHand) {
  for (const auto& row : methods()) {
    Vector x{1, 2};
    const Method m = make(row.name, "rate = 0.5");
    if (m.shape(2, 1).up != 2 || m.node) continue;
    const auto step = m.step.make();
    step->prepare({.dimension = 2, .clients = 1, .participants = 1});
    step->apply(0, x, std::vector<double>{2, -4});
    EXPECT_EQ(x, (Vector{0, 4})) << row.name;
  }
}

// x and the direction are combined in double and rounded once.
TEST(Methods, StepRoundsOnce) {
  Vector x{1};
  const double direction = 0.75 * testing::rounding;
  make("gd", "rate = 1.0").step.make()->apply(0, x, std::vector<double>{-direction});
  EXPECT_EQ(x[0], static_cast<real>(1.0 + direction));
}

TEST(Methods, RefusesStepsThatAreNotPositive) {
  for (const char* rate : {"rate = 0", "rate = -0.3"})
    testing::expect_parts(testing::refusal([&] { make("cdp-sgd", rate); }),
                          {"server.toml:2", "rate"});
}

}  // namespace trilemma::method_test
