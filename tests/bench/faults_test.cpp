// Seeded faults in a benchmark that really runs (src/bench/measure.hpp): what is wrong in the
// federation is found in its result.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "bench/measure.hpp"
#include "experiment/budget.hpp"

namespace trilemma::bench_faults_test {

constexpr const char* common = R"(
method = "soteriafl-sgd"
data.features = 12
data.classes = 2
problem.kind = "softmax"
local.batch = 4
compressor.kind = "rand-k"
compressor.k = 3
server.rate = 0.1
)";
const std::string with_noise =
    std::string(common) + "bound.threshold = 1.0\nprivacy.epsilon = 2\nprivacy.delta = 1e-3\n";
const std::string without_noise = std::string(common) + "privacy.sigma = 0\n";

// A kernel of 20 rounds on 4 clients, which takes a millisecond.
Kernel tiny_kernel(const std::string& settings, bool is_private) {
  Kernel kernel{"tiny", 'T', "a test", is_private, "gather", 16, settings.c_str(), 0.5, 2, 5, {}};
  kernel.sizes.fill({4, 4, 0, 20});
  return kernel;
}

class BenchFaults : public ::testing::Test {
 protected:
  static BenchResult result_of(const Kernel& kernel, const std::vector<std::string>& more = {},
                               const std::function<void(Plan&)>& change = {}) {
    const BenchCase of{.kernel = &kernel};
    Plan plan = plan_of(of, more);
    if (change) change(plan);
    Ranks ranks(Placement{});
    const Communicator none;
    BenchRanks on{ranks, none, {}, {0}};
    BenchResult result;
    EXPECT_EQ(measure(of, plan, on, 2, result), 0);
    result.facts.shipped = model_;
    result.facts.ranks = {{"host", Processors(1)}};
    return result;
  }
  // The reasons that do not depend on the time that a test takes.
  static std::vector<Invalid> reasons(const BenchResult& result) {
    constexpr Invalid of_time[] = {Invalid::too_few_rounds,    Invalid::too_few_repetitions,
                                   Invalid::too_short,         Invalid::noisy,
                                   Invalid::times_no_evidence, Invalid::phases_incomplete,
                                   Invalid::calibration_drifts};
    std::vector<Invalid> found;
    for (const Finding& one : judge(result.facts))
      if (std::ranges::find(of_time, one.reason) == std::end(of_time)) found.push_back(one.reason);
    return found;
  }
  void SetUp() override {
    model_.reset();
    model_ = result_of(kernel_).facts.repetitions.front().model;
  }

  const Kernel kernel_ = tiny_kernel(with_noise, true);
  static inline std::optional<std::string> model_;
};

TEST_F(BenchFaults, NoneInAnUnchangedKernel) {
  const BenchResult result = result_of(kernel_);
  EXPECT_EQ(reasons(result), std::vector<Invalid>{});
  EXPECT_EQ(result.facts.repetitions.front().updates, 4U * 25U);
  EXPECT_EQ(result.dimension, 26U);
  EXPECT_LE(result.epsilon, 2);
  EXPECT_GT(result.merit(), 0);
}

TEST_F(BenchFaults, AnotherRecordOrDrawChangesTheChecksum) {
  for (const char* change : {"data.seed=2", "seed=2", "server.rate=0.2"})
    EXPECT_EQ(reasons(result_of(kernel_, {change})), std::vector{Invalid::checksum_differs})
        << change;
}

TEST_F(BenchFaults, AMissingClientIsCounted) {
  // A method without a memory at the server, which would need every client.
  const auto found = reasons(result_of(
      kernel_, {"method=cdp-sgd", "participation.kind=fixed-size", "participation.size=3"}));
  EXPECT_EQ(found, (std::vector{Invalid::checksum_differs, Invalid::updates_missing}));
}

TEST_F(BenchFaults, MissingNoise) {
  const Kernel silent = tiny_kernel(without_noise, true);
  EXPECT_EQ(reasons(result_of(silent)),
            (std::vector{Invalid::checksum_differs, Invalid::claim_fails, Invalid::noise_missing}));
}

TEST_F(BenchFaults, AClaimThatDoesNotFollowFromTheConfiguration) {
  const auto found = reasons(result_of(kernel_, {}, [](Plan& plan) { plan.privacy.delta = 1e-2; }));
  EXPECT_NE(std::ranges::find(found, Invalid::claim_differs), found.end());
}

TEST_F(BenchFaults, AWrongEpsilon) {
  const auto found = reasons(result_of(kernel_, {}, [](Plan& plan) { plan.privacy.epsilon = 4; }));
  // The noise follows from epsilon, and the model from the noise.
  EXPECT_EQ(found, (std::vector{Invalid::checksum_differs, Invalid::claim_differs}));
}

TEST(ExpectedLedger, IsTheClosedFormOfTheExchange) {
  const Kernel kernel = tiny_kernel(without_noise, false);
  BenchCase of{.kernel = &kernel};
  Placement place{.rank = 0, .size = 4, .clients = 4, .server_hosts = true};
  const Plan gathered = plan_of(of);
  const LedgerFacts one = expected_ledger(gathered, place, 10);
  // Three other ranks: a client each with three values, and a model of 26 numbers.
  EXPECT_EQ(one.up_low, 10U * 3 * 3 * 4);
  EXPECT_EQ(one.up_high, one.up_low);
  EXPECT_EQ(one.down_expected, 10U * 3 * 26 * sizeof(real));
  of.pattern = "reduce";
  const LedgerFacts sums = expected_ledger(plan_of(of), place, 10);
  EXPECT_EQ(sums.up_low, 10U * 3 * (26 * 8 + 16));
  place = {.rank = 0, .size = 1, .clients = 4};
  EXPECT_EQ(expected_ledger(gathered, place, 10).up_high, 0U);
}

TEST(Kernels, AreExperimentsOfEveryClass) {
  for (const Kernel& kernel : kernels())
    for (std::size_t i = 0; i < 2; ++i) {  // the larger classes differ in numbers alone
      const BenchCase of{.kernel = &kernel, .size = static_cast<BenchClass>(i), .ranks = 2};
      const Plan plan = plan_of(of);
      EXPECT_EQ(plan.clients, 2 * kernel.sizes[i].per_rank) << kernel.name;
      EXPECT_EQ(plan.rounds, warm_up_rounds + kernel.sizes[i].rounds) << kernel.name;
      EXPECT_TRUE(plan.has_portable_numerics) << kernel.name;
      EXPECT_FALSE(std::isnan(bits_per_round(plan).up)) << kernel.name << ": sizes vary";
    }
}

TEST(Kernels, TimeOnTheReferenceCoreGrowsWithTheWork) {
  Kernel kernel = tiny_kernel(without_noise, false);
  BenchCase of{.kernel = &kernel};
  // 4 clients, 25 rounds of 2 repetitions, half a second each.
  EXPECT_EQ(of.reference_seconds(2), 4 * 25 * 2 * 0.5);
  of.ranks = 3;
  EXPECT_EQ(of.reference_seconds(2), 4 * 25 * 2 * 0.5);
  of.mode = BenchMode::strong;
  of.ranks = 2;
  EXPECT_EQ(of.reference_seconds(2), 2 * 25 * 2 * 0.5);
  kernel.sizes[0].hidden = 10;
  kernel.sizes[1].hidden = 30;
  of.size = BenchClass::w;
  EXPECT_EQ(of.reference_seconds(2), 3 * 2 * 25 * 2 * 0.5);
  kernel.sizes[1].hidden = 2000;  // 1e6 coordinates or more, then 1e7: vectors leave the caches
  EXPECT_EQ(of.reference_seconds(2), 2 * 200 * 2 * 25 * 2 * 0.5);
  kernel.sizes[1].hidden = 20000;
  EXPECT_EQ(of.reference_seconds(2), 5 * 2000.0 * 2 * 25 * 2 * 0.5);
}

TEST(Kernels, HaveEqualWorkOnCommonNodes) {
  for (const Kernel& kernel : kernels())
    for (const KernelSize& size : kernel.sizes)
      EXPECT_TRUE(size.total % 60 == 0 &&
                  std::has_single_bit(static_cast<unsigned long>(size.total / 60)))
          << kernel.name << ": total clients " << size.total;
}

}  // namespace trilemma::bench_faults_test
