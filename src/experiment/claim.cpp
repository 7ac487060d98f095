#include "experiment/claim.hpp"

#include <cmath>
#include <filesystem>

#include "claim/theorems.hpp"
#include "experiment/claim_case.hpp"
#include "experiment/disclosures.hpp"

namespace trilemma {
namespace {

using accounting::Relation;

// Returns the sensitivity, to one unit, of the vector to which noise is added.
Sensitivity sensitivity_of(const Plan& plan, const ShardSizes& shards) {
  const double distance = plan.privacy.relation == Relation::replace_one ? 2.0 : 1.0;
  if (plan.protects_clients()) {
    // The server's noise is added after compression, which can enlarge a bounded vector z to C(z).
    const double gain = plan.privacy.at_server ? plan.compressor->traits().gain : 1;
    return {.full = gain * plan.bound->sensitivity({}, distance).full};
  }
  const Sensitivity average = plan.takes_steps()
                                  ? Sensitivity{.full = std::numeric_limits<double>::infinity()}
                                  : plan.estimator.sensitivity(plan.bound->record_threshold(),
                                                               static_cast<double>(plan.batch),
                                                               static_cast<double>(shards.least));
  return plan.bound->sensitivity(average, distance);
}

// Returns a bound on the magnitude of every coordinate where noise is added: the sum of the bounds
// of all units in the vector.
double largest_of(const Plan& plan, const ShardSizes& shards, const Sensitivity& one) {
  if (!plan.protects_clients()) {
    const double units = std::max(static_cast<double>(shards.most), 1.0);
    return (one.sampled + one.full) * units;
  }
  if (!plan.privacy.at_server) return plan.bound->threshold();
  return one.full * static_cast<double>(plan.clients) / plan.participants();
}

void add_bound(const Plan& plan, const ShardSizes& shards, ClaimInputs& f) {
  f.bound_kind = plan.bound->description();
  f.bound_per = name(plan.bound->what());
  f.bound_objection = plan.bound->objection();
  f.threshold = plan.bound->threshold();
  f.sensitivity = sensitivity_of(plan, shards);
  f.largest = largest_of(plan, shards, f.sensitivity);
  f.numbers = static_cast<double>(plan.privacy.at_server ? plan.shape().state : plan.shape().up) *
              (plan.protects_clients() && !plan.privacy.at_server ? f.clients : 1);
  f.record_sampler = plan.sampler ? plan.sampler->name() : "all records";
  f.client_sampler = plan.schedule_kind;
  if (plan.uses_batch) f.batch = static_cast<double>(plan.batch);
  if (plan.sampler) f.occurrences = plan.sampler->occurrences(static_cast<std::size_t>(plan.batch));
  f.noise_is_shared = noise_is_shared(plan);
}

}  // namespace

ClaimInputs claim_inputs_of(const Plan& plan, const ShardSizes& shards) {
  ClaimInputs f;
  const auto& p = plan.privacy;
  f.kind = claim_case(plan);
  f.shards = shards;
  f.clients = static_cast<double>(plan.clients);
  f.participants = plan.participants();
  f.rounds = static_cast<double>(plan.rounds);
  if (!plan.contacts_after.empty()) f.contacts = plan.contacts_after.back();
  f.messages_wait = plan.method.clients_come;
  f.adds_noise = plan.method.noise;
  f.sends_nothing = plan.shape().up == 0;
  add_bound(plan, shards, f);
  f.sigma_given = p.sigma;
  f.epsilon = p.epsilon;
  f.delta = p.delta;
  f.by_closed_form = p.by_closed_form;
  f.constant = p.constant.value_or(plan.method.noise_constant);
  f.total_norm = p.total_norm;
  f.start_at_optimum = plan.start.at_optimum;
  f.start_file = std::filesystem::path(plan.start.file.path()).filename().string();
  f.preprocessing = plan.source->preprocessing();
  // privacy.strict refuses class labels that are not in the settings.
  f.numbers_labels = plan.source->numbers_labels() && !plan.privacy.strict;
  f.scores_drawn_tests = plan.test_share > 0 && !plan.privacy.strict;
  f.partitioned_by_label = plan.partition->uses_labels();
  f.finetunes = plan.finetunes;
  f.has_private_models = keeps_own_models(plan);
  f.metrics = disclosures(plan);
  return f;
}

Releases releases(const Plan& plan, const ShardSizes& shards) {
  return releases_of(claim_inputs_of(plan, shards));
}

namespace {

// Returns sigma as set, or as calibrated to epsilon.
double wanted_sigma(const Plan& plan, const ShardSizes& shards) {
  const auto& p = plan.privacy;
  if (p.sigma) return *p.sigma;
  if (!p.by_closed_form) {
    const ClaimInputs inputs = claim_inputs_of(plan, shards);
    const Theorem& theorem = theorem_for(inputs.kind);
    require(theorem.refusal == nullptr, "privacy.epsilon = {:g}: {}; give privacy.sigma instead",
            *p.epsilon, theorem.refusal == nullptr ? "" : theorem.refusal);
    try {
      return calibrated_sigma(releases_of(inputs), *p.epsilon, *p.delta);
    } catch (const std::invalid_argument& error) {
      throw UserError(fmt::format("privacy: {}", error.what()));
    }
  }
  require(plan.method.paper_noise != nullptr,
          "privacy.calibration = \"paper\": method {} has no closed form of its noise; choose "
          "\"accountant\", or give privacy.sigma",
          plan.method_name);
  return plan.method.paper_noise({.constant = p.constant.value_or(plan.method.noise_constant),
                                  .threshold = plan.bound->threshold(),
                                  .rounds = static_cast<double>(plan.rounds),
                                  .delta = *p.delta,
                                  .epsilon = *p.epsilon,
                                  .records = static_cast<double>(shards.least),
                                  .clients = static_cast<double>(plan.clients),
                                  .participants = plan.participants(),
                                  .at_server = p.at_server});
}

}  // namespace

double noise_sigma(const Plan& plan, const ShardSizes& shards) {
  if (!plan.method.noise) return 0;
  const double sigma = wanted_sigma(plan, shards);
  const StateShape shape = plan.shape();
  const std::size_t noisy = plan.privacy.at_server ? shape.state : shape.up;
  return plan.privacy.total_norm ? sigma / std::sqrt(static_cast<double>(noisy)) : sigma;
}

Claim make_claim(const Plan& plan, double sigma, const ShardSizes& shards, long extended_from) {
  Claim claim = make_claim(claim_inputs_of(plan, shards), sigma);
  claim.releases_after = plan.contacts_after;
  if (claim.record.dp_claim == name(DpClaim::accounted))
    claim.sentence += condition_of_extension(plan, extended_from);
  return claim;
}

std::string condition_of_extension(const Plan& plan, long extended_from) {
  if (extended_from == 0) return "";
  return fmt::format(
      "; extended from {} rounds: the claim is that of {} rounds fixed beforehand, not of deciding "
      "on more after a look at the results",
      extended_from, plan.rounds);
}

}  // namespace trilemma
