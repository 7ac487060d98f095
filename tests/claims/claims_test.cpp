// Every printed privacy claim against an oracle that knows the theory and not the program: random
// experiments, and those whose claims were once wrong.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "tests/claims/oracle.hpp"
#include "tests/claims/random_plans.hpp"

namespace trilemma::claims {
namespace {

/// Claims are computed in double, calibration ends within about 1e-6.
constexpr double slack = 1e-6;

/// The sentence or the record tells where the start model comes from.
bool tells_start(const Answer& a) {
  const std::string said = a.sentence + a.preprocessing;
  return said.find("start") != std::string::npos;
}

/// What is wrong with a claim; empty if nothing is. `epsilon` was printed after `rounds` rounds.
std::string overclaim(const Answer& a, const Machine& how, long rounds, double epsilon) {
  if (!std::isfinite(epsilon) || !(a.facts.delta > 0) || rounds < 1) return "";
  const Attacks all = attacks(a.facts, how, rounds);
  const Attack* found = refutes(all, epsilon * (1 + slack), a.facts.delta * (1 + slack));
  if (found == nullptr) return "";
  return fmt::format("{} (epsilon at least {:.4g})", found->name,
                     epsilon_of(found->delta, a.facts.delta));
}

std::string complaint(const Answer& a, const Machine& how) {
  const bool holds = a.dp_claim == "accounted";
  if (holds) {
    if (const std::string reason = refusal(a.facts); !reason.empty()) return reason;
    if ((a.facts.start_at_optimum || !a.facts.start_file.empty()) && !tells_start(a))
      return "the start model is not named";
    if (a.delta != a.facts.delta) return "another delta";
  }
  if (!holds && a.dp_claim != "paper_nominal_only")
    return a.sentence.starts_with("holds: (") ? "the sentence says what the record does not" : "";
  const std::string whole = overclaim(a, how, a.facts.rounds, a.epsilon);
  if (!whole.empty() || !holds) return whole;
  return overclaim(a, how, a.facts.rounds / 2, a.epsilon_half);
}

std::string described(const Request& request, const Answer& answer, const std::string& problem) {
  return fmt::format("{}\n  claims ({:.6g}, {:.3g}), {}: {}\n  {}", problem, answer.epsilon,
                     answer.facts.delta, answer.dp_claim, answer.sentence, request.text());
}

/// A number from the environment, for longer runs by hand.
long from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

TEST(Claims, NoRandomExperimentPromisesTooMuch) {
  const long count = from_environment("TRILEMMA_CLAIMS", 4000);
  const auto seed = static_cast<std::uint64_t>(from_environment("TRILEMMA_CLAIMS_SEED", 1));
  const Machine how = machine();
  std::map<std::string, long> kinds, problems;
  std::map<std::string, std::string> first;
  for (long number = 0; number < count; ++number) {
    const Request request = random_request(seed, static_cast<std::uint64_t>(number));
    std::string refused;
    const std::optional<Answer> answer = ask(request, refused);
    ++kinds[answer ? answer->dp_claim : "refused"];
    if (!answer) continue;
    const std::string problem = complaint(*answer, how);
    if (problem.empty()) continue;
    const std::string kind = problem.substr(0, problem.find(" ("));
    if (++problems[kind] == 1) first[kind] = described(request, *answer, problem);
  }
  for (const auto& [kind, times] : kinds) fmt::print("{:6} {}\n", times, kind);
  for (const auto& [kind, times] : problems) ADD_FAILURE() << times << " times: " << first[kind];
}

}  // namespace
}  // namespace trilemma::claims
