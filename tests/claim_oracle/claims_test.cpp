// Every printed privacy claim against an oracle that knows the theory and not the program: random
// experiments, and those whose claims were once wrong.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "tests/claim_oracle/known_overclaims.hpp"
#include "tests/claim_oracle/oracle.hpp"
#include "tests/claim_oracle/random_plans.hpp"

namespace trilemma::claims::claims_test {

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
  if (!holds && a.sentence.starts_with("holds: ("))
    return "the sentence says what the record does not";
  // What the accountant "can guarantee" although the run is not called private is a claim too.
  if (a.dp_claim == "none" && a.sentence.find("can guarantee") == std::string::npos) return "";
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
  const long count = from_environment("TRILEMMA_CLAIMS", 100);
  const auto seed = static_cast<std::uint64_t>(from_environment("TRILEMMA_CLAIMS_SEED", 1));
  const Machine how = machine();
  std::map<std::string, long> kinds, problems, promising;
  std::map<std::string, std::string> first;
  for (long number = 0; number < count; ++number) {
    const Request request = random_request(seed, static_cast<std::uint64_t>(number));
    std::string refused;
    const std::optional<Answer> answer = ask(request, refused);
    ++kinds[answer ? answer->dp_claim : "refused"];
    if (!answer) continue;
    if (answer->dp_claim == "accounted") ++promising[answer->facts.method];
    const std::string problem = complaint(*answer, how);
    if (problem.empty()) continue;
    const std::string kind = problem.substr(0, problem.find(" ("));
    if (++problems[kind] == 1) first[kind] = described(request, *answer, problem);
  }
  for (const auto& [kind, times] : kinds) fmt::print("{:6} {}\n", times, kind);
  EXPECT_GE(promising.size(), 17U) << "methods that were asked without ever promising anything";
  for (const auto& [kind, times] : problems) ADD_FAILURE() << times << " times: " << first[kind];
}

TEST(Claims, NoneOfTheKnownOverclaimsIsBack) {
  const Machine how = machine();
  for (const KnownOverclaim& known : known_overclaims()) {
    SCOPED_TRACE(known.why);
    std::string refused;
    const std::optional<Answer> answer = ask(known.request, refused);
    if (!answer) continue;  // to refuse it is as good
    const std::string problem = complaint(*answer, how);
    EXPECT_EQ(problem, "") << described(known.request, *answer, problem);
  }
}

// What shuffling makes of a claim is still above what the sum of the messages shows.
TEST(Claims, NoneOnShuffledMessagesPromisesTooMuch) {
  const Machine how = machine();
  for (const char* kind : {"joint.kind=sqkr", "joint.kind=privunit"})
    for (const char* rounds : {"rounds=1", "rounds=30"}) {
      const Request request{
          {"method=dp-fedavg-clip", "privacy.view=V_shuffled", "privacy.relation=replace_one",
           "privacy.epsilon=2", "privacy.delta=1e-6", "clients=300", "data.rows=3000",
           "data.features=20", kind, rounds},
          10,
          10};
      std::string refused;
      const std::optional<Answer> answer = ask(request, refused);
      ASSERT_TRUE(answer) << refused;
      EXPECT_EQ(answer->dp_claim, "accounted") << answer->sentence;
      EXPECT_LE(answer->epsilon, 2);
      EXPECT_EQ(complaint(*answer, how), "") << request.text();
      const Attacks all = attacks(answer->facts, how, answer->facts.rounds);
      EXPECT_GT(least_epsilon(all, answer->facts.delta), 0.1 * answer->epsilon);
    }
}

// An oracle that found nothing would agree with every claim: on mechanisms with tight accountants
// it comes within 1 % of what is printed.
TEST(Claims, TheOracleIsHardlyBelowHonestOnes) {
  const std::vector<std::string> common{"clients=10",     "rounds=50",
                                        "data.rows=1000", "privacy.epsilon=2",
                                        "local.batch=20", "privacy.delta=1e-6"};
  for (const char* more : {"method=ldp-sgd", "method=cdp-sgd compressor.kind=identity",
                           "method=soteriafl-gd compressor.kind=identity",
                           "method=ldp-sgd privacy.relation=replace_one",
                           "method=dp-fedavg-clip compressor.kind=identity",
                           "method=dp-fedavg-clip compressor.kind=identity privacy.noise_at=client",
                           "method=clip21 compressor.kind=identity participation.kind=poisson",
                           "method=dp-fedavg-clip joint.kind=ddgauss joint.bits=20",
                           "method=dp-fedavg-clip joint.kind=layered",
                           "method=dp-fedavg-clip joint.kind=pbm privacy.relation=replace_one",
                           "method=dp-fedavg-clip joint.kind=csgm joint.range=1",
                           "method=dp-fedavg-clip joint.kind=blocks joint.range=1 joint.block=1",
                           "method=dp-fedavg-clip joint.kind=skellam secagg.kind=counted "
                           "secagg.corrupt=0.2 secagg.dropouts=0.3 joint.bits=20"}) {
    SCOPED_TRACE(more);
    Request request{common, 100, 100};
    std::istringstream words(more);
    for (std::string word; words >> word;) request.overrides.push_back(word);
    if (request.text().find("-sgd") == std::string::npos)
      std::erase(request.overrides, "local.batch=20");
    std::string refused;
    const std::optional<Answer> answer = ask(request, refused);
    ASSERT_TRUE(answer) << refused;
    ASSERT_EQ(answer->dp_claim, "accounted") << answer->sentence;
    Machine ideal = machine();
    ideal.noise_cut = 40;
    const double least =
        least_epsilon(attacks(answer->facts, ideal, answer->facts.rounds), answer->facts.delta);
    EXPECT_LE(least, answer->epsilon * (1 + slack));
    EXPECT_GE(least, answer->epsilon * 0.98);
  }
}

}  // namespace trilemma::claims::claims_test
