#pragma once
// What crosses between ranks: the model down, encoded messages up, and the small traffic of
// evaluation. Every call is collective over all ranks.

#include <functional>
#include <memory>

#include "comm/placement.hpp"
#include "comm/traffic.hpp"
#include "core/packets.hpp"
#include "core/types.hpp"

namespace trilemma {

/// What small traffic is for: decides where it is counted.
enum class Use { evaluation, control };

class Exchange {
 public:
  virtual ~Exchange() = default;
  /// The model of rank 0 to all ranks.
  virtual void broadcast_model(View x) = 0;
  /// The same for a model that is only looked at: counted as evaluation traffic.
  virtual void broadcast_for_evaluation(View x) = 0;
  /// Every rank hands in the messages of those of its clients that are among `participants` (the
  /// same on every rank; those of a rank side by side, the ranks ascending), in their order.
  /// Returns on rank 0 all messages in this order, elsewhere nothing; valid until the next call.
  /// Sizes travel, 8 bytes each, where they vary.
  virtual Packets gather_messages(const Packets& mine, Coordinates participants) = 0;
  /// `each` numbers per client, in client order on rank 0, elsewhere nothing; valid until the next
  /// call.
  virtual std::span<const double> gather_by_client(std::span<const double> mine,
                                                   std::size_t each) = 0;
  /// Rows of `width` numbers, rows[r] of them from rank r, in rank order, likewise.
  virtual std::span<const double> gather_rows(std::span<const double> mine, std::size_t width,
                                              const std::vector<int>& rows) = 0;
  /// The same number of values from every rank, in rank order, on rank 0.
  virtual std::vector<double> gather_by_rank(std::span<const double> mine, Use use) = 0;
  /// Texts of all ranks, in rank order, on rank 0.
  virtual std::vector<std::string> gather_text(const std::string& mine) = 0;
  /// A number of rank 0 to all ranks.
  virtual int broadcast_number(int value, Use use) = 0;
  /// Bytes of rank 0 to all ranks; the others get their size too.
  virtual void broadcast_bytes(Bytes& bytes) = 0;
  /// One piece of any size a client to rank 0, one after the other in client order: `make` gives
  /// that of a slot where it is hosted, `take` receives that of a client on rank 0.
  virtual void collect(const std::function<Bytes(std::size_t slot)>& make,
                       const std::function<void(std::size_t client, const Bytes&)>& take) = 0;
  /// The way back: `give` says on rank 0 what a client gets, `take` receives it for a slot.
  virtual void distribute(const std::function<Bytes(std::size_t client)>& give,
                          const std::function<void(std::size_t slot, const Bytes&)>& take) = 0;
  /// The smallest of the ranks' numbers.
  virtual int smallest(int value) = 0;
  virtual void barrier() = 0;
  const MpiTraffic& traffic() const { return traffic_; }
  /// Counts on from what an earlier part of the run has sent.
  void go_on_from(const MpiTraffic& traffic) { traffic_ = traffic; }

 protected:
  MpiTraffic traffic_;
};

/// One process, no MPI: nothing is handed over.
std::unique_ptr<Exchange> make_in_process_exchange(std::size_t clients = 0);
/// All ranks of the world.
std::unique_ptr<Exchange> make_mpi_exchange(const Placement& placement);

}  // namespace trilemma
