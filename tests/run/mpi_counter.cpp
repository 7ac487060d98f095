// Preloaded into the program by test_mpi_bytes.py: counts the bytes that MPI is asked to carry away
// from this rank, independently of the program's own ledger, through MPI's profiling interface;
// fakes failing calls on request.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

long long bcast_bytes = 0;
long long gatherv_bytes = 0;
long long gather_bytes = 0;
long long send_bytes = 0;

long long bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<long long>(count) * size;
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

}  // namespace

extern "C" {

// Root sends one copy to every other rank, whatever the tree.
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  if (rank_of(comm) == root) bcast_bytes += bytes_of(count, type) * (size - 1);
  return PMPI_Bcast(data, count, type, root, comm);
}

// TRILEMMA_MPI_FAIL=setup|rounds makes rank 1's gather of text (set-up) or of messages fail.
bool faked_failure(MPI_Datatype type, MPI_Comm comm) {
  const char* where = std::getenv("TRILEMMA_MPI_FAIL");
  const std::string wanted = type == MPI_CHAR ? "setup" : "rounds";
  return where != nullptr && wanted == where && rank_of(comm) == 1;
}

// Text is only gathered while the run is set up.
int MPI_Gatherv(const void* data, int count, MPI_Datatype type, void* all, const int* counts,
                const int* starts, MPI_Datatype all_type, int root, MPI_Comm comm) {
  if (faked_failure(type, comm)) return MPI_ERR_OTHER;
  if (rank_of(comm) != root && type != MPI_CHAR) gatherv_bytes += bytes_of(count, type);
  return PMPI_Gatherv(data, count, type, all, counts, starts, all_type, root, comm);
}

int MPI_Gather(const void* data, int count, MPI_Datatype type, void* all, int all_count,
               MPI_Datatype all_type, int root, MPI_Comm comm) {
  if (rank_of(comm) != root && type != MPI_INT) gather_bytes += bytes_of(count, type);
  return PMPI_Gather(data, count, type, all, all_count, all_type, root, comm);
}

// Saved state, in both directions.
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  send_bytes += bytes_of(count, type);
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Finalize() {
  const std::string path = std::string(std::getenv("TRILEMMA_MPI_COUNT")) + "." +
                           std::to_string(rank_of(MPI_COMM_WORLD));
  if (std::FILE* file = std::fopen(path.c_str(), "w")) {
    std::fprintf(file, "%lld %lld %lld %lld\n", bcast_bytes, gatherv_bytes, gather_bytes,
                 send_bytes);
    std::fclose(file);
  }
  return PMPI_Finalize();
}
}
