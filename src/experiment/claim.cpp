#include "experiment/claim.hpp"

#include <cmath>

#include "core/text.hpp"
#include "record/version.hpp"

namespace trilemma {
namespace {

using accounting::Relation;
using accounting::Sampling;

constexpr const char* philox_label = "not cryptographic; simulation only";
constexpr const char* secret_label = "cryptographic; not reproducible";

// Number of protected units: clients, or records of a client.
double units_of(const Plan& plan, std::size_t records) {
  return static_cast<double>(plan.protects_clients() ? static_cast<std::size_t>(plan.clients)
                                                     : records);
}

// Reasons that keep the run from being private in the sense of its claim.
std::vector<std::string> objections(const Plan& plan, double sigma, std::size_t records) {
  std::vector<std::string> found;
  const auto& p = plan.privacy;
  if (plan.start.at_optimum)
    found.emplace_back("the start is the minimiser over all records (start.at = \"optimum\")");
  if (plan.shape().up == 0) return found;
  if (!plan.method.noise) return {"the method adds no noise"};
  if (sigma == 0) return {"sigma is 0"};
  if (const std::string objection = plan.bound->objection(); !objection.empty())
    found.push_back(objection);
  if (p.total_norm)
    found.emplace_back(
        "the noise is spread over all coordinates (privacy.noise_mode = \"total_norm\"), too thin "
        "for its epsilon");
  if (plan.method.estimator == "saga" && !plan.protects_clients() &&
      plan.sampler->scheme() == Sampling::fixed_wor)
    found.emplace_back(
        "the table of SAGA remembers earlier draws, and no theorem covers that for draws of a fixed "
        "size");
  if (!p.delta) found.emplace_back("privacy.delta is not set, so no epsilon can be stated");
  const bool drawn = plan.sampler && !plan.protects_clients();
  if (drawn && plan.sampler->repeats() && p.calibration == "paper" && p.epsilon)
    found.push_back(fmt::format(
        "the closed form counts on amplification by sampling, which drawing {} does not give",
        plan.sampler->name()));
  const double units = units_of(plan, records);
  if (p.delta && *p.delta * units >= 1)
    found.push_back(
        plan.protects_clients()
            ? fmt::format("delta = {:g} is not below 1/n for n = {} clients (delta_too_large)",
                          *p.delta, plan.clients)
            : fmt::format(
                  "delta = {:g} is not below 1/m for clients of m = {} records (delta_too_large)",
                  *p.delta, records));
  return found;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::string neighbours(Relation relation) {
  switch (relation) {
    case Relation::add_remove:
      return "added or removed";
    case Relation::zero_out:
      return "set to zero";
    case Relation::replace_one:
      return "replaced";
  }
  return "";
}

// Who is protected against whom, and what is drawn.
void record_units(const Plan& plan, std::size_t records, const Releases& r, PrivacyRecord& out) {
  out.relation = accounting::name(r.relation);
  out.view = plan.privacy.view;
  out.units = units_of(plan, records);
  out.neighbour_distance = r.relation == Relation::replace_one ? 2 : 1;
  out.sampling_scheme = accounting::name(r.sampling);
  out.sampling_rate = r.rate;
  if (plan.uses_batch) out.batch = static_cast<double>(plan.batch);
  out.divisor_kind = "constant";
  if (plan.protects_clients()) {
    out.unit = "client";
    out.aggregation = plan.privacy.view == "V_server" ? "none" : "simulated_trusted";
    out.sampler = plan.schedule_kind;
    out.divisor = plan.schedule->expected();
    return;
  }
  out.unit = "record";
  out.aggregation = "none";
  out.sampler = plan.sampler ? plan.sampler->name() : "all records";
  out.divisor = plan.uses_batch ? out.batch : out.units;
}

void record_noise(const Plan& plan, double sigma, const Releases& r, PrivacyRecord& out) {
  const auto& p = plan.privacy;
  out.bound_kind = plan.bound->description();
  out.bound_per = plan.bound->per();
  out.bound_norm = plan.bound->threshold();
  out.sensitivity_sampled = r.sensitivity.sampled;
  out.sensitivity_full = r.sensitivity.full;
  out.noise_kind = plan.method.noise && sigma > 0 ? "gaussian" : "none";
  out.noise_place = p.at_server ? "server" : "client";
  out.noise_mode = p.total_norm ? "total_norm" : "per_coordinate";
  out.noise_dtype = p.at_server ? "float64" : "float64, rounded once to the model's type";
  out.noise_std_on_released = sigma;
  // Clients' shares add up to less than the divisor times one of them.
  out.noise_std_on_sum = plan.protects_clients() && !p.at_server ? sigma * std::sqrt(out.divisor)
                                                                 : sigma * out.divisor;
  if (r.sensitivity.sampled > 0) out.noise_multiplier = sigma / r.sensitivity.sampled;
  if (r.sensitivity.sampled == 0 && r.sensitivity.full > 0)
    out.noise_multiplier = sigma / r.sensitivity.full;
}

void record_parts(const Plan& plan, double sigma, std::size_t records, const Releases& r,
                  PrivacyRecord& out) {
  const auto& p = plan.privacy;
  record_units(plan, records, r, out);
  record_noise(plan, sigma, r, out);
  out.rounds_planned = out.rounds_accounted = static_cast<double>(plan.rounds);
  out.calibration_mode = p.sigma ? "sigma" : p.calibration;
  out.calibration_epsilon = p.epsilon.value_or(PrivacyRecord::none);
  if (p.epsilon && p.calibration == "paper")
    out.calibration_constant = p.constant.value_or(plan.method.noise_constant);
  out.delta = p.delta.value_or(PrivacyRecord::none);
  out.delta_times_units = out.delta * out.units;
  out.rng = p.secret ? "chacha20" : "philox4x32-10";
  out.rng_label = p.secret ? secret_label : philox_label;
  out.float_dp = "idealised";
  out.paired_noise = p.secret ? "false" : "possible: every run with this seed draws the same noise";
  out.contains_private_model =
      plan.method.steps.is_personal() ? "false; checkpoints hold the clients' own models" : "false";
  out.releases_outside =
      "evaluation metrics, numbers of drawn records, the largest gradient norm and phase times, "
      "computed from the data for the experimenter; the number of records of a client is public";
}

void record_account(const Account& account, PrivacyRecord& out) {
  const auto& e = account.epsilon;
  out.accountant = "trilemma_accounting";
  out.accountant_version = program_version();
  out.accountant_method = e.method;
  out.accountant_status = accounting::name(e.status);
  out.orders = "standard";
  out.accountant_tolerance = account.tolerance;
  out.grid_step = e.grid_step;
  out.grid_points = e.grid_points;
  out.error_budget = e.error_budget;
  out.split = account.split;
  out.epsilon = e.value;
  out.epsilon_lower = e.lower;
  out.crosscheck_method = account.crosscheck.method;
  out.crosscheck_epsilon =
      account.crosscheck.method.empty() ? PrivacyRecord::none : account.crosscheck.value;
  out.best_order = e.order > 0 ? e.order : account.crosscheck.order;
  for (const auto& c : account.composition.components)
    out.components.push_back({accounting::name(c.sampling), c.rate, c.sigma, c.steps});
}

// What has looked at all records before the first release; outside the claim.
std::string preprocessing(const Plan& plan, const std::string& scaling) {
  std::vector<std::string> steps;
  if (plan.start.at_optimum) steps.emplace_back("start at the minimiser over all records");
  if (scaling != "none") steps.push_back("features " + scaling);
  for (const char* kind : {"label-sorted", "shards", "dirichlet"})
    if (plan.partition_kind == kind) steps.emplace_back("records spread by label");
  return steps.empty() ? "none" : "non_private: " + joined(steps);
}

std::string adversary(const PrivacyRecord& r) {
  if (r.view == "V_server") return "sees every message";
  if (r.view == "V_others") return "sees all but its own model, if the server is trusted";
  return r.noise_place == "server" ? "sees the models, if the server is trusted"
                                   : "sees sums of all clients' messages only";
}

// What the accountant found, in words; empty where nothing was accounted.
std::string accounted_words(const PrivacyRecord& r, Relation relation) {
  if (std::isnan(r.epsilon)) return "";
  return fmt::format("({}, {:g})-DP for one {} {}, against whoever {}", rounded_up(r.epsilon),
                     r.delta, r.unit == "client" ? "client" : "record of a client",
                     neighbours(relation), adversary(r));
}

std::string make_sentence(const std::string& reasons, const PrivacyRecord& r, Relation relation) {
  const std::string found = accounted_words(r, relation);
  if (r.dp_claim == "nothing_released")
    return "holds: nothing leaves a client, neither messages nor models, so there is nothing to "
           "account" +
           (r.preprocessing == "none" ? std::string()
                                      : "; outside the claim, before training: " + r.preprocessing);
  if (r.dp_claim == "none")
    return "not a private run: " + reasons +
           (found.empty() ? "" : "; what the accountant can vouch for is " + found);
  std::string text =
      r.dp_claim == "accounted"
          ? "holds: " + found
          : fmt::format(
                "nominal only: the paper's closed form says epsilon = {:g}, the accountant {}",
                r.calibration_epsilon, found);
  if (r.epsilon > 50) text += "; an epsilon above 50 is no meaningful privacy";
  if (r.delta_times_units >= 0.1)
    text += fmt::format("; delta should be well below 1/{} = {:.3g}",
                        r.unit == "client" ? 'n' : 'm', 1 / r.units);
  if (r.rng != "chacha20") text += "; noise from a generator for simulation only";
  return text;
}

}  // namespace

Claim make_claim(const Plan& plan, double sigma, std::size_t records, const std::string& scaling) {
  Claim claim;
  PrivacyRecord& out = claim.record;
  const Releases r = releases(plan, records);
  std::vector<std::string> reasons = objections(plan, sigma, records);
  record_parts(plan, sigma, records, r, out);
  out.preprocessing = preprocessing(plan, scaling);
  const bool bounded = std::isfinite(r.sensitivity.sampled + r.sensitivity.full);
  if (plan.method.noise && sigma > 0 && bounded && plan.privacy.delta) {
    try {
      const Account found = account(r, sigma, *plan.privacy.delta);
      record_account(found, out);
      if (std::isinf(found.epsilon.value)) reasons.emplace_back("no finite epsilon holds");
      claim.curve.emplace(r, sigma, *plan.privacy.delta, found);
    } catch (const std::invalid_argument& error) {
      reasons.emplace_back(error.what());
    }
  }
  const bool above_nominal =
      out.calibration_mode == "paper" && !(out.epsilon <= out.calibration_epsilon * (1 + 1e-9));
  out.dp_claim = !reasons.empty()       ? "none"
                 : plan.shape().up == 0 ? "nothing_released"
                 : above_nominal        ? "paper_nominal_only"
                                        : "accounted";
  out.reason = out.dp_claim == "nothing_released" ? "nothing leaves a client" : joined(reasons);
  claim.sentence = make_sentence(out.reason, out, r.relation);
  if (plan.finetunes)
    claim.sentence +=
        "; finetuning is post-processing on a client's own data, for itself alone, and costs nothing";
  return claim;
}

}  // namespace trilemma
