// Preloaded into the program by test_mpi_bytes.py and test_bench_faults.py: counts the bytes that
// MPI is asked to carry away from this rank, independently of the program's own ledger, through
// MPI's profiling interface; fakes failing calls and wrong bytes on request.

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

long long bcast_bytes = 0;
long long gatherv_bytes = 0;
long long gather_bytes = 0;
long long send_bytes = 0;
long long allreduce_bytes = 0;
int gatherv_calls = 0;
int long_gatherv_calls = 0;

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

// TRILEMMA_MPI_FAIL=N makes the Nth call of MPI_Gatherv on rank 1 fail.
bool faked_failure(MPI_Comm comm) {
  const char* call = std::getenv("TRILEMMA_MPI_FAIL");
  return call != nullptr && ++gatherv_calls == std::atoi(call) && rank_of(comm) == 1;
}

// TRILEMMA_MPI_CORRUPT=N makes rank 1 send a wrong byte in its Nth call of MPI_Gatherv with at
// least 1 kB.
bool is_corrupted(MPI_Comm comm, long long bytes) {
  constexpr long long least = 1000;
  const char* call = std::getenv("TRILEMMA_MPI_CORRUPT");
  return call != nullptr && rank_of(comm) == 1 && bytes >= least &&
         ++long_gatherv_calls == std::atoi(call);
}

int MPI_Gatherv(const void* data, int count, MPI_Datatype type, void* all, const int* counts,
                const int* starts, MPI_Datatype all_type, int root, MPI_Comm comm) {
  if (faked_failure(comm)) return MPI_ERR_OTHER;
  std::vector<std::uint8_t> wrong;
  if (is_corrupted(comm, bytes_of(count, type))) {
    const auto* const bytes = static_cast<const std::uint8_t*>(data);
    wrong.assign(bytes, bytes + bytes_of(count, type));
    wrong[3] ^= 0x80U;  // the sign of the first number
    data = wrong.data();
  }
  if (rank_of(comm) != root) gatherv_bytes += bytes_of(count, type);
  return PMPI_Gatherv(data, count, type, all, counts, starts, all_type, root, comm);
}

int MPI_Gather(const void* data, int count, MPI_Datatype type, void* all, int all_count,
               MPI_Datatype all_type, int root, MPI_Comm comm) {
  if (rank_of(comm) != root) gather_bytes += bytes_of(count, type);
  return PMPI_Gather(data, count, type, all, all_count, all_type, root, comm);
}

// Every rank but the first sends its number there and gets the answer, whatever the algorithm.
int MPI_Allreduce(const void* data, void* all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  if (rank_of(comm) != 0) allreduce_bytes += 2 * bytes_of(count, type);
  return PMPI_Allreduce(data, all, count, type, op, comm);
}

// What every rank but the root hands in, whatever the tree.
int MPI_Reduce(const void* data, void* all, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  if (rank_of(comm) != root) gatherv_bytes += bytes_of(count, type);
  return PMPI_Reduce(data, all, count, type, op, root, comm);
}

// Saved state, in both directions.
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  send_bytes += bytes_of(count, type);
  return PMPI_Send(data, count, type, to, tag, comm);
}

// Messages that travel while their senders work.
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  gatherv_bytes += bytes_of(count, type);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Finalize() {
  const std::string path = std::string(std::getenv("TRILEMMA_MPI_COUNT")) + "." +
                           std::to_string(rank_of(MPI_COMM_WORLD));
  if (std::FILE* file = std::fopen(path.c_str(), "w")) {
    std::fprintf(file, "%lld %lld %lld %lld %lld\n", bcast_bytes, gatherv_bytes, gather_bytes,
                 send_bytes, allreduce_bytes);
    std::fclose(file);
  }
  return PMPI_Finalize();
}
}
