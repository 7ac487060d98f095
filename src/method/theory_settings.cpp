#include "method/theory_settings.hpp"

#include "settings/reader.hpp"

namespace trilemma {
namespace {

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
