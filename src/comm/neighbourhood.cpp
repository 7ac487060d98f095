#include "comm/neighbourhood.hpp"

#include <numeric>

#include "base/clock.hpp"
#include "comm/mpi_check.hpp"

namespace trilemma {
namespace {

// Numbers of bytes as MPI takes them, and where each part starts.
struct Counts {
  explicit Counts(const std::vector<std::size_t>& bytes) : starts(bytes.size()) {
    for (const std::size_t each : bytes) counts.push_back(mpi_count(each));
    std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  }
  std::vector<int> counts, starts;
};

}  // namespace

Neighbourhood::Neighbourhood(const Communicator& ranks, const std::vector<int>& from,
                             const std::vector<int>& to) {
  if (ranks.is_null()) return;
  require(
      !is_simulated(),
      "exchange.nodes = \"collective\" takes MPI calls that simulated ranks do not have; choose "
      "neighbours");
  auto graph = std::make_shared<RankGroup>();
  check_mpi(
      MPI_Dist_graph_create_adjacent(ranks.group().comm, static_cast<int>(from.size()), from.data(),
                                     MPI_UNWEIGHTED, static_cast<int>(to.size()), to.data(),
                                     MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph->comm),
      "MPI_Dist_graph_create_adjacent");
  graph->ask();
  graph_ = std::move(graph);
}

void Neighbourhood::exchange(std::span<const std::byte> mine, const std::vector<std::size_t>& send,
                             std::span<std::byte> all,
                             const std::vector<std::size_t>& receive) const {
  if (graph_ == nullptr) return;
  mpi_count(mine.size());
  mpi_count(all.size());
  const Counts sent(send), received(receive);
  check_mpi(MPI_Neighbor_alltoallv(mine.data(), sent.counts.data(), sent.starts.data(), MPI_BYTE,
                                   all.data(), received.counts.data(), received.starts.data(),
                                   MPI_BYTE, graph_->comm),
            "MPI_Neighbor_alltoallv");
}

}  // namespace trilemma
