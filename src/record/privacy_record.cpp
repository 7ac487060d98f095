#include "record/privacy_record.hpp"

#include <cmath>

namespace trilemma {
namespace {

PrivacyField text(const char* name, std::string PrivacyRecord::*member,
                  Compared compared = Compared::exactly) {
  return {name, member, nullptr, compared};
}
PrivacyField number(const char* name, double PrivacyRecord::*member,
                    Compared compared = Compared::exactly) {
  return {name, nullptr, member, compared};
}

using R = PrivacyRecord;
const PrivacyField fields[] = {
    text("dp_claim", &R::dp_claim),
    text("reason", &R::reason),
    text("theorem", &R::theorem),
    text("theorem_source", &R::theorem_source),
    text("unit", &R::unit),
    text("relation", &R::relation),
    text("view", &R::view),
    text("aggregation", &R::aggregation),
    number("units", &R::units),
    number("units_most", &R::units_most),
    text("sampling_scheme", &R::sampling_scheme),
    text("sampler", &R::sampler),
    number("sampling_rate", &R::sampling_rate),
    number("batch", &R::batch),
    number("divisor", &R::divisor),
    text("divisor_kind", &R::divisor_kind),
    text("bound_kind", &R::bound_kind),
    text("bound_per", &R::bound_per),
    number("bound_norm", &R::bound_norm),
    number("bound_observed", &R::bound_observed, Compared::rounds),
    number("sensitivity_sampled", &R::sensitivity_sampled),
    number("sensitivity_full", &R::sensitivity_full),
    number("neighbour_distance", &R::neighbour_distance),
    text("noise_kind", &R::noise_kind),
    text("noise_place", &R::noise_place),
    text("noise_mode", &R::noise_mode),
    text("noise_dtype", &R::noise_dtype),
    number("noise_std_on_released", &R::noise_std_on_released),
    number("noise_std_on_sum", &R::noise_std_on_sum),
    number("noise_multiplier", &R::noise_multiplier),
    number("rounds_planned", &R::rounds_planned),
    number("rounds_accounted", &R::rounds_accounted),
    text("calibration_mode", &R::calibration_mode),
    number("calibration_epsilon", &R::calibration_epsilon),
    number("calibration_constant", &R::calibration_constant),
    text("accountant", &R::accountant),
    text("accountant_version", &R::accountant_version, Compared::work),
    text("accountant_method", &R::accountant_method, Compared::work),
    text("accountant_status", &R::accountant_status),
    text("orders", &R::orders, Compared::work),
    number("accountant_tolerance", &R::accountant_tolerance, Compared::work),
    number("grid_step", &R::grid_step, Compared::work),
    number("grid_points", &R::grid_points, Compared::work),
    number("error_budget", &R::error_budget, Compared::work),
    number("split", &R::split, Compared::work),
    number("delta", &R::delta),
    number("delta_times_units", &R::delta_times_units),
    number("epsilon", &R::epsilon, Compared::account),
    number("epsilon_lower", &R::epsilon_lower, Compared::work),
    text("crosscheck_method", &R::crosscheck_method, Compared::work),
    number("crosscheck_epsilon", &R::crosscheck_epsilon, Compared::work),
    number("best_order", &R::best_order, Compared::work),
    text("rng", &R::rng),
    text("rng_label", &R::rng_label),
    text("float_dp", &R::float_dp),
    text("paired_noise", &R::paired_noise),
    text("preprocessing", &R::preprocessing),
    text("contains_private_model", &R::contains_private_model),
    text("releases_outside", &R::releases_outside),
    number("rounds_executed", &R::rounds_executed, Compared::rounds),
    number("drawn_least", &R::drawn_least, Compared::rounds),
    number("drawn_mean", &R::drawn_mean, Compared::rounds),
    number("drawn_most", &R::drawn_most, Compared::rounds),
};

}  // namespace

double bounds_width(const PrivacyRecord& r) {
  const bool known = r.epsilon > 0 && std::isfinite(r.epsilon) && r.epsilon_lower >= 0;
  return known ? 1 - r.epsilon_lower / r.epsilon : 0;
}

const std::vector<PrivacyField>& privacy_fields() {
  static const std::vector<PrivacyField> list(std::begin(fields), std::end(fields));
  return list;
}

}  // namespace trilemma
