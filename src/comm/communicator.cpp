#include "comm/communicator.hpp"

#include <algorithm>
#include <numeric>

#include "comm/mpi_check.hpp"

namespace trilemma {

namespace {

constexpr int tag = 1;

/// A contiguous MPI type of `bytes` bytes, so that counts are numbers of pieces and stay small.
/// Creating one takes about a microsecond; one byte uses the predefined type.
class ShareType {
 public:
  explicit ShareType(std::size_t bytes) {
    if (bytes == 1) return;
    check_mpi(MPI_Type_contiguous(mpi_count(bytes), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~ShareType() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }
  ShareType(const ShareType&) = delete;
  ShareType& operator=(const ShareType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
};

// Calls `move(first, count)` for pieces that are small enough for MPI's int counts.
template <class Move>
void in_pieces(std::size_t things, Move move) {
  constexpr std::size_t piece = std::size_t{1} << 30U;
  for (std::size_t first = 0; first < things; first += piece)
    move(first, static_cast<int>(std::min(piece, things - first)));
}

}  // namespace

Shares Shares::in_rank_order(std::size_t unit, std::vector<int> count) {
  std::vector<int> start(count.size());
  std::exclusive_scan(count.begin(), count.end(), start.begin(), 0);
  return {unit, std::move(count), std::move(start)};
}

Communicator Communicator::world() {
  auto group = std::make_shared<RankGroup>();
  group->comm = MPI_COMM_WORLD;
  group->ask();
  Communicator world;
  world.ranks_ = std::move(group);
  return world;
}

Communicator Communicator::split(int color) const {
  if (is_null()) return {};
  auto group = std::make_shared<RankGroup>();
  check_mpi(MPI_Comm_split(ranks_->comm, color, rank(), &group->comm), "MPI_Comm_split");
  group->ask();
  Communicator part;
  part.ranks_ = std::move(group);
  return part;
}

int Communicator::lowest_on_machine() const {
  if (is_null()) return 0;
  RankGroup machine;
  check_mpi(
      MPI_Comm_split_type(ranks_->comm, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &machine.comm),
      "MPI_Comm_split_type");
  MPI_Group here = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(machine.comm, &here), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(ranks_->comm, &all), "MPI_Comm_group");
  const int first = 0;
  int lowest = 0;
  check_mpi(MPI_Group_translate_ranks(here, 1, &first, all, &lowest), "MPI_Group_translate_ranks");
  MPI_Group_free(&here);
  MPI_Group_free(&all);
  return lowest;
}

int Communicator::rank() const { return is_null() ? 0 : ranks_->rank; }
int Communicator::size() const { return is_null() ? 1 : ranks_->size; }

void Communicator::barrier() const {
  if (!is_null()) check_mpi(MPI_Barrier(ranks_->comm), "MPI_Barrier");
}

void Communicator::broadcast(std::span<std::byte> bytes, LedgerEntry entry) const {
  if (is_null()) return;
  in_pieces(bytes.size(), [&](std::size_t first, int count) {
    check_mpi(MPI_Bcast(bytes.data() + first, count, MPI_BYTE, 0, ranks_->comm), "MPI_Bcast");
  });
  if (rank() == 0) entry.book(bytes.size() * others());
}

void Communicator::gather(std::span<const double> mine, std::span<double> all,
                          LedgerEntry entry) const {
  if (is_null()) {
    std::ranges::copy(mine, all.begin());
    return;
  }
  const auto count = static_cast<int>(mine.size());
  check_mpi(
      MPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, ranks_->comm),
      "MPI_Gather");
  if (rank() == 0) entry.book(mine.size_bytes() * others());
}

void Communicator::gather(std::span<const std::byte> mine, const Shares& shares,
                          std::span<std::byte> all, LedgerEntry entry) const {
  if (is_null()) {
    std::ranges::copy(mine, all.begin());
    return;
  }
  const ShareType share(shares.unit);
  const int own = shares.count[static_cast<std::size_t>(rank())];
  check_mpi(MPI_Gatherv(mine.data(), own, share.get(), all.data(), shares.count.data(),
                        shares.start.data(), share.get(), 0, ranks_->comm),
            "MPI_Gatherv");
  if (rank() == 0) entry.book(shares.unit * (shares.total() - static_cast<std::size_t>(own)));
}

int Communicator::smallest(int value, LedgerEntry entry) const {
  if (is_null()) return value;
  int least = value;
  check_mpi(MPI_Allreduce(&value, &least, 1, MPI_INT, MPI_MIN, ranks_->comm), "MPI_Allreduce");
  if (rank() == 0) entry.book(2 * sizeof(int) * others());
  return least;
}

double Communicator::largest(double value, LedgerEntry entry) const {
  if (is_null()) return value;
  double most = value;
  check_mpi(MPI_Allreduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, ranks_->comm), "MPI_Allreduce");
  if (rank() == 0) entry.book(2 * sizeof(double) * others());
  return most;
}

void Communicator::largest(std::span<int> values, LedgerEntry entry) const {
  if (is_null()) return;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT,
                          MPI_MAX, ranks_->comm),
            "MPI_Allreduce");
  if (rank() == 0) entry.book(2 * values.size_bytes() * others());
}

void Communicator::unite(std::span<std::uint64_t> bits, LedgerEntry entry) const {
  if (is_null()) return;
  in_pieces(bits.size(), [&](std::size_t first, int count) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, bits.data() + first, count, MPI_UINT64_T, MPI_BOR,
                            ranks_->comm),
              "MPI_Allreduce");
  });
  if (rank() == 0) entry.book(2 * bits.size_bytes() * others());
}

void Communicator::reduce(std::span<double> values, LedgerEntry entry) const {
  if (is_null() || others() == 0) return;  // SimGrid's pipelined reductions hang on one rank
  const bool is_root = rank() == 0;
  in_pieces(values.size(), [&](std::size_t first, int count) {
    double* const here = values.data() + first;
    check_mpi(MPI_Reduce(is_root ? MPI_IN_PLACE : here, is_root ? here : nullptr, count, MPI_DOUBLE,
                         MPI_SUM, 0, ranks_->comm),
              "MPI_Reduce");
  });
  if (is_root) entry.book(values.size_bytes() * others());
}

void Communicator::send(std::span<const std::byte> bytes, int to, LedgerEntry entry) const {
  in_pieces(bytes.size(), [&](std::size_t first, int count) {
    check_mpi(MPI_Send(bytes.data() + first, count, MPI_BYTE, to, tag, ranks_->comm), "MPI_Send");
  });
  if (rank() == 0) entry.book(bytes.size());
}

void Communicator::receive(std::span<std::byte> bytes, int from, LedgerEntry entry) const {
  in_pieces(bytes.size(), [&](std::size_t first, int count) {
    check_mpi(
        MPI_Recv(bytes.data() + first, count, MPI_BYTE, from, tag, ranks_->comm, MPI_STATUS_IGNORE),
        "MPI_Recv");
  });
  if (rank() == 0) entry.book(bytes.size());
}

}  // namespace trilemma
