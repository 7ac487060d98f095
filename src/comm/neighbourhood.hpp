#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.hpp"

namespace trilemma {

/// Neighbourhood collectives of MPI: every rank exchanges bytes with some other ranks. The null
/// state stands for a single process.
class Neighbourhood {
 public:
  /// This rank receives from the ranks `from` and sends to the ranks `to`, both ascending. Throws
  /// UserError on simulated ranks, which do not have these calls. Collective over `ranks`.
  Neighbourhood(const Communicator& ranks, const std::vector<int>& from,
                const std::vector<int>& to);

  /// Sends to the ranks `to` the bytes of `mine`, send[i] of them to rank to[i], and fills `all`
  /// with receive[i] bytes of rank from[i], in these orders. Throws RunFailure if either is above
  /// 2 GiB, and LibraryError with MPI's error text if MPI fails. Collective.
  void exchange(std::span<const std::byte> mine, const std::vector<std::size_t>& send,
                std::span<std::byte> all, const std::vector<std::size_t>& receive) const;

 private:
  std::shared_ptr<const RankGroup> graph_;
};

}  // namespace trilemma
