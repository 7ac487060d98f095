#include "comm/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "base/clock.hpp"
#include "base/read_number.hpp"
#include "comm/mpi_check.hpp"

namespace trilemma {
namespace {

// Prefixes of the environment variables that launchers set for their processes: Open MPI, PMIx, PMI
// (MPICH, Cray, Slurm), MVAPICH, Intel MPI, HPE, IBM, Flux.
constexpr std::string_view signs_of_a_launcher[] = {
    "OMPI_COMM_WORLD_", "PMIX_", "PMI_",  "PMI2_", "MV2_COMM_WORLD_", "MPI_LOCAL", "MPT_",
    "SLURM_PROCID",     "ALPS_", "PALS_", "JSM_",  "FLUX_TASK_"};

bool is_launched() {
  if (is_simulated()) return true;
  for (char** entry = environ; *entry != nullptr; ++entry)
    for (const std::string_view sign : signs_of_a_launcher)
      if (std::string_view(*entry).starts_with(sign)) return true;
  return false;
}

// Without a launcher, Open MPI would search for fast networks and start a daemon that could launch
// other processes. All such processes of a user would also share one session directory, which one
// process may remove while another is about to write into it. Variables that the user has set stay;
// other MPI libraries do not read these variables.
void expect_no_network() {
  constexpr bool overwrite = false;
  setenv("OMPI_MCA_pml", "ob1", overwrite);
  setenv("OMPI_MCA_btl", "self", overwrite);
  setenv("OMPI_MCA_ess_singleton_isolated", "1", overwrite);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", overwrite);
}

// Global, since a signal handler can access nothing else.
volatile std::sig_atomic_t noted = 0;

void note(int signal) {
  noted = 1;
  if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}

}  // namespace

int launched_ranks() {
  constexpr long most = std::numeric_limits<int>::max();
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* size = std::getenv(name); size != nullptr)
      return static_cast<int>(std::clamp(read_whole_number(size).value_or(1), 1L, most));
  return 1;
}

Session::Session(int& argc, char**& argv, StartMpi start) {
  if (start == StartMpi::never) return;
  const bool asked =
      start == StartMpi::always || std::any_of(argv, argv + argc, [](const char* argument) {
        // Also accepts --mpi=true, as the command line does.
        return std::string_view(argument).starts_with("--mpi");
      });
  if (!is_launched()) {
    if (!asked) return;
    expect_no_network();
  }
  // The watchdog runs in a thread of its own, which makes no MPI calls.
  const int needed = is_simulated() ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED;
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(&argc, &argv, needed, &provided), "MPI_Init_thread");
  has_mpi_ = true;
  if (provided < needed)
    throw LibraryError("this MPI allows no threads; install one that provides MPI_THREAD_FUNNELED");
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  ranks_ = Communicator::world();
}

Session::~Session() {
  if (has_mpi_) MPI_Finalize();
}

std::string Session::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  check_mpi(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  std::string all(text, static_cast<std::size_t>(length));
  // MPICH returns "MPICH Version:\t4.0.2\n" and lines about its build.
  std::replace(all.begin(), all.end(), '\t', ' ');
  // SMPI returns "SMPI Version 3.32. Copyright ...".
  return all.substr(0, std::min(all.find_first_of(",\n"), all.find(". ")));
}

bool Session::is_mpich() {
#ifdef MPICH_VERSION
  return true;
#else
  return false;
#endif
}

std::optional<Simulation> Session::simulation() {
  if (!is_simulated()) return {};
  const auto variable = [](const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : otherwise);
  };
  Simulation found;
  found.description =
      fmt::format("{}; {}", variable("TRILEMMA_SIMULATION", "on an unknown platform"), library());
  found.platform = variable("TRILEMMA_SIMULATED_PLATFORM", "");
  found.computing = variable("TRILEMMA_SIMULATED_COMPUTING", "");
  found.hosts = std::strtol(variable("TRILEMMA_SIMULATED_HOSTS", "0").c_str(), nullptr, 10);
  found.compute_factor =
      std::strtod(variable("TRILEMMA_SIMULATED_COMPUTE_FACTOR", "nan").c_str(), nullptr);
  return found;
}

std::string Session::host() {
  char text[256] = {};
  constexpr std::size_t room = sizeof text - 1;  // gethostname need not terminate a truncated name
  return gethostname(text, room) == 0 ? text : "unknown";
}

void Session::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

void listen_for_stop_requests() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;  // system calls that wait for the disk or the network must not fail
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) sigaction(signal, &action, nullptr);
}

bool stop_requested() { return noted != 0; }

}  // namespace trilemma
