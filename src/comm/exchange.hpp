#pragma once
// What crosses between ranks: the model down, encoded messages up, and the small traffic of
// evaluation. Every call is collective over all ranks.

#include <memory>

#include "comm/placement.hpp"
#include "core/types.hpp"

namespace trilemma {

/// Bytes handed to MPI that left a rank, since the start.
struct MpiTraffic {
  std::uint64_t up = 0;          ///< update messages
  std::uint64_t down = 0;        ///< the model: one copy for every other rank
  std::uint64_t evaluation = 0;  ///< everything else
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  /// The model of rank 0 to all ranks.
  virtual void broadcast_model(View x) = 0;
  /// The same for a model that is only looked at: counted as evaluation traffic.
  virtual void broadcast_for_evaluation(View x) = 0;
  /// Every rank hands in the messages of its clients, `bytes` each, in client order. Returns on
  /// rank 0 all messages in client order, elsewhere nothing; valid until the next call.
  virtual std::span<const std::byte> gather_messages(std::span<const std::byte> mine,
                                                     std::size_t bytes) = 0;
  /// `each` numbers per client, likewise.
  virtual std::span<const double> gather_by_client(std::span<const double> mine,
                                                   std::size_t each) = 0;
  /// The same number of values from every rank, in rank order, on rank 0.
  virtual std::vector<double> gather_by_rank(std::span<const double> mine) = 0;
  /// Texts of all ranks, in rank order, on rank 0.
  virtual std::vector<std::string> gather_text(const std::string& mine) = 0;
  /// A number of rank 0 to all ranks.
  virtual int broadcast_number(int value) = 0;
  /// The smallest of the ranks' numbers.
  virtual int smallest(int value) = 0;
  virtual void barrier() = 0;
  const MpiTraffic& traffic() const { return traffic_; }

 protected:
  MpiTraffic traffic_;
};

/// One process, no MPI: nothing is handed over.
std::unique_ptr<Exchange> make_in_process_exchange();
/// All ranks of the world.
std::unique_ptr<Exchange> make_mpi_exchange(const Placement& placement);

}  // namespace trilemma
