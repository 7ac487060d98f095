// Every accountant against values of other tools and of high-precision arithmetic
// (listed in reference.csv next to this file).

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/accountant/calibrate.hpp"
#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/saddle_point.hpp"
#include "tests/support/accounting_cases.hpp"

namespace trilemma::accounting::reference_test {

using testing::AccountingCase;

// A guarantee may miss the truth by no more than this share.
constexpr double sound = 1e-5;

void expect_near(double found, double wanted, double tolerance) {
  EXPECT_NEAR(found / wanted, 1, tolerance) << found << " in place of " << wanted;
}

class Reference : public ::testing::TestWithParam<AccountingCase> {
 protected:
  const AccountingCase& row() const { return GetParam(); }
  bool kind(const char* start) const { return row().text("kind").rfind(start, 0) == 0; }
  bool fixed() const { return row().text("sampling") == "fixed_size_wor"; }
  double reference() const { return row().number("reference"); }
  Composition composition() const { return row().composition(); }
  std::vector<DominatingPair> pairs() const {
    const Composition c = composition();
    return pairs_of(c.relation, c.components[0]);
  }
  Result epsilon_by(Method method) const {
    Options options;
    options.method = method;
    return epsilon(composition(), row().number("delta"), options);
  }
  Result delta_by(Method method) const {
    Options options;
    options.method = method;
    return delta(composition(), row().number("eps"), options);
  }
  // Safe, and a bracket around the truth.
  void expect_sound(const Result& result) const {
    EXPECT_TRUE(result.certified);
    EXPECT_EQ(result.upper, result.value);
    EXPECT_GE(result.value, reference() * (1 - sound));
    EXPECT_LE(result.lower, reference() * (1 + 1e-9));
    EXPECT_LE(result.lower, result.upper);
  }
  // As close as a tight accountant must be.
  void expect_tight(const Result& result) const {
    expect_sound(result);
    expect_near(result.value, reference(), row().number("rel_tol"));
    EXPECT_GE(result.value, row().number("lower") * (1 - 1e-3));
    EXPECT_LE(result.value, row().number("upper") * (1 + 1e-3));
  }
};

TEST_P(Reference, AutomaticMethod) {
  if (kind("eps") && fixed()) {
    // The reference is theorem 27, which is not tight.
    const Result result = epsilon_by(Method::automatic);
    EXPECT_EQ(result.status, Status::ok);
    EXPECT_LT(result.value, reference());
    EXPECT_GT(result.lower, 0);
  } else if (kind("eps")) {
    const Result result = epsilon_by(Method::automatic);
    expect_tight(result);
    EXPECT_EQ(result.status, Status::ok);
    EXPECT_TRUE(result.method == (row().plain()    ? "gaussian"
                                  : row().single() ? "one_step"
                                                   : "pld"))
        << result.method;
  }
  if (kind("delta")) expect_tight(delta_by(Method::automatic));
  if (kind("sigma")) {
    const double delta = row().number("delta");
    const double target = row().number("eps");
    const Result result = calibrate_noise(composition(), target, delta);
    expect_tight(result);
    EXPECT_LE(result.evaluations, 20);
    Composition calibrated = composition();
    calibrated.components[0].sigma = result.value;
    EXPECT_LE(epsilon(calibrated, delta).value, target);
  }
}

TEST_P(Reference, Rdp) {
  if (kind("rdp")) {
    RenyiCurve curve(composition());
    expect_near(curve.at(row().number("alpha")), reference(), row().number("rel_tol"));
  }
  if (kind("eps")) {
    const Result result = epsilon_by(Method::rdp);
    EXPECT_GE(result.value, reference() * (1 - sound));
    EXPECT_LE(result.lower, reference());
    if (row().has("rdp_eps_exact")) {
      expect_near(result.value, row().number("rdp_eps_exact"), 1e-6);
      expect_near(result.order, row().number("rdp_order_exact"), 1e-6);
    }
    const Result longer = renyi_epsilon(composition(), row().number("delta"), Orders::refined);
    EXPECT_LE(longer.value, result.value);
    EXPECT_GE(longer.value, reference() * (1 - sound));
  }
  if (kind("delta")) {
    EXPECT_GE(delta_by(Method::rdp).value, reference() * (1 - sound));
  }
  if (kind("sigma") && row().has("sigma_rdp")) {
    Options options;
    options.method = Method::rdp;
    const Result result =
        calibrate_noise(composition(), row().number("eps"), row().number("delta"), options);
    expect_near(result.value, row().number("sigma_rdp"), 1e-6);
    EXPECT_GE(result.value, row().number("sigma_rdp") * (1 - 1e-8));
    EXPECT_LE(result.evaluations, 20);
  }
}

TEST_P(Reference, Pld) {
  if (fixed()) return;
  if (kind("eps")) {
    const Result result = pld_epsilon(composition(), row().number("delta"));
    expect_sound(result);
    expect_near(result.value, reference(), 1e-3);
    // As narrow as was asked for, or said not to be; and still around the truth.
    for (const double tolerance : {1e-2, 3e-4}) {
      Effort effort;
      effort.tolerance = tolerance;
      const Result other = pld_epsilon(composition(), row().number("delta"), effort);
      expect_sound(other);
      EXPECT_LE(other.value - other.lower, std::max(tolerance, 1e-3) * other.value);
    }
  }
  if (kind("delta")) {
    const Result result = pld_delta(composition(), row().number("eps"));
    expect_sound(result);
    expect_near(result.value, reference(), 1e-3);
  }
}

TEST_P(Reference, ClosedForms) {
  if (kind("eps") && row().plain()) {
    const Result result = epsilon_by(Method::gaussian);
    expect_near(result.value, reference(), 1e-12);
    EXPECT_NEAR(log_delta(gaussian_pair(composition()), reference()),
                std::log(row().number("delta")), 1e-10);
  }
  if (kind("eps") && row().single() && !fixed()) {
    expect_near(epsilon_by(Method::one_step).value, reference(), 1e-12);
    expect_near(one_step_epsilon(pairs(), row().number("delta")).high, reference(), 1e-12);
  }
  if (kind("delta")) {
    expect_near(delta_by(Method::one_step).value, reference(), 1e-12);
    EXPECT_NEAR(log_delta(pairs(), row().number("eps")), std::log(reference()), 1e-12);
  }
}

// Where releases that see the unit are rare or have little noise, the integral is slow or fails.
TEST_P(Reference, SaddlePoint) {
  if (fixed() || !kind("eps")) return;
  for (const auto& c : composition().components)
    if (c.rate < 1 && (c.steps * c.rate < 0.5 || c.sigma < 0.6)) return;
  const Result result = epsilon_by(Method::saddle_point);
  EXPECT_FALSE(result.certified);
  EXPECT_EQ(result.status, Status::ok);
  expect_near(result.value, reference(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Rows, Reference, ::testing::ValuesIn(testing::reference_cases()),
                         [](const auto& instance) { return instance.param.text("case_id"); });

TEST(ReferenceFile, HasAllRows) { EXPECT_EQ(testing::reference_cases().size(), 50U); }

}  // namespace trilemma::accounting::reference_test
