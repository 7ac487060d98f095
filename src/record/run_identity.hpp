#pragma once
// What a run file holds of its run before the first round.

#include "base/provenance.hpp"
#include "base/types.hpp"
#include "record/field.hpp"
#include "record/node_record.hpp"
#include "record/partition_record.hpp"
#include "record/privacy_record.hpp"

namespace trilemma {

inline constexpr const char* run_file_schema = "trilemma-run";
inline constexpr std::int64_t run_file_schema_version = 4;

/// The attributes of the root that concern the file itself.
struct RunFileHead {
  std::string schema = run_file_schema;
  std::int64_t schema_version = run_file_schema_version;
  std::string program_version;
  bool complete = false;
  std::string failure;  ///< why the run ended early; empty: nothing is known
  double wall_seconds = 0;
  std::string fingerprint;
};
const Fields<RunFileHead>& head_fields();

/// A text of /environment.
struct EnvironmentText {
  std::string name, text;
  std::string help;  ///< description of the data set
};

/// Everything about a run that does not change while it runs.
struct RunIdentity {
  std::vector<NamedValue> attributes;  ///< of the root (run/identity.cpp)
  PrivacyRecord privacy;
  PartitionRecord partition;
  NodeRecord nodes;
  std::string config;       ///< resolved, as TOML
  std::string fingerprint;  ///< of what determines the results
  std::vector<EnvironmentText> environment;
  std::vector<std::int64_t> vector_bits;  ///< width of the registers, by rank
  std::string data_files;                 ///< lines "SHA-256  name", which checkpoints keep
  /// Nothing made of these is written.
  Provenances withheld = Provenances::none();
  std::int64_t ranks = 1;
  Vector start;  ///< model before the first round
};

/// Writes all of it but the start model into a new run file.
void write_identity(const h5::Group& file, const RunIdentity& identity);
/// Replaces what depends on the number of rounds: the attributes, the configuration and /privacy.
/// Partition and environment stay those of the first start.
void renew_identity(const h5::Group& file, const RunIdentity& identity);

}  // namespace trilemma
