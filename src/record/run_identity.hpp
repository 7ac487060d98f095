#pragma once
// What a run file says of its run before the first round.

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/provenance.hpp"
#include "base/types.hpp"
#include "h5/h5.hpp"
#include "record/claim_status.hpp"
#include "record/node_record.hpp"
#include "record/partition_record.hpp"
#include "record/privacy_record.hpp"

namespace trilemma {

inline constexpr std::int64_t run_file_schema_version = 3;

/// Everything about a run that does not change while it runs.
struct RunIdentity {
  std::string name, method, mode, problem, data, compressor, bound, mechanism, claim;
  std::string scaling;           ///< what was done to the records, in words; empty: nothing
  std::string compressor_kind;   ///< the compressor's name in `trilemma list`
  std::string compressor_label;  ///< the same with its parameter: "rand-k, k = 12"
  ClaimStatus claim_status = ClaimStatus::not_private;
  PrivacyRecord privacy;
  PartitionRecord partition;
  NodeRecord nodes;
  std::string config;                                            ///< resolved, as TOML
  std::string fingerprint;                                       ///< of what determines the results
  std::vector<std::pair<std::string, std::string>> environment;  ///< name, text
  std::string data_files;  ///< lines "SHA-256  name", which checkpoints keep
  /// Nothing made of these is written.
  Provenances withheld = Provenances::none();
  std::int64_t seed = 0, rounds = 0, clients = 0, dimension = 0, ranks = 1;
  std::vector<std::int64_t> vector_bits;  ///< width of the registers, by rank
  Vector start;                           ///< model before the first round
  std::int64_t extended_from = 0;  ///< rounds that the run had before more were added; 0: none
  double noise_sigma = 0, epsilon_nominal = 0, delta = 0;
  /// Test scores of the best answers that do not depend on the features: one for all, one for each
  /// client (mean over clients). NaN where there are none.
  double baseline_score = std::numeric_limits<double>::quiet_NaN();
  double baseline_personal_score = std::numeric_limits<double>::quiet_NaN();
  /// Payload bits of a client, in expectation: sent and received in a round, and received before
  /// the first. NaN where they do not follow from the configuration.
  double planned_bits_up = std::numeric_limits<double>::quiet_NaN();
  double planned_bits_down = std::numeric_limits<double>::quiet_NaN();
  double planned_bits_down_before = std::numeric_limits<double>::quiet_NaN();
};

/// Names of the attributes.
namespace planned_bits {
inline constexpr const char* up = "planned_bits_up";
inline constexpr const char* down = "planned_bits_down";
inline constexpr const char* down_before = "planned_bits_down_before";
}  // namespace planned_bits

/// Writes all of it but the start model into a new run file.
void write_identity(const h5::Group& file, const RunIdentity& identity);
/// Replaces what depends on the number of rounds: the attributes, the configuration and /privacy.
/// Partition and environment stay those of the first start.
void renew_identity(const h5::Group& file, const RunIdentity& identity);

}  // namespace trilemma
