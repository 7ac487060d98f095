#pragma once
// Start and end of MPI, and facts about the MPI library.

#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "comm/placement.hpp"

namespace trilemma {

/// When a program starts MPI.
enum class StartMpi { never, if_launched, always };

/// Returns the number of ranks that the launcher reports in the environment, without calling MPI; 1
/// if it reports none.
int launched_ranks();

/// How ranks are simulated.
struct Simulation {
  std::string description;    ///< platform, ranks, computing and library, in words
  std::string platform;       ///< file name of the platform
  std::string computing;      ///< duration of computing, in words
  long hosts = 0;             ///< number of hosts that the ranks share
  double compute_factor = 0;  ///< duration of computing relative to this machine; 0: no time
};

/// Starts MPI on construction and ends it on destruction. A process without a launcher is a single
/// rank and does not start MPI, which saves most of the time of a short run, unless "--mpi" is
/// among the arguments. MPI errors are returned to the caller and checked instead of being fatal
/// inside the library.
class Session {
 public:
  Session(int& argc, char**& argv, StartMpi start = StartMpi::if_launched);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int rank() const { return ranks_.rank(); }
  int size() const { return ranks_.size(); }
  /// Returns the communicator of all ranks; null if there is only one.
  Communicator communicator() const { return size() > 1 ? ranks_ : Communicator(); }
  /// Returns this rank's placement, before clients are assigned.
  Placement place() const { return {.rank = rank(), .size = size()}; }
  /// Returns the name and version of the MPI library, such as "Open MPI v4.1.4".
  static std::string library();
  /// Returns whether the MPI library is MPICH or derived from it.
  static bool is_mpich();
  /// Returns how this run is simulated, as set by jobs/simulate; nullopt on real ranks.
  static std::optional<Simulation> simulation();
  /// Returns the host name of this rank.
  static std::string host();
  /// Ends the whole job immediately.
  [[noreturn]] static void abort(int code);

 private:
  Communicator ranks_;
  bool has_mpi_ = false;
};

/// From now on, SIGUSR1, SIGTERM and SIGINT ask the run to stop at the end of a round; a second
/// SIGINT ends the program as usual.
void listen_for_stop_requests();
/// Returns whether this rank has received one of these signals.
bool stop_requested();

}  // namespace trilemma
