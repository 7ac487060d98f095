#pragma once
// The MPI session.

#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "comm/placement.hpp"

namespace trilemma {

enum class StartMpi { never, if_launched, always };

/// The number of ranks that a launcher says it has started, without asking MPI; 1 where it says
/// none.
int launched_ranks();

/// Starts MPI on construction and ends it on destruction. A process that no launcher has started is
/// one rank and does without, which saves most of the time of a short run, unless "--mpi" is among
/// the arguments. MPI errors are returned to the caller and checked, not fatal inside the library.
/// How ranks are simulated.
struct Simulation {
  std::string description;    ///< platform, ranks, computing and library, for people
  std::string platform;       ///< file name
  std::string computing;      ///< how long computing takes, for people
  long hosts = 0;             ///< that the ranks share
  double compute_factor = 0;  ///< time of computing, relative to this machine; 0: it takes no time
};

class Session {
 public:
  Session(int& argc, char**& argv, StartMpi start = StartMpi::if_launched);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int rank() const { return ranks_.rank(); }
  int size() const { return ranks_.size(); }
  /// All ranks; the null state where there is one only.
  Communicator communicator() const { return size() > 1 ? ranks_ : Communicator(); }
  /// This rank among all, still without clients.
  Placement place() const { return {.rank = rank(), .size = size()}; }
  /// "Open MPI v4.1.4" and the like.
  static std::string library();
  /// Whether the MPI library is MPICH or derived from it.
  static bool is_mpich();
  /// Returns how this run is simulated, as jobs/simulate has set it; nothing on real ranks.
  static std::optional<Simulation> simulation();
  /// Host name of this rank.
  static std::string host();
  /// Ends the whole job at once.
  [[noreturn]] static void abort(int code);

 private:
  Communicator ranks_;
  bool has_mpi_ = false;
};

}  // namespace trilemma
