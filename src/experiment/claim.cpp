#include "experiment/claim.hpp"

#include <cmath>
#include <filesystem>

#include "claim/theorems.hpp"
#include "experiment/disclosures.hpp"
#include "experiment/joint.hpp"

namespace trilemma {
namespace {

using accounting::Relation;

// Returns the sensitivity, to one unit, of the vector to which noise is added.
Sensitivity sensitivity_of(const Plan& plan, const ShardSizes& shards) {
  const double distance = plan.privacy.relation == Relation::replace_one ? 2.0 : 1.0;
  if (plan.joint.words) return {.full = joint_sensitivity(plan)};
  // Of one coordinate or block. The accountants double it where a client is replaced.
  if (plan.joint.blocks)
    return {.full = plan.joint.blocks->limit(plan.bound->threshold(), plan.shape().up) /
                    plan.joint.blocks->rate};
  if (plan.joint.signs)
    return {.full = plan.joint.signs->size(plan.bound->threshold(), plan.shape().up)};
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
    const double of_client = (one.sampled + one.full) * units;
    return plan.privacy.at_server
               ? of_client * static_cast<double>(plan.clients) / plan.participants()
               : of_client;
  }
  if (!plan.privacy.at_server) return plan.bound->threshold();
  return one.full * static_cast<double>(plan.clients) / plan.participants();
}

double records_of_batch(const Plan& plan) { return static_cast<double>(plan.batch); }
double records_of_anchor(const Plan& plan) {
  const long anchor = plan.method.recursion.anchor_batch;
  return static_cast<double>(anchor > 0 ? anchor : plan.batch);
}

// Describes anchors in the fields of the first round and the rounds between anchors as later ones,
// whose noise is `later` times that of an anchor where a record's part has norm G.
void add_recursion(const Plan& plan, const ShardSizes& shards, double later, ClaimInputs& f) {
  const Recursion& r = plan.method.recursion;
  const double rounds = f.rounds - r.anchors(f.rounds);
  if (plan.method.estimator != "recursive" || !r.rounds_differ(plan.batch)) return;
  const double g = plan.bound->record_threshold();
  f.batch = records_of_anchor(plan);
  f.sensitivity = {.sampled = g / f.batch};
  f.largest = largest_of(plan, shards, f.sensitivity);
  f.occurrences = plan.sampler->occurrences(static_cast<std::size_t>(f.batch));
  if (rounds < 1) return;  // anchors alone
  f.period = r.period;
  LaterRounds between;
  between.rounds = rounds;
  between.batch = records_of_batch(plan);
  between.sensitivity = {.sampled = r.most_reach() * g / between.batch};
  between.largest = largest_of(plan, shards, between.sensitivity);
  between.occurrences = plan.sampler->occurrences(static_cast<std::size_t>(between.batch));
  between.noise = r.most_reach() * later;
  f.later = between;
}

// Cuts the law of the released model into ranges of rounds, for the accountant.
std::vector<Stop> stops_of(const Plan& plan) {
  if (!plan.method.output || plan.privacy.view != Adversary::output) return {};
  constexpr std::size_t ranges = 16;
  const auto law = plan.method.output->probabilities(static_cast<std::size_t>(plan.rounds));
  const std::size_t count = std::min(ranges, law.size());
  std::vector<Stop> stops;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * law.size() / count, end = (i + 1) * law.size() / count;
    Stop stop{.least = static_cast<double>(first), .most = static_cast<double>(end - 1)};
    for (std::size_t k = first; k < end; ++k) stop.probability += law[k];
    stops.push_back(stop);
  }
  return stops;
}

void add_bound(const Plan& plan, const ShardSizes& shards, ClaimInputs& f) {
  f.bound_kind = plan.bound->description();
  f.bound_per = name(plan.bound->what());
  f.bound_objection = plan.bound->objection();
  f.threshold = plan.bound->threshold();
  f.sensitivity = sensitivity_of(plan, shards);
  f.largest = largest_of(plan, shards, f.sensitivity);
  f.numbers = static_cast<double>(plan.privacy.at_server ? plan.shape().sum() : plan.shape().up) *
              (plan.protects_clients() && !plan.privacy.at_server ? f.clients : 1);
  f.record_sampler = plan.sampler ? plan.sampler->name() : "all records";
  f.client_sampler = plan.schedule_kind;
  if (plan.uses_batch) f.batch = static_cast<double>(plan.batch);
  if (plan.sampler) f.occurrences = plan.sampler->occurrences(static_cast<std::size_t>(plan.batch));
  f.noise_is_shared = noise_is_shared(plan);
  if (plan.joint.words) f.noise_law = plan.joint.words->law;
  if (plan.joint.trials) f.trials = joint_trials(plan);
  f.noise_is_decoded = plan.joint.layered.has_value();
  if (plan.joint.blocks)
    f.masks = MaskTerms{.rate = plan.joint.blocks->rate,
                        .releases = static_cast<double>(plan.joint.blocks->count(plan.shape().up))};
  if (plan.joint.signs)
    f.masks = MaskTerms{.rate = plan.joint.signs->rate,
                        .releases = static_cast<double>(plan.shape().up),
                        .range = plan.joint.signs->clip.kappa(plan.shape().up)};
  if (plan.joint.local) {
    const LocalMessages messages = joint_messages(plan);
    f.messages = PureMessages{.kind = plan.joint_kind,
                              .pair = messages.pair,
                              .are_bits = messages.kind == LocalKind::sqkr};
  }
  if (plan.secure_sum.is_on) {
    const accounting::MaskTask task = mask_task(plan);
    f.secure = SecureTerms{
        .corrupt = task.corrupt, .dropouts = task.dropouts, .has_masks = plan.secure_sum.has_masks};
  }
}

}  // namespace

namespace {

ClaimInputs inputs_with(const Plan& plan, const ShardSizes& shards, double later) {
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
  add_recursion(plan, shards, later, f);
  f.stops = stops_of(plan);
  f.sigma_given = p.sigma;
  f.epsilon = p.epsilon;
  // Messages that are private alone need no delta.
  f.delta = plan.joint.local ? p.delta.value_or(0) : p.delta;
  f.by_closed_form = p.by_closed_form;
  f.constant = p.constant.value_or(plan.method.noise_constant);
  f.total_norm = p.total_norm;
  f.start_at_optimum = plan.start.at_optimum;
  f.start_file = std::filesystem::path(plan.start.file.path()).filename().string();
  f.graph_is_from_file = plan.graph_options.is_from_file;
  f.own_model_file = plan.problem->own_code();
  f.preprocessing = plan.source->preprocessing();
  // privacy.strict refuses class labels that are not in the settings.
  f.numbers_labels = plan.source->numbers_labels() && !plan.privacy.strict;
  f.scores_drawn_tests = plan.test_share > 0 && !plan.privacy.strict;
  f.smoothness_from_records = plan.method.theory.smoothness_from_records;
  f.partitioned_by_label = plan.partition->uses_labels();
  f.finetunes = plan.finetunes;
  f.has_private_models = keeps_own_models(plan);
  f.metrics = disclosures(plan);
  return f;
}

// Returns the ratio of the noise multipliers of later rounds and anchors with the smallest noise of
// h, the sum of an anchor and the differences since, averaged over a period: s_1^2 + (q0 - 1)/2
// s_2^2. The model is expected to move by at most server.rate G in a round.
double best_ratio(const Plan& plan, const ShardSizes& shards) {
  const Recursion& r = plan.method.recursion;
  const double batches = records_of_anchor(plan) / records_of_batch(plan);
  const double g = plan.bound->record_threshold();
  const double reach = r.reach(g, r.rate * g) / g;
  const double differences = static_cast<double>(std::min(r.period, plan.rounds) - 1) / 2;
  return best_noise_ratio(
      [&](double ratio) { return releases_of(inputs_with(plan, shards, batches * ratio)); },
      [&](double sigma, double ratio) {
        const double between = batches * ratio * reach;
        return sigma * sigma * (1 + differences * between * between);
      },
      *plan.privacy.epsilon, *plan.privacy.delta);
}

// A run asks for the ratio several times, and the search takes a while.
double known_ratio(const Plan& plan, const ShardSizes& shards) {
  thread_local std::string key;
  thread_local double ratio = 1;
  const std::string asked = fmt::format("{} {} {} {} {} {} {}", plan.config, plan.clients,
                                        plan.batch, plan.method.recursion.anchor_batch, plan.rounds,
                                        shards.least, *plan.privacy.epsilon);
  if (key != asked || plan.config.empty()) ratio = best_ratio(plan, shards);
  key = asked;
  return ratio;
}

}  // namespace

ClaimInputs claim_inputs_of(const Plan& plan, const ShardSizes& shards) {
  return inputs_with(plan, shards, later_noise(plan, shards));
}

double later_noise(const Plan& plan, const ShardSizes& shards) {
  const Recursion& r = plan.method.recursion;
  if (plan.method.estimator != "recursive") return 1;
  if (plan.privacy.by_closed_form)
    return std::sqrt(static_cast<double>(std::min(std::max(r.period, 1L), plan.rounds)));
  const double batches = records_of_anchor(plan) / records_of_batch(plan);
  return r.searches_split && plan.privacy.epsilon ? batches * known_ratio(plan, shards) : batches;
}

Releases releases(const Plan& plan, const ShardSizes& shards) {
  return releases_of(claim_inputs_of(plan, shards));
}

namespace {

// Returns sigma as set, or as calibrated to epsilon.
double wanted_sigma(const Plan& plan, const ShardSizes& shards) {
  const auto& p = plan.privacy;
  if (p.sigma) return *p.sigma;
  if (plan.joint.words) {
    const accounting::DistributedNoise noise = joint_noise(plan);
    return noise.share_sigma / noise.scale;
  }
  if (plan.joint.trials)
    return sigma_of_trials(plan.joint.trials->trials, joint_trials(plan).theta,
                           plan.joint.trials->clip.limit(plan.bound->threshold(), plan.shape().up));
  if (plan.joint.local)
    return std::sqrt(joint_messages(plan).error / static_cast<double>(plan.shape().up));
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
  return plan.method.paper_noise(
      {.constant = p.constant.value_or(plan.method.noise_constant),
       .threshold = plan.bound->threshold(),
       .rounds = static_cast<double>(plan.rounds),
       .delta = *p.delta,
       .epsilon = *p.epsilon,
       .records = static_cast<double>(shards.least),
       .clients = static_cast<double>(plan.clients),
       .participants = plan.participants(),
       .at_server = p.at_server,
       .period = static_cast<double>(std::max(plan.method.recursion.period, 1L))});
}

}  // namespace

double noise_sigma(const Plan& plan, const ShardSizes& shards) {
  if (!plan.method.noise) return 0;
  const double sigma = wanted_sigma(plan, shards);
  const StateShape shape = plan.shape();
  const std::size_t noisy = plan.privacy.at_server ? shape.sum() : shape.up;
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
