#include "comm/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "comm/mpi_check.hpp"

namespace trilemma {
namespace {

// What launchers tell their processes: Open MPI and PMIx, MPICH, MVAPICH, Intel MPI, Slurm, Cray,
// IBM, Flux.
constexpr const char* signs_of_a_launcher[] = {
    "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",          "PMI_RANK",      "PMI_SIZE",
    "MV2_COMM_WORLD_SIZE",  "MPI_LOCALRANKID",    "SLURM_PROCID",  "ALPS_APP_PE",
    "PALS_RANKID",          "JSM_NAMESPACE_RANK", "FLUX_TASK_RANK"};

bool is_launched() {
  return std::ranges::any_of(signs_of_a_launcher,
                             [](const char* name) { return std::getenv(name) != nullptr; });
}

// Without a launcher Open MPI would look for fast networks, and start a daemon that could launch
// others. All such processes of a user would also share one session directory, which one of them
// may remove while another is about to write into it. What a user has set stays; other libraries do
// not read these variables.
void expect_no_network() {
  constexpr bool overwrite = false;
  setenv("OMPI_MCA_pml", "ob1", overwrite);
  setenv("OMPI_MCA_btl", "self", overwrite);
  setenv("OMPI_MCA_ess_singleton_isolated", "1", overwrite);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", overwrite);
}

}  // namespace

Session::Session(int& argc, char**& argv, StartMpi start) {
  const bool asked =
      start == StartMpi::always || std::any_of(argv, argv + argc, [](const char* argument) {
        return std::string_view(argument) == "--mpi";
      });
  if (!is_launched()) {
    if (!asked) return;
    expect_no_network();
  }
  // The watchdog has a thread of its own, which leaves MPI alone.
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  has_mpi_ = true;
  if (provided < MPI_THREAD_FUNNELED)
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
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));
}

std::string Session::host() {
  char text[256] = {};
  constexpr std::size_t room = sizeof text - 1;  // gethostname need not end what it cuts off
  return gethostname(text, room) == 0 ? text : "unknown";
}

void Session::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

}  // namespace trilemma
