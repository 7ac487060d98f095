#pragma once
// The machine on record: /environment/ranks, /environment/nodes and the variables of a run file
// (docs/reference/run-file.md).

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/energy.hpp"
#include "base/machine.hpp"
#include "base/state.hpp"
#include "record/field.hpp"

namespace trilemma {

/// What one rank obtained.
struct RankOnRecord {
  std::string host = not_available;
  ProcessFacts process;
  double blas_threads = ProcessFacts::unknown;
  /// Its environment variables that differ from those of rank 0, each NAME=VALUE, or NAME where
  /// only rank 0 has it.
  std::vector<std::string> other_variables;

  void persist(State& state);
};

/// One node; the facts are those that its first rank read.
struct NodeOnRecord {
  std::string host = not_available;
  MachineFacts machine;
  EnergySource energy = EnergySource::none;

  void persist(State& state);
};

/// Return the tables of the columns of /environment/ranks and /environment/nodes.
const Fields<RankOnRecord>& rank_fields();
const Fields<NodeOnRecord>& node_fields();

/// The machine of a run.
struct MachineRecord {
  std::vector<RankOnRecord> ranks;
  std::vector<NodeOnRecord> nodes;     ///< in the order of their first ranks
  std::vector<std::string> variables;  ///< of rank 0, lines NAME=VALUE
  /// MPI_T control variables of rank 0 that differ from their default, lines NAME=VALUE; nullopt =
  /// not available.
  std::optional<std::vector<std::string>> mpi_variables;
};

/// Returns whether the energy of every node is counted.
bool counts_energy(const std::vector<NodeOnRecord>& nodes);

/// Writes the record into the group /environment. A column of texts is stored as its different
/// values (NAME_value) and the index of each rank's or node's value (NAME), so that the size for
/// many equal ranks is eight bytes per rank and column.
void write_machine(const h5::Group& environment, const MachineRecord& record);

/// Returns the variables of the process environment that a run file records, sorted: those whose
/// names begin with a prefix of recorded_prefixes(), without credentials.
std::vector<std::string> recorded_variables();
/// Returns the prefixes of the names of recorded variables.
std::vector<std::string> recorded_prefixes();
/// Returns the variables of `own` that differ from those of rank 0, as in RankOnRecord; both
/// sorted. Variables that name the rank itself are left out.
std::vector<std::string> differing_variables(const std::vector<std::string>& own,
                                             const std::vector<std::string>& first);

}  // namespace trilemma
