#pragma once
// The privacy record of a run file: all inputs and results of its accounting.

#include <limits>
#include <string>
#include <vector>

#include "base/field.hpp"
#include "base/types.hpp"

namespace trilemma {

/// One part of the accounted composition, as Component of the accountants.
struct PrivacyComponent {
  std::string sampling;
  double rate = 1, sigma = 1, steps = 1;
};

/// Values of `float_dp`: the account assumes ideal noise on real numbers; rounding is known to
/// break it; noise and vectors are integers, which are not rounded.
inline constexpr const char* ideal_in_floats = "idealised";
inline constexpr const char* broken_in_floats = "broken";
inline constexpr const char* exact_in_integers = "integers";

/// Value of `aggregation`: secure aggregation, with the keys of all clients in one program.
inline constexpr const char* secure_aggregation = "simulated_secagg";
/// Value of `aggregation`: secure aggregation whose bits are counted, without masks.
inline constexpr const char* counted_aggregation = "counted_secagg";
/// PrivacyRecord::aggregation of messages that a trusted server decodes to vectors with noise.
inline constexpr const char* trusted_decoding = "trusted_decoding";
/// PrivacyRecord::aggregation of messages without their senders.
inline constexpr const char* simulated_shuffler = "simulated_shuffler";

/// The attributes of /privacy, described in privacy_fields(). NaN and empty texts mean not
/// applicable.
struct PrivacyRecord {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  std::string dp_claim = "none";  ///< name of a DpClaim
  std::string reason;             ///< why dp_claim is not "accounted"
  std::string theorem, theorem_source;
  std::string unit, relation, view, aggregation;
  double units = none, units_most = none;  ///< of the smallest and of the largest client; see help
  std::string sampling_scheme, sampler;
  double sampling_rate = none, batch = none;
  double divisor = none;
  std::string divisor_kind;
  std::string bound_kind, bound_per;
  double bound_norm = none;
  double sensitivity_sampled = none, sensitivity_full = none, neighbour_distance = none;
  std::string noise_kind, noise_place, noise_mode, noise_dtype;
  double noise_std_on_released = none, noise_std_on_sum = none, noise_multiplier = none;
  double rounds_planned = none, rounds_accounted = none;
  std::string calibration_mode;
  double calibration_epsilon = none, calibration_constant = none;
  std::string accountant, accountant_version, accountant_method, accountant_status, orders;
  double accountant_tolerance = none, grid_step = none, grid_points = none, error_budget = none;
  double split = none;
  double delta = none, delta_times_units = none;
  double epsilon = none, epsilon_lower = none, crosscheck_epsilon = none, best_order = none;
  std::string crosscheck_method;
  std::string rng, rng_label, float_dp, paired_noise, contains_private_model;
  /// Preprocessing that uses all records, and disclosures outside the claim: one phrase each.
  std::vector<std::string> preprocessing, releases_outside;
  std::vector<PrivacyComponent> components;

  /// Known only at the end of a run: rounds done, records drawn in a round by all clients, and the
  /// largest norm of a bounded gradient.
  double rounds_executed = 0, drawn_least = none, drawn_mean = none, drawn_most = none;
  double bound_observed = none;
};

/// Returns the relative distance of the bounds on epsilon, (epsilon - epsilon_lower) / epsilon; 0
/// if a bound is unknown.
double bounds_width(const PrivacyRecord& record);

/// Returns the table of all attributes of /privacy.
const Fields<PrivacyRecord>& privacy_fields();

}  // namespace trilemma
