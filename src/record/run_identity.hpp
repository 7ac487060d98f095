#pragma once
// The content of a run file that is known before the first round.

#include <limits>
#include <optional>

#include "base/provenance.hpp"
#include "base/types.hpp"
#include "machine/facts.hpp"
#include "record/field.hpp"
#include "record/graph_record.hpp"
#include "record/model_record.hpp"
#include "record/privacy_record.hpp"
#include "record/theory_record.hpp"

namespace trilemma {

inline constexpr const char* run_file_schema = "trilemma-run";
inline constexpr std::int64_t run_file_schema_version = 4;

/// The attributes of the root that concern the file itself.
struct RunFileHead {
  std::string schema = run_file_schema;
  std::int64_t schema_version = run_file_schema_version;
  std::string program_version;
  bool complete = false;
  std::string failure;  ///< why the run ended early; empty = not known
  double wall_seconds = 0;
  std::string fingerprint;
};
/// Returns the table of these attributes.
const Fields<RunFileHead>& head_fields();

/// A text in /environment.
struct EnvironmentText {
  std::string name, text;
  std::string help;  ///< description of the data set
};

/// The partition and the placement of the clients: the group /partition.
struct PartitionRecord {
  std::string kind, description, assignment;  ///< assignment: a SHA-256
  std::string hosting;
  std::int64_t unassigned = 0;  ///< training records that belong to no client
  double imbalance = 0;  ///< training records of the fullest hosting rank, divided by the mean
  std::vector<std::pair<std::string, double>> number;  ///< statistics over the clients, by name
  std::vector<std::int64_t> records, held_out;         ///< by client
};

/// Returns the table of the attributes of /partition, except the statistics.
const Fields<PartitionRecord>& partition_fields();

/// The nodes of the ranks of a run, and the requested placement (docs/reference/run-file.md).
struct NodeRecord {
  /// The placement that a job script has requested from its launcher; 0 = not specified, or left to
  /// the batch system.
  struct Asked {
    std::int64_t nodes = 0, ranks_per_node = 0;  ///< ranks on the fullest node
    std::int64_t cores_per_rank = 0, threads_per_core = 0;
    bool is_met = true;  ///< whether the ranks are placed as requested
  };
  std::vector<std::int64_t> node;  ///< node of each rank, counted from 0; empty for simulated ranks
  std::optional<Asked> asked;
  /// The simulation of the ranks.
  struct Simulated {
    std::string platform;               ///< file name of the simulated platform
    std::string computing;              ///< model of the duration of computing, in words
    std::int64_t ranks = 0, hosts = 0;  ///< hosts that the ranks share
    double compute_factor = 0;  ///< relative to the simulating machine; 0 = computing takes no time
  };
  std::optional<Simulated> simulated = {};  ///< nullopt for real ranks
};

/// Return the tables of attributes of /environment for the requested placement, if any, and for the
/// simulation of the ranks, if any.
const Fields<NodeRecord::Asked>& asked_fields();
const Fields<NodeRecord::Simulated>& simulated_fields();

/// How the messages of the clients travelled: value of exchange.up that was used, and why. Of
/// several starts the first one that sent sums, which the claim must mention, otherwise the first.
struct UplinkRecord {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::string uplink;  ///< empty: not known, or there is no server
  std::string reason, in_words;
  double messages = none, message_bytes = none, sum_bytes = none;
  bool sends_sums = false;  ///< not in the file
};
/// Returns the table of these attributes of /environment.
const Fields<UplinkRecord>& uplink_fields();

/// Everything about a run that does not change during it.
struct RunIdentity {
  std::vector<NamedValue> attributes;  ///< attributes of the root (run/identity.cpp)
  PrivacyRecord privacy;
  std::optional<TheoryRecord> theory;    ///< for methods with a corollary
  std::optional<GraphRecord> graph;      ///< for decentralised methods
  std::optional<ModelRecord> own_model;  ///< for problem.kind = "plugin"
  PartitionRecord partition;
  NodeRecord nodes;
  UplinkRecord uplink;
  std::string config;       ///< resolved, as TOML
  std::string fingerprint;  ///< SHA-256 of the settings that determine the results
  std::vector<EnvironmentText> environment;
  std::vector<std::int64_t> vector_bits;  ///< width of the vector registers, by rank
  MachineRecord machine;
  std::string data_files;  ///< lines "SHA-256  name", also stored in checkpoints
  /// Provenances that are withheld: nothing computed from them is written.
  Provenances withheld = Provenances::none();
  std::int64_t ranks = 1;
  bool summarises_phases = false;  ///< record mean and maximum of the phases, not every rank
  bool records_energy = false;     ///< all nodes count it, and the phases are timed
  Vector start;                    ///< model before the first round
};

/// Writes `identity`, except the start model, into a new run file.
void write_identity(const h5::Group& file, const RunIdentity& identity);
/// Replaces the parts that depend on the number of rounds: attributes, configuration and /privacy,
/// and the uplink, on which /privacy depends. Partition and the rest of the environment stay as
/// recorded at the first start.
void renew_identity(const h5::Group& file, const RunIdentity& identity);
/// Replaces /privacy and the uplink where a later start is the first one that sends sums.
void renew_uplink(const h5::Group& file, const RunIdentity& identity);

}  // namespace trilemma
