#include "record/privacy_record.hpp"

#include <cmath>

namespace trilemma {
namespace {

const Fields<PrivacyRecord> privacy_table = {
    field("dp_claim", &PrivacyRecord::dp_claim, "1",
          "`accounted`, `paper_nominal_only`, `nothing_released` (local training) or `none`"),
    field("reason", &PrivacyRecord::reason, "1", "why the claim is not `accounted`"),
    field(
        "theorem", &PrivacyRecord::theorem, "1",
        "theorem that covers the run ([privacy-model.md](../explanation/privacy-model.md#which-theorem-covers-which-combination)); empty if there is none"),
    field("theorem_source", &PrivacyRecord::theorem_source, "1", "publication of the theorem"),
    field("unit", &PrivacyRecord::unit, "1",
          "`record` or `client`: what neighbouring data sets differ in"),
    field("relation", &PrivacyRecord::relation, "1",
          "neighbouring relation: `add_remove`, `zero_out` or `replace_one`"),
    field(
        "view", &PrivacyRecord::view, "1",
        "what the adversary sees: `V_server`, `V_aggregate`, `V_others`, `V_output` or `V_shuffled`"),
    field(
        "aggregation", &PrivacyRecord::aggregation, "1",
        "aggregation between the messages and the adversary: `none`, `simulated_trusted`, "
        "`trusted_decoding` (of messages whose error is the noise), `simulated_secagg`, `counted_secagg` or "
        "`simulated_shuffler`"),
    field("units", &PrivacyRecord::units, "record or client",
          "records of the smallest client, or number of clients"),
    field(
        "units_most", &PrivacyRecord::units_most, "record or client",
        "records of the largest client (of all clients, if a trusted server adds the noise), or number of clients"),
    field(
        "sampling_scheme", &PrivacyRecord::sampling_scheme, "1",
        "sampling as accounted: `none`, `poisson`, `fixed_wor`, or `revealed` (drawn, but known to the adversary)"),
    field("sampler", &PrivacyRecord::sampler, "1", "sampling as executed"),
    field("sampling_rate", &PrivacyRecord::sampling_rate, "1",
          "expected share of the units in a sample"),
    field("batch", &PrivacyRecord::batch, "record", "records of a minibatch"),
    field("divisor", &PrivacyRecord::divisor, "1", "divisor of the average"),
    field("divisor_kind", &PrivacyRecord::divisor_kind, "1", "`constant` or `realised`"),
    field("bound_kind", &PrivacyRecord::bound_kind, "1", "kind of the bound"),
    field("bound_per", &PrivacyRecord::bound_per, "1",
          "what is bounded: the gradient of each `record`, the `estimator`, or the client update"),
    field("bound_norm", &PrivacyRecord::bound_norm, "1", "limit of the norm"),
    field("bound_observed", &PrivacyRecord::bound_observed, "1",
          "largest norm of a bounded gradient", Compared::rounds),
    field(
        "sensitivity_sampled", &PrivacyRecord::sensitivity_sampled, "1",
        "sensitivity of the released vector to one record added or removed, through the minibatch"),
    field("sensitivity_full", &PrivacyRecord::sensitivity_full, "1",
          "sensitivity to the same change through a mean over all records"),
    field("neighbour_distance", &PrivacyRecord::neighbour_distance, "1",
          "2 if neighbours replace a record, otherwise 1"),
    field("noise_kind", &PrivacyRecord::noise_kind, "1",
          "`gaussian`, `discrete_gaussian`, `skellam`, `binomial`, `sqkr`, `privunit` or `none`"),
    field("noise_place", &PrivacyRecord::noise_place, "1",
          "who adds the noise: `client` or `server`"),
    field("noise_mode", &PrivacyRecord::noise_mode, "1",
          "what sigma is the standard deviation of: `per_coordinate` or `total_norm`"),
    field("noise_dtype", &PrivacyRecord::noise_dtype, "1",
          "floating-point type in which the noise is added"),
    field("noise_std_on_released", &PrivacyRecord::noise_std_on_released, "1",
          "standard deviation of a coordinate of the noise where it is added"),
    field("noise_std_on_sum", &PrivacyRecord::noise_std_on_sum, "1",
          "standard deviation of a coordinate of the noise in the sum before averaging"),
    field("noise_multiplier", &PrivacyRecord::noise_multiplier, "1",
          "standard deviation divided by the sensitivity"),
    field("rounds_planned", &PrivacyRecord::rounds_planned, "round", "rounds of the configuration"),
    field("rounds_accounted", &PrivacyRecord::rounds_accounted, "round",
          "rounds that the account covers; the claim holds for at most this number"),
    field("calibration_mode", &PrivacyRecord::calibration_mode, "1",
          "origin of sigma: `accountant`, `paper` (a closed form) or `sigma` (given)"),
    field("calibration_epsilon", &PrivacyRecord::calibration_epsilon, "1", "requested epsilon"),
    field("calibration_constant", &PrivacyRecord::calibration_constant, "1",
          "constant c of the closed form"),
    field("accountant", &PrivacyRecord::accountant, "1", "name of the accountant"),
    field("accountant_version", &PrivacyRecord::accountant_version, "1",
          "version of the accountant", Compared::work),
    field("accountant_method", &PrivacyRecord::accountant_method, "1",
          "method that found the smallest epsilon", Compared::work),
    field("accountant_status", &PrivacyRecord::accountant_status, "1",
          "the accountant's statement about its result"),
    field("orders", &PrivacyRecord::orders, "1", "Renyi orders tried", Compared::work),
    field("accountant_tolerance", &PrivacyRecord::accountant_tolerance, "1",
          "relative distance of the bounds at which the accountant stops", Compared::work),
    field("grid_step", &PrivacyRecord::grid_step, "1", "step of the privacy-loss grid",
          Compared::work),
    field("grid_points", &PrivacyRecord::grid_points, "1", "points of the privacy-loss grid",
          Compared::work),
    field("error_budget", &PrivacyRecord::error_budget, "1",
          "part of delta that covers the errors of the grid", Compared::work),
    field("split", &PrivacyRecord::split, "1",
          "share of the noise variance that covers the sampled part", Compared::work),
    field("delta", &PrivacyRecord::delta, "1", "delta of the account"),
    field("delta_times_units", &PrivacyRecord::delta_times_units, "1", "delta times `units_most`"),
    field("epsilon", &PrivacyRecord::epsilon, "1",
          "upper bound on epsilon; the truth lies between `epsilon_lower` and `epsilon`",
          Compared::account),
    field("epsilon_lower", &PrivacyRecord::epsilon_lower, "1", "lower bound on epsilon",
          Compared::work),
    field("crosscheck_method", &PrivacyRecord::crosscheck_method, "1", "second accountant",
          Compared::work),
    field("crosscheck_epsilon", &PrivacyRecord::crosscheck_epsilon, "1",
          "epsilon by the second accountant", Compared::work),
    field("best_order", &PrivacyRecord::best_order, "1", "best Renyi order", Compared::work),
    field("rng", &PrivacyRecord::rng, "1", "generator of the noise and the minibatches"),
    field("rng_label", &PrivacyRecord::rng_label, "1",
          "whether that generator is fit for private noise"),
    field(
        "float_dp", &PrivacyRecord::float_dp, "1",
        "`idealised`: the account assumes real numbers; `broken`: rounding reveals what the noise should hide; `integers`: nothing is rounded"),
    field("paired_noise", &PrivacyRecord::paired_noise, "1",
          "whether another run may draw the same noise"),
    field("preprocessing", &PrivacyRecord::preprocessing, "1",
          "preprocessing that uses all records, one phrase each; the claim does not cover it"),
    field("contains_private_model", &PrivacyRecord::contains_private_model, "1",
          "whether the file holds models that clients keep for themselves"),
    field("releases_outside", &PrivacyRecord::releases_outside, "1",
          "disclosures in the file that the claim does not cover, one phrase each"),
    field("rounds_executed", &PrivacyRecord::rounds_executed, "round", "rounds executed",
          Compared::rounds),
    field("drawn_least", &PrivacyRecord::drawn_least, "record",
          "fewest records drawn in a round by all clients", Compared::rounds),
    field("drawn_mean", &PrivacyRecord::drawn_mean, "record",
          "mean of the records drawn in a round by all clients", Compared::rounds),
    field("drawn_most", &PrivacyRecord::drawn_most, "record",
          "most records drawn in a round by all clients", Compared::rounds),
};

}  // namespace

double bounds_width(const PrivacyRecord& r) {
  const bool known = r.epsilon > 0 && std::isfinite(r.epsilon) && r.epsilon_lower >= 0;
  return known ? 1 - r.epsilon_lower / r.epsilon : 0;
}

const Fields<PrivacyRecord>& privacy_fields() { return privacy_table; }

}  // namespace trilemma
