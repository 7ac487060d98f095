// Finetuning and its penalties (src/local/finetuning.hpp; spec algorithms.md 4.4).

#include "local/finetuning.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "problem/cross_entropy.hpp"
#include "problem/interfaces.hpp"
#include "tests/support/mean_estimation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::finetuning_test {

constexpr bool wide = std::is_same_v<real, double>;
constexpr double tolerance = 200 * testing::rounding;

std::unique_ptr<Finetuning> make(const std::string& kind, const std::string& toml,
                                 Problem& problem) {
  Settings settings = Settings::from_text("[finetune]\n" + toml, "e.toml");
  Settings finetune = settings.section("finetune");
  return row(finetunings(), kind).make(finetune, 1, problem);
}

Vector tuned(const std::string& kind, const std::string& toml, Problem& problem,
             const Dataset& shard, const Vector& from, const Vector& x) {
  const auto finetuning = make(kind, toml, problem);
  finetuning->tune(problem, shard, 5, x, from);  // what it has done before must not show
  const ConstView w = finetuning->tune(problem, shard, 3, from, x);
  return {w.begin(), w.end()};
}

TEST(Finetunings, NamesOfTheTable) {
  EXPECT_EQ(names(finetunings()), (std::vector<std::string>{"none", "vanilla", "mean-regularised",
                                                            "symmetrised-kl", "ewc"}));
}

TEST(Finetunings, NoneIsNothing) {
  const auto mean = testing::make_problem("mean", {1, 0}, "");
  Problem& problem = *mean;
  const auto shards = testing::one_record_each({{2}});
  EXPECT_TRUE(tuned("none", "", problem, shards[0], {7}, {1}).empty());
}

// Loss 0.5 (w - 2)^2: the distance to 2 shrinks by 3/4 in each step.
TEST(Finetunings, VanillaByHand) {
  const auto mean = testing::make_problem("mean", {1, 0}, "");
  Problem& problem = *mean;
  const auto shards = testing::one_record_each({{2}});
  const Vector w = tuned("vanilla", "rate = 0.25\nsteps = 3", problem, shards[0], {10}, {99});
  EXPECT_NEAR(w[0], 2 + 8 * 0.421875, tolerance);
}

// argmin of 0.5 (w - a)^2 + (lambda/2) (w - x)^2 is (a + lambda x) / (1 + lambda).
TEST(Finetunings, MeanRegularisedReachesItsMinimum) {
  const auto mean = testing::make_problem("mean", {1, 0}, "");
  Problem& problem = *mean;
  const auto shards = testing::one_record_each({{2}});
  const Vector w = tuned("mean-regularised", "rate = 0.1\nsteps = 200\npull = 3.0", problem,
                         shards[0], {10}, {6});
  EXPECT_NEAR(w[0], (2 + 3 * 6) / 4.0, tolerance);
}

Dataset two_records(real first, real second) {
  DenseRows rows;
  rows.columns = 1;
  rows.value = {first, second};
  Dataset data;
  data.rows = rows;
  data.label = {0, 0};
  data.prepare();
  return data;
}

// At the first model 0 the gradients of records 1 and 3 are -1 and -3: F = (1 + 9) / 2 one by one,
// and 4 for both together.
TEST(Finetunings, EwcByHand) {
  const auto mean = testing::make_problem("mean", {1, 0}, "");
  Problem& problem = *mean;
  const Dataset shard = two_records(1, 3);
  for (const auto& [batch, fisher] : {std::pair{1, 5.0}, std::pair{2, 4.0}, std::pair{9, 4.0}}) {
    const auto penalty = make_ewc_penalty(0.5, static_cast<std::size_t>(batch));
    penalty->begin(problem, shard, Vector{0});
    Vector g{1};
    penalty->add_gradient(problem, shard, {}, Vector{7}, Vector{4}, g);
    EXPECT_NEAR(g[0], 1 + 0.5 * fisher * 3, tolerance) << batch;
  }
}

// Without pull, or where w is x and stays there, the penalties do nothing.
TEST(Finetunings, WithoutPullAllAreVanilla) {
  const auto on = testing::make_case("network", 1, 30, 6, 3);
  const Vector from = testing::random_vector(on.problem->dimension(), 1, 0.5);
  const Vector x = testing::random_vector(on.problem->dimension(), 2, 0.5);
  const std::string steps = "steps = 5\nbatch = 7\nrate = 0.3\n";
  const Vector plain = tuned("vanilla", steps, *on.problem, on.shards[0], from, x);
  for (const char* kind : {"mean-regularised", "symmetrised-kl", "ewc"}) {
    EXPECT_EQ(tuned(kind, steps + "pull = 0.0", *on.problem, on.shards[0], from, x), plain) << kind;
    EXPECT_NE(tuned(kind, steps + "pull = 1.0", *on.problem, on.shards[0], from, x), plain) << kind;
  }
}

class KlPenaltyOn : public ::testing::TestWithParam<const char*> {};

// Central differences of (lambda/2) mean [KL + KL].
TEST_P(KlPenaltyOn, GradientIsTheDerivative) {
  constexpr double lambda = 3;
  constexpr double step = wide ? 1e-5 : 1e-2;
  const auto on = testing::make_case(GetParam(), 1, 8, 6, 3);
  Problem& problem = *on.problem;
  const std::size_t d = problem.dimension();
  const std::size_t c = problem.as_classifier()->classes();
  const Vector x = testing::random_vector(d, 4, 0.5);
  const Vector w = testing::random_vector(d, 5, 0.5);
  const std::vector<std::uint32_t> rows{1, 4, 6};
  auto value = [&](const Vector& at) {
    Batch batch;
    problem.load(on.shards[0], rows, batch);
    Vector o(3 * c);
    Vector reference(3 * c);
    Vector unused(c);
    problem.as_classifier()->logits(batch, at, o);
    problem.as_classifier()->logits(batch, x, reference);
    double sum = 0;
    for (std::size_t r = 0; r < 3; ++r)
      sum += symmetrised_kl(ConstView(o).subspan(r * c, c), ConstView(reference).subspan(r * c, c),
                            unused);
    return lambda / 2 * sum / 3;
  };
  // A step in float crosses kinks of ReLU and of pooling, of which `layers` has most.
  const double in_float = std::string_view(GetParam()) == "layers" ? 3e-2 : 5e-3;
  const double limit = wide ? 1e-7 : in_float;
  Vector g(d, real{0});
  make_kl_penalty(lambda)->add_gradient(problem, on.shards[0], rows, w, x, g);
  for (std::size_t j = 0; j < d; ++j) {
    Vector up = w;
    Vector down = w;
    up[j] += static_cast<real>(step);
    down[j] -= static_cast<real>(step);
    const double slope = (value(up) - value(down)) / static_cast<double>(up[j] - down[j]);
    EXPECT_NEAR(g[j], slope, limit * std::max(1.0, std::abs(slope))) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, KlPenaltyOn,
                         ::testing::Values("logistic", "network", "images", "deep", "softmax",
                                           "cnn", "layers"));

TEST(Finetunings, KlNeedsClasses) {
  const auto on = testing::make_case("linear", 1, 8, 3, 3);
  testing::expect_parts(
      testing::refusal([&] { make("symmetrised-kl", "kind = \"symmetrised-kl\"", *on.problem); }),
      {"e.toml:2", "finetune.kind", "class probabilities", "choose"});
}

TEST(Finetunings, WrongNumbersAreRefused) {
  const auto on = testing::make_case("softmax", 1, 8, 3, 3);
  for (const char* word : {"rate = 0", "steps = 0", "batch = 0", "pull = -1"})
    testing::expect_parts(testing::refusal([&] { make("ewc", word, *on.problem); }),
                          {"e.toml:2", "finetune."});
}

}  // namespace trilemma::finetuning_test
