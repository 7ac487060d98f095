#include "run/verify.hpp"

#include <cmath>

#include "config/recorded_plan.hpp"
#include "config/words.hpp"
#include "plan/claim.hpp"
#include "summary/summary.hpp"

namespace trilemma {
namespace {

// Noise that another version of the accountants has calibrated may differ by their tolerance.
constexpr double calibration_tolerance = 2e-3;

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// What the file should call its noise. Older files do not say who adds it, and know of the clients'
// noise alone.
std::string noise_of(const Summary& run, const Plan& plan, double sigma) {
  const std::string older = make_gaussian(plan.privacy.at_server ? 0 : sigma)->description();
  return run.has_baseline ? noise_in_words(plan, sigma) : older;
}

// Claims of older files do not say that the run was prolonged.
bool is_claim(const Summary& run, const Plan& plan, const std::string& follows) {
  return run.claim == follows ||
         run.claim + condition_of_prolongation(plan, run.prolonged_from) == follows;
}

// The first attribute of the run that does not repeat what the configuration says.
std::optional<Difference> attribute_problem(const Summary& run, const Plan& plan,
                                            const Claim& claim) {
  const std::tuple<const char*, const std::string&, std::string> texts[] = {
      {"name", run.name, plan.name},
      {"method", run.method, plan.method_name},
      {"mode", run.mode, plan.mode},
      {"compressor", run.compressor, plan.compression_in_words()},
      {"bound", run.bound, plan.bound->description()},
      {"mechanism", run.mechanism, noise_of(run, plan, claim.record.noise_std_on_released)},
  };
  for (const auto& [what, recorded, follows] : texts)
    if (recorded != follows) return Difference{what, recorded, follows};
  if (!is_claim(run, plan, claim.sentence)) return Difference{"claim", run.claim, claim.sentence};
  const std::tuple<const char*, double, double> numbers[] = {
      {"rounds", run.rounds, plan.rounds},
      {"clients", run.clients, plan.clients},
      {"seed", run.seed, static_cast<double>(plan.seed)},
      {"dimension", run.dimension, static_cast<double>(plan.problem->dimension())},
      {"epsilon_nominal", run.epsilon_nominal, plan.privacy.epsilon.value_or(std::nan(""))},
      {"delta", run.delta, plan.privacy.delta.value_or(std::nan(""))},
      {"noise_sigma", run.noise_sigma, claim.record.noise_std_on_released},
  };
  for (const auto& [what, recorded, follows] : numbers)
    if (!same(recorded, follows)) return Difference{what, recorded, follows};
  return {};
}

std::optional<Difference> noise_problem(const Plan& plan, const ShardSizes& shards,
                                        double recorded) {
  const double follows = noise_sigma(plan, shards);
  if (recorded >= 0 && std::abs(recorded - follows) <= calibration_tolerance * follows) return {};
  return Difference{"noise_std_on_released", recorded, follows};
}

// The sizes of the clients, which only the data tell, as the file has them in two places.
std::string size_problem(const Summary& run) {
  if (!(run.records_least >= 1 && run.records_most >= run.records_least))
    return "the numbers of records of the clients are not recorded";
  if (run.privacy.unit == "record" && (!same(run.privacy.units, run.records_least) ||
                                       !same(run.privacy.units_most, run.records_most)))
    return fmt::format("units are recorded as {} to {}, but the clients hold {} to {} records",
                       run.privacy.units, run.privacy.units_most, run.records_least,
                       run.records_most);
  return "";
}

// Values of a finished run that nothing else depends on are watched by the sum over all of them.
std::string content_problem(const Summary& run) {
  if (run.content == Content::changed) return "the file has changed since it was written";
  if (run.complete && run.content == Content::unsummed)
    return "the file calls itself complete, but has no checksum of its content";
  return "";
}

std::string contacts_of(const Claim& claim) {
  if (claim.releases_after.empty()) return "";
  return fmt::format(
      "; the account covers the {} contacts of the client that is met most often (who is met when "
      "follows from settings and seed)",
      claim.releases_after.back());
}

// The account is that of all rounds, also where some of them are still to come.
std::string end_of(const Summary& run) {
  if (run.complete) return "";
  return fmt::format(" (accounted for all {} rounds; the run is unfinished: rounds done: {})",
                     run.rounds, run.rounds_done);
}

}  // namespace

Verification verify_file(const std::string& path) {
  const Summary run = read_summary(path);
  Verification out;
  out.reason = run.privacy_problem;
  if (!out.reason.empty()) return out;
  Plan plan;
  try {
    plan = recorded_plan(run.config, run.data_files, run.path);
  } catch (const UserError& error) {
    out.reason = fmt::format("this program does not accept its configuration: {}", error.what());
    return out;
  }
  const ShardSizes shards(static_cast<std::size_t>(std::max(0.0, run.records_least)),
                          static_cast<std::size_t>(std::max(0.0, run.records_most)));
  const auto fails = [&out](const std::string& problem) {
    out.verdict = problem.empty() ? out.verdict : Verdict::fails;
    if (!problem.empty()) out.reason = problem;
    return !problem.empty();
  };
  const auto differs = [&](std::optional<Difference> difference) {
    if (!difference || !fails(in_words(*difference))) return false;
    out.difference = std::move(difference);
    return true;
  };
  if (fails(size_problem(run))) return out;
  if (differs(noise_problem(plan, shards, run.privacy.noise_std_on_released))) return out;
  const Claim claim =
      make_claim(plan, run.privacy.noise_std_on_released, shards, run.prolonged_from);
  out = verify(run.privacy, claim.record, {static_cast<double>(run.rounds_done) + 1, run.complete});
  if (out.verdict != Verdict::fails) differs(attribute_problem(run, plan, claim));
  if (out.verdict != Verdict::fails) fails(content_problem(run));
  if (out.verdict == Verdict::holds)
    out.reason +=
        contacts_of(claim) + condition_of_prolongation(plan, run.prolonged_from) + end_of(run);
  return out;
}

}  // namespace trilemma
