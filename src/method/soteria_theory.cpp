#include "method/soteria_theory.hpp"

#include <algorithm>
#include <cmath>

#include "settings/reader.hpp"

namespace trilemma {
namespace {

// Constants of an estimator in the theorem: E|g - grad f|^2 <= C1 Delta + C2, and Delta shrinks by
// 1 - theta, except for C3 |grad f|^2 and C4 |x^{t+1} - x^t|^2. GD and SGD have no Delta.
struct Variance {
  double c1 = 0;  ///< C1 / L^2
  double c2 = 0;  ///< C2 / G^2
  double c3 = 0;  ///< C3 / eta^2
  double c4 = 0;
  double theta = 1;
};

Variance variance_of(const TheoryCase& c) {
  switch (c.corollary) {
    case Corollary::none:
    case Corollary::gd:
      return {};
    case Corollary::sgd:
      return {.c2 = (c.records - c.batch) / (c.records * c.batch)};
    case Corollary::svrg:
      return {.c1 = 1 / c.batch,
              .c3 = 2 * (1 - c.snapshot) / c.snapshot,
              .c4 = 1,
              .theta = c.snapshot / 2};
    case Corollary::saga:
      return {.c1 = 1 / c.batch,
              .c3 = 2 * (c.records - c.batch) / c.batch,
              .c4 = 1,
              .theta = c.batch / (2 * c.records)};
  }
  return {};
}

double compressed(const TheoryCase& c) { return 1 + c.omega; }

// Returns p^(2/3) b^(1/3).
double snapshot_factor(const TheoryCase& c) { return std::cbrt(c.snapshot * c.snapshot * c.batch); }

// Returns m^(2/3), exactly for a cube, which is rounded down afterwards.
double of_records(const TheoryCase& c) {
  const double root = std::cbrt(c.records);
  return root * root;
}

double inverse_tau(const TheoryCase& c) { return std::min(1.0, 1 / theory_tau(c)); }

double corollary_rate(const TheoryCase& c) {
  switch (c.corollary) {
    case Corollary::none:
    case Corollary::gd:
    case Corollary::sgd:
      return 1 / ((1 + 2 * theory_tau(c)) * c.smoothness);
    case Corollary::svrg:
      return snapshot_factor(c) * inverse_tau(c) / (2 * c.smoothness);
    case Corollary::saga:
      return inverse_tau(c) / (3 * c.smoothness);
  }
  return 0;
}

// Returns sigma^2 of the theory in a run of one round.
double noise_of_a_round(const TheoryCase& c, const TheoryNoise& noise) {
  const double scale = c.threshold / (c.records * noise.epsilon);
  return noise.constant * scale * scale * std::log(1 / noise.delta);
}

double potential(const TheoryCase& c, double suboptimality) {
  return suboptimality + theory_beta(c) * c.threshold * c.threshold / c.smoothness;
}

bool needs_smoothness(const Settings& experiment, Corollary corollary) {
  return experiment.says("rounds", theory_word) ||
         experiment.section("server").says("rate", theory_word) ||
         (corollary == Corollary::sgd && experiment.section("local").says("batch", theory_word));
}

void read_constants(Settings& server, bool needs, TheorySettings& theory) {
  Reader r(server);
  r("smoothness", theory.smoothness, positive(),
    "L: smoothness constant of the loss of every record with the regulariser, for values left to "
    "the theory and for the utility bound");
  theory.smoothness_from_records = needs && !theory.smoothness;
  r("smoothness_from", theory.smoothness_from_records,
    {{"settings", false, "server.smoothness"},
     {"records", true,
      "logistic problem: (largest norm of a record)^2 / 4 + 2 lambda, a function of all records "
      "without noise"}},
    "origin of L; records where the theory needs L and server.smoothness is not set");
  r("suboptimality", theory.suboptimality, at_least(0),
    "bound on f(x^0) - min f, for rounds = \"theory\" and for the utility bound; from the start "
    "at zero, log 2 for the logistic problem");
}

}  // namespace

double theory_tau(const TheoryCase& c) {
  return std::pow(compressed(c), 1.5) / std::sqrt(c.clients);
}

double theory_beta(const TheoryCase& c) {
  const double scale = inverse_tau(c) * compressed(c);
  switch (c.corollary) {
    case Corollary::none:
    case Corollary::gd:
    case Corollary::sgd:
      return theory_tau(c) / (2 * compressed(c));
    case Corollary::svrg:
      return std::pow(snapshot_factor(c) * scale, 2) / c.clients;
    case Corollary::saga:
      return scale * scale / (3 * c.clients);
  }
  return 0;
}

long theory_batch(const TheoryCase& c, const TheoryNoise& noise) {
  double batch = c.records;
  if (c.corollary == Corollary::sgd)
    batch = c.records * noise.epsilon * c.threshold * std::sqrt(theory_beta(c)) /
            std::sqrt(compressed(c) * c.smoothness * c.dimension * std::log(1 / noise.delta));
  if (c.corollary == Corollary::svrg) batch = of_records(c) / 4;
  if (c.corollary == Corollary::saga) batch = 3 * of_records(c);
  return static_cast<long>(std::clamp(std::floor(batch), 1.0, c.records));
}

double theory_snapshot(const TheoryCase& c) { return c.batch / c.records; }

double theorem_rate(const TheoryCase& c) {
  const Variance v = variance_of(c);
  const double beta = theory_beta(c);
  const double alpha = 3 * beta * v.c1 / (2 * compressed(c) * v.theta);
  const double common = 1 + 2 * alpha * v.c4 + 4 * beta * compressed(c);
  const double first = 1 / ((common + 2 * alpha * v.c3) * c.smoothness);
  const double second =
      std::sqrt(beta * c.clients) / (std::sqrt(common) * compressed(c) * c.smoothness);
  const double rate = std::min(first, second);
  return rate > 0 ? rate : 0;  // without snapshots, alpha is not finite
}

double theory_rate(const TheoryCase& c) { return std::min(corollary_rate(c), theorem_rate(c)); }

double theory_rounds(const TheoryCase& c, const TheoryNoise& noise, double suboptimality) {
  const double of_a_round = c.dimension * noise_of_a_round(c, noise);
  const double start = 2 * compressed(c) * c.smoothness * potential(c, suboptimality);
  const double first = std::sqrt(start / (3 * theory_beta(c) * of_a_round));
  const double second = variance_of(c).c2 * c.threshold * c.threshold / of_a_round;
  return std::max(1.0, std::ceil(std::max(first, second)));
}

double utility_bound(const TheoryCase& c, double rate, double rounds, double sigma,
                     double suboptimality) {
  const double noise = variance_of(c).c2 * c.threshold * c.threshold + c.dimension * sigma * sigma;
  return 2 * potential(c, suboptimality) / (rate * rounds) +
         3 * theory_beta(c) / (compressed(c) * c.smoothness * rate) * noise;
}

TheorySettings read_theory(Settings& experiment, Corollary corollary) {
  Settings server = experiment.section("server");
  TheorySettings theory{.corollary = corollary};
  theory.rate = server.number_or("rate", 0.3, theory_word, positive(),
                                 "eta: step size of the server; theory: the corollary's, for L");
  const bool needs = needs_smoothness(experiment, corollary);
  const bool has_constant =
      server.has("smoothness") || server.has("smoothness_from") || server.has("suboptimality");
  if (experiment.when(needs || has_constant)) read_constants(server, needs, theory);
  return theory;
}

}  // namespace trilemma
