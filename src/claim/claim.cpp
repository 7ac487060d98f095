#include "claim/claim.hpp"

#include <cmath>

#include "base/text.hpp"
#include "base/version.hpp"
#include "claim/theorems.hpp"
#include "privacy/accountant/shuffling.hpp"
#include "privacy/mechanism.hpp"

namespace trilemma {
namespace {

using accounting::Relation;

constexpr const char* philox_label = "not cryptographic; simulation only";
constexpr const char* secret_label = "cryptographic; not reproducible";

// Records the protected unit, the adversary's view and the sampling.
void record_units(const ClaimInputs& f, const Release& r, PrivacyRecord& out) {
  out.relation = accounting::name(f.kind.relation);
  out.unit = name(f.kind.unit);
  out.view = name(f.kind.view);
  const bool clients = f.kind.unit == Unit::client;
  out.units = clients ? f.clients : static_cast<double>(f.shards.least);
  out.units_most = clients ? f.clients : records_at_stake(f);
  out.neighbour_distance = f.kind.relation == Relation::replace_one ? 2 : 1;
  out.sampling_scheme = accounting::name(r.sampling);
  out.sampling_rate = r.rate;
  if (f.batch > 0) out.batch = f.batch;
  out.divisor_kind = "constant";
  const bool is_trusted = f.kind.place == Place::server || clients;
  out.aggregation = f.secure && !f.secure->has_masks                 ? counted_aggregation
                    : f.secure                                       ? secure_aggregation
                    : f.noise_is_decoded                             ? trusted_decoding
                    : f.kind.view == Adversary::shuffled             ? simulated_shuffler
                    : is_trusted && f.kind.view != Adversary::server ? "simulated_trusted"
                                                                     : "none";
  out.sampler = clients ? f.client_sampler : f.record_sampler;
  out.divisor = clients ? f.participants : f.batch > 0 ? f.batch : out.units;
  if (!clients && f.kind.place == Place::server) out.divisor *= f.participants;
}

void record_noise(const ClaimInputs& f, double sigma, const Release& r, PrivacyRecord& out) {
  const bool at_server = f.kind.place == Place::server;
  out.bound_kind = f.bound_kind;
  out.bound_per = f.bound_per;
  out.bound_norm = f.threshold;
  out.sensitivity_sampled = r.sensitivity.sampled;
  out.sensitivity_full = r.sensitivity.full;
  out.noise_kind = !f.adds_noise || sigma == 0 ? "none"
                   : f.messages                ? f.messages->kind
                   : f.noise_law               ? accounting::name(*f.noise_law)
                   : f.trials                  ? "binomial"
                                               : "gaussian";
  out.noise_place = name(f.kind.place);
  out.noise_mode = f.total_norm ? "total_norm" : "per_coordinate";
  out.noise_dtype = f.messages && f.messages->are_bits ? "bits"
                    : f.sends_integers()               ? "int64"
                    : at_server                        ? "float64"
                                : "float64, rounded once to the model's type";
  out.noise_std_on_released = sigma;
  // The sum has the noise of about `divisor` clients, whose variances add up.
  out.noise_std_on_sum = f.kind.unit == Unit::client && !at_server ? sigma * std::sqrt(out.divisor)
                                                                   : sigma * out.divisor;
  const double part = r.sensitivity.sampled > 0 ? r.sensitivity.sampled : r.sensitivity.full;
  if (part > 0 && !f.messages && !f.trials) out.noise_multiplier = sigma / part;
}

std::vector<std::string> preprocessing(const ClaimInputs& f) {
  std::vector<std::string> steps;
  if (f.start_at_optimum) steps.emplace_back("start at the minimiser over all records");
  if (!f.start_file.empty()) steps.push_back("start model from " + f.start_file);
  if (f.graph_is_from_file) steps.emplace_back("graph from a file (graph.file)");
  if (!f.own_model_file.empty())
    steps.push_back(fmt::format(
        "whatever {} does with records other than compute the gradient of each from it alone "
        "(problem.library)",
        f.own_model_file));
  if (looks_at_all_records(f.preprocessing.scaling))
    steps.emplace_back("features scaled by statistics of all records (data.scaling)");
  if (looks_at_all_records(f.preprocessing.missing))
    steps.emplace_back("missing values filled with means over all records (data.missing)");
  if (f.preprocessing.has_word_features)
    steps.emplace_back("features for the words that occur in all records (data.one_hot)");
  if (f.preprocessing.chooses_users)
    steps.emplace_back("users chosen by whether they have a record of use (data.first_users)");
  if (f.numbers_labels)
    steps.emplace_back("labels numbered in the order of those that occur (data.class_labels)");
  if (f.smoothness_from_records)
    steps.emplace_back(
        "smoothness constant from the largest norm of a record (server.smoothness_from)");
  if (f.partitioned_by_label) steps.emplace_back("records partitioned by label");
  return steps;
}

void record_epsilon(const accounting::Result& e, PrivacyRecord& out) {
  out.accountant = "trilemma_accounting";
  out.accountant_version = program_version();
  out.accountant_method = e.method;
  out.accountant_status = accounting::name(e.status);
  out.grid_step = e.grid_step;
  out.grid_points = e.grid_points;
  out.error_budget = e.error_budget;
  out.epsilon = e.value;
  out.epsilon_lower = e.lower;
}

void record_account(const Account& account, PrivacyRecord& out) {
  const auto& e = account.epsilon;
  record_epsilon(e, out);
  out.orders = "standard";
  out.accountant_tolerance = account.tolerance;
  out.split = account.split;
  out.crosscheck_method = account.crosscheck.method;
  out.crosscheck_epsilon =
      account.crosscheck.method.empty() ? PrivacyRecord::none : account.crosscheck.value;
  out.best_order = e.order > 0 ? e.order : account.crosscheck.order;
  for (const auto& c : account.composition.components)
    out.components.push_back({accounting::name(c.sampling), c.rate, c.sigma, c.steps});
}

// Returns the sum of the sensitivities in `r`, measured in standard deviations of its noise.
double shift_of(const Release& r, double sigma) {
  return r.sensitivity.total() / (r.noise * sigma);
}

// Returns tail_delta() of integer noise: the tails that mu1 leaves out, and the distance of 2^-110
// of a sampled number from its law (IntegerNoiseTable). Infinite without an epsilon to meet.
double integer_tail_delta(const ClaimInputs& f) {
  const double draws = f.numbers * f.rounds;
  const double epsilon = f.epsilon.value_or(std::numeric_limits<double>::infinity());
  return accounting::tail_remainder(draws, epsilon) + draws * 0x1p-110 * (1 + std::exp(epsilon));
}

// Returns what an adversary can learn from the end of the noise's tail.
double tail_delta(const ClaimInputs& f, const Releases& all, double sigma) {
  if (f.noise_law) return integer_tail_delta(f);
  const double distance = all.relation == Relation::replace_one ? 2 : 1;
  double sum = 0;
  for (const Release& r : all.list)
    sum += truncation_delta(r.times, f.numbers, distance * shift_of(r, sigma));
  return sum;
}

// Returns how many of the first `rounds` rounds equal the first round, and how many do not.
std::vector<double> times_after(const ClaimInputs& f, double rounds) {
  const double every = f.period > 0 ? static_cast<double>(f.period) : rounds;
  const double first = std::ceil(rounds / every);
  return {first, rounds - first};
}

// Accounts releases by the epsilon of a number of rounds. Between about 24 numbers of rounds the
// later epsilon is a bound.
void account_by(const std::function<accounting::Result(double rounds)>& after, double rounds,
                Claim& out) {
  const accounting::Result all = after(rounds);
  record_epsilon(all, out.record);
  std::vector<std::size_t> chosen;
  std::vector<double> epsilons;
  const double step = std::max(1.1, std::pow(rounds, 1.0 / 24));
  for (double t = 1; t < rounds; t = std::max(t + 1, std::floor(t * step))) {
    chosen.push_back(static_cast<std::size_t>(t));
    epsilons.push_back(std::min(after(t).value, all.value));
  }
  chosen.push_back(static_cast<std::size_t>(rounds));
  epsilons.push_back(all.value);
  out.curve = accounting::EpsilonCurve(std::move(chosen), std::move(epsilons));
}

// Accounts messages that are private alone.
void account_messages(const ClaimInputs& f, Claim& out) {
  const double shuffled = f.kind.view == Adversary::shuffled ? f.clients : 1;
  const auto after = [&](double rounds) {
    return accounting::messages_epsilon(f.messages->pair, shuffled, rounds, *f.delta);
  };
  account_by(after, f.rounds, out);
  if (f.messages->are_bits) out.record.float_dp = exact_in_integers;
}

void account_trials(const ClaimInputs& f, Claim& out) {
  const auto after = [&](double rounds) {
    return accounting::poisson_binomial_epsilon(*f.trials, rounds, *f.delta);
  };
  account_by(after, f.rounds, out);
  out.record.float_dp = exact_in_integers;
}

// Accounts the releases if a theorem covers them.
void account_for(const ClaimInputs& f, double sigma, std::vector<std::string>& reasons,
                 Claim& out) {
  const Releases all = releases_of(f);
  const bool bounded = std::isfinite(all.list.front().sensitivity.total());
  if (!f.adds_noise || !(sigma > 0) || !bounded || !f.delta || f.sends_nothing ||
      theorem_for(f.kind).refusal != nullptr)
    return;
  try {
    if (f.messages) return account_messages(f, out);
    if (f.trials) return account_trials(f, out);
    const Account found = account(all, sigma, *f.delta);
    record_account(found, out.record);
    // The generator's normal numbers are bounded, unlike those of the mechanism. What an adversary
    // can learn from this must be a small part of delta.
    constexpr double most_share = 0.01;
    const bool shows = !(tail_delta(f, all, sigma) <= most_share * *f.delta);
    if (f.noise_law)
      out.record.float_dp = exact_in_integers;
    else if (shows || is_rounded_away(f, sigma))
      out.record.float_dp = broken_in_floats;
    if (shows)
      reasons.push_back(fmt::format("at delta = {:g} the end of the noise's tail shows", *f.delta));
    if (std::isinf(found.epsilon.value)) reasons.emplace_back("no finite epsilon holds");
    const bool is_even = all.list.size() == 1 && all.stops.empty();
    out.curve = is_even ? epsilon_curve(all, sigma, *f.delta, found)
                        : epsilon_curve(all, sigma, *f.delta, found, f.rounds,
                                        [&](double t) { return times_after(f, t); });
  } catch (const std::invalid_argument& error) {
    reasons.emplace_back(error.what());
  }
}

}  // namespace

PrivacyRecord describe(const ClaimInputs& f, double sigma) {
  PrivacyRecord out;
  const Release r = releases_of(f).list.front();
  record_units(f, r, out);
  record_noise(f, sigma, r, out);
  const Theorem& theorem = theorem_for(f.kind);
  if (theorem.refusal == nullptr && !f.sends_nothing && f.adds_noise) {
    out.theorem = theorem.name;
    out.theorem_source = theorem.source;
    if (f.noise_law) {
      out.theorem += ", integer noise dominated by a Gaussian release";
      out.theorem_source += *f.noise_law == accounting::IntegerLaw::skellam
                                ? "; Agarwal, Kairouz and Liu 2021"
                                : "; Kairouz, Liu and Steinke 2021";
    }
    if (f.masks && f.masks->range > 1)
      out.theorem += "; Renyi divergences under the bound on the norm where they give less";
    if (!f.stops.empty()) {
      out.theorem += ", mean over the random number of rounds";
      out.theorem_source += "; hockey-stick divergence of a mixture with a public index";
    }
  }
  out.rounds_planned = out.rounds_accounted = f.rounds;
  out.calibration_mode = f.sigma_given ? "sigma" : f.by_closed_form ? "paper" : "accountant";
  out.calibration_epsilon = f.epsilon.value_or(PrivacyRecord::none);
  if (f.epsilon && f.by_closed_form) out.calibration_constant = f.constant.value_or(0);
  out.delta = f.delta.value_or(PrivacyRecord::none);
  out.delta_times_units = out.delta * out.units_most;
  const bool secret = f.kind.generator != Generator::simulation;
  out.rng = name(f.kind.generator);
  out.rng_label = secret ? secret_label : philox_label;
  out.float_dp = ideal_in_floats;
  out.paired_noise = secret ? "false" : "possible: every run with this seed draws the same noise";
  out.contains_private_model =
      f.has_private_models ? "false; checkpoints hold the clients' own models" : "false";
  out.preprocessing = preprocessing(f);
  out.releases_outside = f.metrics;
  out.releases_outside.emplace_back("the number of records of a client is public");
  return out;
}

Claim make_claim(const ClaimInputs& f, double sigma) {
  Claim claim;
  claim.record = describe(f, sigma);
  PrivacyRecord& out = claim.record;
  std::vector<std::string> reasons = objections(f, sigma);
  account_for(f, sigma, reasons, claim);
  const bool above_nominal =
      !f.sigma_given && f.by_closed_form && !(out.epsilon <= out.calibration_epsilon * (1 + 1e-9));
  const DpClaim found = !reasons.empty()  ? DpClaim::none
                        : f.sends_nothing ? DpClaim::nothing_released
                        : above_nominal   ? DpClaim::paper_nominal_only
                                          : DpClaim::accounted;
  out.dp_claim = name(found);
  out.reason = found == DpClaim::nothing_released ? "nothing leaves a client" : join(reasons, "; ");
  claim.status = status_of(found);
  claim.sentence = sentence_of(found, out, f);
  return claim;
}

}  // namespace trilemma
