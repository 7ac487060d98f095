#include "comm/session.hpp"

#include <cstdlib>

#include "comm/mpi_check.hpp"

namespace trilemma {
namespace {

// A process that nobody has launched talks to itself alone. Open MPI would still look for fast
// networks, and start a daemon that could launch others: four fifths of the time of a short run.
// All such processes of a user would also share one session directory, which one of them may remove
// while another is about to write into it; nothing of it is needed without a launcher.
// What a user has set stays; other libraries do not read these variables.
void expect_no_network() {
  for (const char* launcher : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (std::getenv(launcher) != nullptr) return;
  constexpr bool overwrite = false;
  setenv("OMPI_MCA_pml", "ob1", overwrite);
  setenv("OMPI_MCA_btl", "self", overwrite);
  setenv("OMPI_MCA_ess_singleton_isolated", "1", overwrite);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", overwrite);
}

}  // namespace

Session::Session(int& argc, char**& argv) {
  expect_no_network();
  // The watchdog has a thread of its own, which leaves MPI alone.
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_FUNNELED)
    throw LibraryError("this MPI allows no threads; install one that provides MPI_THREAD_FUNNELED");
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  ranks_ = Communicator::world();
}

Session::~Session() { MPI_Finalize(); }

std::string Session::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  check_mpi(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));
}

std::string Session::host() {
  char text[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  check_mpi(MPI_Get_processor_name(text, &length), "MPI_Get_processor_name");
  return {text, static_cast<std::size_t>(length)};
}

void Session::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

}  // namespace trilemma
