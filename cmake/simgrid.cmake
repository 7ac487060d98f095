# SimGrid's SMPI in the place of MPI. smpirun loads the program as a library, once for each rank, so that every rank has
# globals of its own. Only the program is copied; the ranks share the libraries that it is linked with.

find_path(SIMGRID_INCLUDE_DIR smpi/mpi.h REQUIRED)
find_library(SIMGRID_LIBRARY simgrid REQUIRED)
add_library(MPI::MPI_CXX INTERFACE IMPORTED)
# Without smpi_helpers.h, which replaces `exit`, `free` and other words by macros: base/clock.hpp asks for simulated time.
target_include_directories(MPI::MPI_CXX INTERFACE ${SIMGRID_INCLUDE_DIR} ${SIMGRID_INCLUDE_DIR}/smpi)
target_link_libraries(MPI::MPI_CXX INTERFACE ${SIMGRID_LIBRARY})
