#pragma once
// The machine of a run: what each rank obtained and what each node is, as Linux describes them in
// /proc, /sys and /etc. The tables of fields name the values in /environment of a run file.

#include <optional>
#include <string>
#include <vector>

#include "base/field.hpp"
#include "base/state.hpp"
#include "machine/energy.hpp"
#include "machine/processors.hpp"

namespace trilemma {

/// What one rank obtained.
struct RankFacts {
  std::string host = not_available;
  std::string affinity = not_available;  ///< processors on which it may run, as a list
  std::string numa = not_available;      ///< their NUMA nodes, as a list
  std::string cpu = not_available;       ///< model of the first of them
  double megahertz = not_known;          ///< current frequency, mean over them
  double threads = not_known;            ///< threads of the process
  double blas_threads = not_known;
  /// Its environment variables that differ from those of rank 0, each NAME=VALUE, or NAME where
  /// only rank 0 has it.
  std::vector<std::string> other_variables;

  void persist(State& state);
};

/// One node; the facts are those that its first rank read.
struct NodeFacts {
  std::string host = not_available;
  std::string kernel = not_available;    ///< "Linux 6.1.0-18-amd64"
  std::string system = not_available;    ///< "Debian GNU/Linux 12 (bookworm)"
  std::string governor = not_available;  ///< frequency governors of all processors: "performance"
  std::string numa = not_available;      ///< processors of each NUMA node: "0: 0-31; 1: 32-63"
  double memory = not_known;             ///< bytes
  double sockets = not_known, cores = not_known, processors = not_known;  ///< ProcessorCounts
  EnergySource energy = EnergySource::none;

  void persist(State& state);
};

/// Return the tables of the columns of /environment/ranks and /environment/nodes.
const Fields<RankFacts>& rank_fields();
const Fields<NodeFacts>& node_fields();

/// The machine of a run.
struct MachineRecord {
  std::vector<RankFacts> ranks;
  std::vector<NodeFacts> nodes;        ///< in the order of their first ranks
  std::vector<std::string> variables;  ///< of rank 0, lines NAME=VALUE
  /// MPI_T control variables of rank 0 that differ from their default, lines NAME=VALUE; nullopt =
  /// not available.
  std::optional<std::vector<std::string>> mpi_variables;
};

/// Returns whether the energy of every node is counted.
bool counts_energy(const std::vector<NodeFacts>& nodes);

/// Read what the system reports of this process, which may run on `usable`, and of its machine.
/// `root` is the folder that holds proc, sys and etc; "" for the machine itself, whose processors
/// hwloc counts where the program was built with it.
RankFacts rank_facts(const Processors& usable, const std::string& root = "");
NodeFacts node_facts(const std::string& root = "");

/// Returns the model of the first processor of the machine.
std::string cpu_model();

}  // namespace trilemma
