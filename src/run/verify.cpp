#include "run/verify.hpp"

#include <cmath>

#include "experiment/claim.hpp"
#include "experiment/graph_answer.hpp"
#include "experiment/plan.hpp"
#include "experiment/read_plan.hpp"
#include "experiment/theory.hpp"
#include "record/summary.hpp"
#include "run/file_check.hpp"
#include "run/identity.hpp"

namespace trilemma {
namespace {

// Tolerance for noise that another version of the accountants has calibrated.
constexpr double calibration_tolerance = 2e-3;

// Compares the attributes of the root with those that follow from the configuration.
void check_attributes(FileCheck& check) {
  const RunFacts inputs{
      .plan = check.plan,
      .claim = check.claim,
      .sigma = check.claim.record.noise_std_on_released,
      .extended_from = check.run.extended_from,
      .real_bits = check.real_bits,
      .scaling = check.file.text_attribute("scaling"),
      .partition = check.file.open_group("partition").text_attribute("description")};
  check_fields(check, check.file, "", identity_fields(), &inputs);
}

// Compares the bound on the utility, which files of older programs do not have.
void check_theory(FileCheck& check, const ShardSizes& shards) {
  if (!check.file.has_attribute(theory_fields().front().name)) return;
  const auto follows = theory_record(check.plan, check.claim.record.noise_std_on_released, shards);
  if (!follows)
    return check.report({.kind = Mismatch::unexpected, .field = theory_fields().front().name});
  check_fields(check, check.file, "", theory_fields(), &*follows);
}

// Compares the properties of the graph, which files of older programs do not have. Eigenvalues may
// come from an iteration, which another processor rounds differently.
void check_graph(FileCheck& check) {
  constexpr double tolerance = 1e-6;
  const auto recorded = read_graph_record(check.file);
  if (!recorded) return;
  const auto follows = graph_record(check.plan);
  if (!follows)
    return check.report({.kind = Mismatch::unexpected, .field = graph_fields().front().name});
  for (const auto& field : graph_fields())
    if (field.type == FieldType::number)
      check.expect(field.name, std::get<double>(field.get(*recorded)),
                   std::get<double>(field.get(*follows)), tolerance);
    else
      check.expect(field.name, field.get(*recorded), field.get(*follows));
}

std::optional<Difference> noise_problem(const Plan& plan, const ShardSizes& shards,
                                        double recorded) {
  const double follows = noise_sigma(plan, shards);
  if (recorded >= 0 && std::abs(recorded - follows) <= calibration_tolerance * follows) return {};
  return Difference{.field = "noise_std_on_released", .recorded = recorded, .expected = follows};
}

// Checks the sizes of the clients, which depend on the data and are recorded in two places.
void check_sizes(const Summary& run, std::vector<Difference>& found) {
  if (!(run.records_least >= 1 && run.records_most >= run.records_least)) {
    found.push_back({.kind = Mismatch::odd,
                     .field = "/partition@records_least",
                     .recorded = run.records_least,
                     .expected = 1.0});
    return;
  }
  if (run.privacy.unit != "record") return;
  // Noise of a trusted server hides a record among those of all clients.
  const bool is_central = run.privacy.noise_place == name(Place::server);
  const double holders = is_central ? static_cast<double>(run.clients) : 1;
  const std::tuple<const char*, double, double> sizes[] = {
      {"units", run.privacy.units, run.records_least},
      {"units_most", run.privacy.units_most, holders * run.records_most}};
  for (const auto& [field, recorded, there] : sizes)
    if (!same_number(recorded, there))
      found.push_back({.kind = Mismatch::elsewhere,
                       .field = field,
                       .recorded = recorded,
                       .expected = there,
                       .place = "/partition"});
}

// Checks values of a finished run on which nothing else depends, by the checksum over all values.
void check_sum(FileCheck& check) {
  if (check.run.content == Content::changed) check.report({.kind = Mismatch::changed});
  if (check.run.complete && check.run.content == Content::unsummed)
    check.report({.kind = Mismatch::unsummed});
}

std::string contacts_of(const Claim& claim, const Plan& plan) {
  if (claim.releases_after.empty()) return "";
  return "; the account covers " +
         contacts_in_words(claim.releases_after.back(), plan.method.clients_come);
}

// The account covers all rounds, also those of an unfinished run that are still to come.
std::string end_of(const Summary& run) {
  if (run.complete) return "";
  return fmt::format(" (accounted for all {} rounds; the run is unfinished: rounds done: {})",
                     run.rounds, run.rounds_done);
}

void add(std::vector<Difference>& to, std::vector<Difference> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Returns all differences that can be found once the claim has been derived again.
std::vector<Difference> file_differences(const Summary& run, const Plan& plan, const Claim& claim,
                                         const ShardSizes& shards) {
  const h5::File file = open_run_file(run.path);
  FileCheck check(file, run, plan, claim);
  check_sum(check);
  check_attributes(check);
  check_theory(check, shards);
  check_graph(check);
  check_columns(check);
  check_foreseen(check);
  check_partition(check);
  check_models(check);
  check_identity(check);
  check_times(check);
  return check.take();
}

// The verdict on a file that does not allow to derive its claim, because of one difference.
Verification unchecked(std::string reason, Difference difference) {
  Verification out;
  out.reason = std::move(reason);
  out.differences.push_back(std::move(difference));
  return out;
}

Verification failed(std::vector<Difference> differences) {
  Verification out;
  out.verdict = Verdict::fails;
  out.reason = in_words(differences);
  out.differences = std::move(differences);
  return out;
}

}  // namespace

Verification verify_file(const std::string& path) {
  const Summary run = read_summary(path);
  if (const auto& problem = run.privacy_problem)
    return unchecked("the field " + in_words(*problem),
                     {.kind = problem->is_missing ? Mismatch::missing : Mismatch::unknown,
                      .field = problem->field});
  Plan plan;
  try {
    plan = recorded_plan(run.config, run.data_files, run.path);
  } catch (const UserError& error) {
    return unchecked(
        fmt::format("this program does not accept its configuration: {}", error.what()),
        {.kind = Mismatch::refused, .field = "/config"});
  }
  std::vector<Difference> found;
  if (!take_recorded_uplink(plan, run.uplink.uplink))
    return unchecked("this program does not know the exchange in /environment@uplink",
                     {.kind = Mismatch::unknown, .field = "/environment@uplink"});
  check_sizes(run, found);
  const ShardSizes shards(static_cast<std::size_t>(std::max(0.0, run.records_least)),
                          static_cast<std::size_t>(std::max(0.0, run.records_most)));
  // Without the sizes and the noise the privacy loss cannot be computed.
  if (found.empty())
    if (auto noise = noise_problem(plan, shards, run.privacy.noise_std_on_released); noise)
      found.push_back(*std::move(noise));
  if (!found.empty()) return failed(std::move(found));
  const Claim claim =
      make_claim(plan, run.privacy.noise_std_on_released, shards, run.extended_from);
  found = privacy_differences(run.privacy, claim.record,
                              {static_cast<double>(run.rounds_done) + 1, run.complete});
  add(found, file_differences(run, plan, claim, shards));
  Verification out = verdict_on(run.privacy, claim.record, std::move(found));
  if (out.verdict == Verdict::holds) {
    const std::string more =
        contacts_of(claim, plan) + condition_of_extension(plan, run.extended_from) + end_of(run);
    out.remarks += more;
    out.reason += more;
  }
  return out;
}

}  // namespace trilemma
