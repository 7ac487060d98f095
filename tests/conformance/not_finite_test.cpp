// What a NaN or an overflow may do behind a bound: nothing. Every row of bounds() replaces a vector
// without a finite norm by 0; every row of estimators() replaces such a record's gradient by 0
// before the average, and the other records' gradients are what they were.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/lanes.hpp"
#include "tests/support/estimators.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::not_finite_test {

constexpr real nan = std::numeric_limits<real>::quiet_NaN();
constexpr real infinite = std::numeric_limits<real>::infinity();
constexpr real largest = std::numeric_limits<real>::max();

TEST(NotFinite, EveryBoundMakesSuchAVectorZero) {
  for (const auto& row : bounds()) {
    Settings settings = Settings::from_text("", "bound.toml");
    const auto bound = row.make(settings);
    for (const real bad : {nan, infinite, -infinite})
      for (std::size_t place = 0; place < 40; ++place) {
        Vector z(40, real{1e30F});
        z[place] = bad;
        const Vector before = z;
        const Bounded bounded = bound->apply(z);
        // Bounds of records, and none, do not look at the finished vector.
        if (bound->what() == Bounds::record || bound->what() == Bounds::nothing) {
          EXPECT_TRUE(std::isnan(bounded.norm_before())) << row.name;
          EXPECT_EQ(z[(place + 1) % 40], before[(place + 1) % 40]) << row.name;
          continue;
        }
        ASSERT_EQ(z, Vector(40, real{0})) << row.name << ' ' << place;
        EXPECT_EQ(bounded.norm_before(), std::numeric_limits<double>::infinity()) << row.name;
      }
  }
}

// One bad value or an overflow in record 3 of a client.
enum class Damage { nan, infinite, overflow };

void damage(Dataset& shard, Damage how) {
  constexpr std::uint32_t record = 3;
  const real value = how == Damage::nan ? nan : how == Damage::infinite ? infinite : largest;
  if (auto* sparse = std::get_if<SparseRows>(&shard.rows); sparse != nullptr) {
    sparse->value[sparse->start[record]] = value;
  } else {
    auto& dense = std::get<DenseRows>(shard.rows);
    // An overflow needs two of them: their product with the model is infinite, or no number.
    for (std::size_t j = 0; j < 2; ++j) dense.value[record * dense.columns + j] = value;
  }
  shard.prepare();
}

struct Kind {
  std::string estimator, problem;
  Damage how;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const auto& row : estimators())
    for (const char* problem :
         {"logistic", "network", "deep", "softmax", "cnn", "layers", "linear", "mean"})
      for (const Damage how : {Damage::nan, Damage::infinite, Damage::overflow})
        all.push_back({row.name, problem, how});
  return all;
}

class NotFiniteRecord : public ::testing::TestWithParam<Kind> {
 protected:
  static constexpr std::size_t records = 12;
  static constexpr double threshold = 0.3;

  std::unique_ptr<LocalWork> make(Sampler& sampler, const testing::Case& on, ConstView start) {
    auto made = testing::make_estimator(GetParam().estimator, on, sampler,
                                        {.batch = 4, .threshold = threshold});
    made->start(start);
    return made;
  }
};

// Sum over the other records of their gradients at w, divided by the estimator's divisor.
TEST_P(NotFiniteRecord, AddsNothing) {
  if (GetParam().how == Damage::overflow) GTEST_SKIP() << "see StaysWithinTheBound";
  const testing::Case whole = testing::make_case(GetParam().problem, 1, records, 5, 8);
  testing::Case bad = testing::make_case(GetParam().problem, 1, records, 5, 8);
  damage(bad.shards[0], GetParam().how);
  const Vector w = testing::random_vector(whole.problem->dimension(), 1, 0.7);
  testing::ScriptedSampler all;
  all.next = testing::all_rows(records);
  std::vector<double> expected(w.size(), 0.0);
  for (std::uint32_t row = 0; row < records; ++row) {
    if (row == 3) continue;
    const auto one = testing::record_gradient(*whole.problem, whole.shards[0], row, w, threshold);
    for (std::size_t j = 0; j < one.size(); ++j) expected[j] += one[j];
  }
  const bool is_minibatch = GetParam().estimator == "sgd" || GetParam().estimator == "recursive";
  const double divisor = is_minibatch ? 4 : records;
  const Vector out = testing::estimate(*make(all, bad, w), w, 0);
  const auto slope = testing::regulariser_gradient(*whole.problem, w);
  for (std::size_t j = 0; j < out.size(); ++j)
    ASSERT_NEAR(out[j], expected[j] / divisor + slope[j], 100 * testing::rounding) << j;
}

// Whether it is drawn or not changes nothing, or no more than the bound allows.
TEST_P(NotFiniteRecord, StaysWithinTheBound) {
  testing::Case bad = testing::make_case(GetParam().problem, 1, records, 5, 8);
  damage(bad.shards[0], GetParam().how);
  const Vector w = testing::random_vector(bad.problem->dimension(), 1, 0.7);
  const Vector x = testing::random_vector(bad.problem->dimension(), 2, 0.7);
  testing::ScriptedSampler sampler;
  sampler.next = {};
  const auto without = testing::as_double(testing::estimate(*make(sampler, bad, w), x, 0));
  sampler.next = {3};
  const auto with = testing::as_double(testing::estimate(*make(sampler, bad, w), x, 0));
  for (const double value : with) ASSERT_TRUE(std::isfinite(value));
  const double moved = std::sqrt(testing::distance_squared(with, without));
  const double allowed =
      testing::estimator_kind(GetParam().estimator).sensitivity(threshold, 4, records).sampled;
  EXPECT_LE(moved, GetParam().how == Damage::overflow ? allowed * (1 + 50 * testing::rounding) : 0);
}

std::string name_of(const ::testing::TestParamInfo<Kind>& test) {
  static const char* const how[] = {"nan", "infinite", "overflow"};
  return test.param.estimator + "_" + test.param.problem + "_" +
         how[static_cast<int>(test.param.how)];
}
INSTANTIATE_TEST_SUITE_P(Estimators, NotFiniteRecord, ::testing::ValuesIn(kinds()), name_of);

// A target that is not a number, with features that are.
TEST(NotFinite, ABadTargetAddsNothing) {
  testing::Case bad = testing::make_case("linear", 1, 4, 3, 8);
  bad.shards[0].target[2] = nan;
  GradientNotes notes;
  RecordGradients gradients(*bad.problem, {1.0}, &notes);
  const Vector x = testing::random_vector(3, 1);
  Vector sum(3, real{0});
  const std::uint32_t row = 2;
  gradients.add(bad.shards[0], {&row, 1}, x, 1.0, sum);
  EXPECT_EQ(sum, Vector(3, real{0}));
  EXPECT_EQ(notes.not_finite, 1U);
  const auto all = testing::all_rows(4);
  gradients.add(bad.shards[0], all, x, 1.0, sum);
  EXPECT_EQ(notes.not_finite, 2U);
  EXPECT_GT(norm_squared(ConstView(sum)), 0.0);
}

// Without a bound nothing is notes.not_finite: the run shall stop and say so.
TEST(NotFinite, WithoutABoundItComesThrough) {
  testing::Case bad = testing::make_case("logistic", 1, 12, 5, 8);
  damage(bad.shards[0], Damage::nan);
  RecordGradients gradients(*bad.problem, {std::numeric_limits<double>::infinity()});
  const Vector x = testing::random_vector(5, 1);
  Vector sum(5, real{0});
  const auto all = testing::all_rows(12);
  gradients.add(bad.shards[0], all, x, 1.0, sum);
  EXPECT_TRUE(std::any_of(sum.begin(), sum.end(), [](real v) { return std::isnan(v); }));
}

}  // namespace trilemma::not_finite_test
