#include <algorithm>
#include <cstring>
#include <numeric>

#include "comm/exchange.hpp"
#include "comm/mpi_check.hpp"
#include "comm/parcels.hpp"
#include "comm/share_type.hpp"

namespace trilemma {
namespace {

class MpiExchange final : public Exchange {
 public:
  explicit MpiExchange(const Placement& placement) : place_(placement) {
    for (int r = 0; r < place_.size; ++r) {
      everyone_.count.push_back(place_.count(r));
      everyone_.start.push_back(place_.first(r));
    }
    present_ = everyone_;
  }

  void broadcast_model(View x) override { traffic_.down += broadcast(x); }
  void broadcast_for_evaluation(View x) override { traffic_.evaluation += broadcast(x); }

  Packets gather_messages(const Packets& mine, Coordinates participants) override {
    count_by_rank(participants);
    if (mine.varies()) return gather_varying(mine, participants.size());
    const std::size_t each = mine.each();
    gather(mine.bytes().data(), each, present_, messages_);
    traffic_.up += each * (participants.size() - static_cast<std::size_t>(present_.count[0]));
    return Packets::equal(
        std::span(messages_.all).first(place_.rank == 0 ? each * participants.size() : 0), each);
  }

  std::span<const double> gather_by_client(std::span<const double> mine,
                                           std::size_t each) override {
    return gather_rows(mine, each, everyone_.count);
  }

  std::span<const double> gather_rows(std::span<const double> mine, std::size_t width,
                                      const std::vector<int>& rows) override {
    Shares shares{rows, std::vector<int>(rows.size())};
    std::exclusive_scan(rows.begin(), rows.end(), shares.start.begin(), 0);
    const auto all = static_cast<std::size_t>(shares.start.back() + rows.back());
    gather(mine.data(), width * sizeof(double), shares, numbers_);
    traffic_.evaluation += width * sizeof(double) * (all - static_cast<std::size_t>(rows[0]));
    return {reinterpret_cast<const double*>(numbers_.all.data()),
            place_.rank == 0 ? all * width : 0};
  }

  std::vector<double> gather_by_rank(std::span<const double> mine, Use use) override {
    std::vector<double> all(place_.rank == 0 ? mine.size() * static_cast<std::size_t>(place_.size)
                                             : 0);
    const auto count = static_cast<int>(mine.size());
    check_mpi(MPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0,
                         MPI_COMM_WORLD),
              "MPI_Gather of numbers");
    book(use, mine.size() * sizeof(double) * others());
    return all;
  }

  std::vector<std::string> gather_text(const std::string& mine) override {
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(static_cast<std::size_t>(place_.size));
    check_mpi(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD),
              "MPI_Gather");
    std::vector<int> starts(lengths.size());
    for (std::size_t r = 1; r < lengths.size(); ++r) starts[r] = starts[r - 1] + lengths[r - 1];
    std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), ' ');
    check_mpi(MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(),
                          MPI_CHAR, 0, MPI_COMM_WORLD),
              "MPI_Gatherv of text");
    std::vector<std::string> texts;
    for (std::size_t r = 0; place_.rank == 0 && r < lengths.size(); ++r)
      texts.push_back(
          all.substr(static_cast<std::size_t>(starts[r]), static_cast<std::size_t>(lengths[r])));
    return texts;
  }

  int broadcast_number(int value, Use use) override {
    check_mpi(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
    book(use, sizeof(int) * others());
    return value;
  }

  void broadcast_bytes(Bytes& bytes) override {
    std::uint64_t size = bytes.size();
    check_mpi(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD), "MPI_Bcast");
    bytes.resize(size);
    each_chunk(bytes, [](std::byte* chunk, int count) {
      check_mpi(MPI_Bcast(chunk, count, MPI_BYTE, 0, MPI_COMM_WORLD), "MPI_Bcast of saved state");
    });
    traffic_.control += (sizeof size + size) * others();
  }

  void collect(const std::function<Bytes(std::size_t)>& make,
               const std::function<void(std::size_t, const Bytes&)>& take) override {
    if (place_.rank != 0) {
      Parcels parcels([this](Bytes& bytes) { send(bytes, 0); });
      for (std::size_t slot = 0; slot < slots(place_.rank); ++slot) parcels.put(make(slot));
      parcels.flush();
      return;
    }
    for (int r = 0; r < place_.size; ++r) {
      Parcels parcels([this, r] { return receive(r); });
      for (std::size_t slot = 0; slot < slots(r); ++slot)
        take(static_cast<std::size_t>(place_.first(r)) + slot,
             r == 0 ? make(slot) : parcels.next());
    }
  }

  void distribute(const std::function<Bytes(std::size_t)>& give,
                  const std::function<void(std::size_t, const Bytes&)>& take) override {
    if (place_.rank != 0) {
      Parcels parcels([this] { return receive(0); });
      for (std::size_t slot = 0; slot < slots(place_.rank); ++slot) take(slot, parcels.next());
      return;
    }
    for (int r = 0; r < place_.size; ++r) {
      Parcels parcels([this, r](Bytes& bytes) { send(bytes, r); });
      for (std::size_t slot = 0; slot < slots(r); ++slot) {
        const Bytes bytes = give(static_cast<std::size_t>(place_.first(r)) + slot);
        r == 0 ? take(slot, bytes) : parcels.put(bytes);
      }
      parcels.flush();
    }
  }

  int smallest(int value) override {
    int result = value;
    check_mpi(MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    return result;
  }

  void barrier() override { check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }

 private:
  static constexpr int state_tag = 1;

  std::size_t others() const { return static_cast<std::size_t>(place_.size - 1); }
  std::size_t slots(int rank) const { return static_cast<std::size_t>(place_.count(rank)); }
  void book(Use use, std::size_t bytes) {
    (use == Use::evaluation ? traffic_.evaluation : traffic_.control) += bytes;
  }

  // Pieces that are small enough for MPI's counts.
  template <class Move>
  static void each_chunk(Bytes& bytes, Move move) {
    constexpr std::size_t chunk = std::size_t{1} << 30U;
    for (std::size_t done = 0; done < bytes.size(); done += chunk)
      move(bytes.data() + done, static_cast<int>(std::min(chunk, bytes.size() - done)));
  }

  // The size, then the bytes; counted on rank 0 in both directions.
  void send(Bytes& bytes, int to) {
    const std::uint64_t size = bytes.size();
    check_mpi(MPI_Send(&size, 1, MPI_UINT64_T, to, state_tag, MPI_COMM_WORLD), "MPI_Send");
    each_chunk(bytes, [to](std::byte* chunk, int count) {
      check_mpi(MPI_Send(chunk, count, MPI_BYTE, to, state_tag, MPI_COMM_WORLD),
                "MPI_Send of clients' states");
    });
    if (place_.rank == 0) traffic_.control += sizeof size + bytes.size();
  }

  Bytes receive(int from) {
    std::uint64_t size = 0;
    check_mpi(MPI_Recv(&size, 1, MPI_UINT64_T, from, state_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              "MPI_Recv");
    Bytes bytes(size);
    each_chunk(bytes, [from](std::byte* chunk, int count) {
      check_mpi(
          MPI_Recv(chunk, count, MPI_BYTE, from, state_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          "MPI_Recv of clients' states");
    });
    if (place_.rank == 0) traffic_.control += sizeof size + bytes.size();
    return bytes;
  }

  // Returns the bytes that left rank 0: one copy for every other rank.
  std::size_t broadcast(View x) const {
    constexpr std::size_t chunk = std::size_t{1} << 27U;
    constexpr std::size_t width = sizeof(real);
    for (std::size_t done = 0; done < x.size(); done += chunk) {
      const auto count = static_cast<int>(std::min(chunk, x.size() - done) * width);
      check_mpi(MPI_Bcast(x.data() + done, count, MPI_BYTE, 0, MPI_COMM_WORLD),
                "MPI_Bcast of the model");
    }
    return x.size() * width * others();
  }

  // Shares a rank hands in, and where they begin on rank 0.
  struct Shares {
    std::vector<int> count, start;
  };

  // Clients are hosted in blocks that ascend.
  void count_by_rank(Coordinates participants) {
    if (participants.size() == static_cast<std::size_t>(place_.clients)) {
      present_ = everyone_;
      return;
    }
    auto next = participants.begin();
    for (std::size_t r = 0; r < present_.count.size(); ++r) {
      const auto end = static_cast<std::uint32_t>(everyone_.start[r] + everyone_.count[r]);
      const auto last = std::partition_point(next, participants.end(),
                                             [end](std::uint32_t client) { return client < end; });
      present_.start[r] = static_cast<int>(next - participants.begin());
      present_.count[r] = everyone_.count[r] == 0 ? 0 : static_cast<int>(last - next);
      if (everyone_.count[r] > 0) next = last;
    }
  }

  // One kind of gather: its MPI type and, on rank 0, what arrived last.
  struct Lane {
    std::unique_ptr<ShareType> share;
    std::size_t bytes = 0;
    Bytes all;
  };

  // Sizes are known on both sides, so no sizes are exchanged.
  void gather(const void* mine, std::size_t bytes_per_client, const Shares& shares, Lane& lane) {
    if (lane.share == nullptr || lane.bytes != bytes_per_client) {
      lane.share = std::make_unique<ShareType>(bytes_per_client);
      lane.bytes = bytes_per_client;
    }
    if (place_.rank == 0)
      lane.all.resize(bytes_per_client *
                      static_cast<std::size_t>(shares.start.back() + shares.count.back()));
    const int own = shares.count[static_cast<std::size_t>(place_.rank)];
    check_mpi(MPI_Gatherv(mine, own, lane.share->get(), lane.all.data(), shares.count.data(),
                          shares.start.data(), lane.share->get(), 0, MPI_COMM_WORLD),
              "MPI_Gatherv of client shares");
  }

  // First where the messages end in those of their rank, then the bytes.
  Packets gather_varying(const Packets& mine, std::size_t participants) {
    constexpr std::size_t width = sizeof(std::uint64_t);
    gather(mine.ends().data(), width, present_, sizes_);
    bytes_.count.assign(present_.count.size(), 0);
    bytes_.start.assign(present_.count.size(), 0);
    ends_.resize(place_.rank == 0 ? participants : 0);
    std::uint64_t total = 0;
    if (place_.rank == 0) {
      if (participants > 0) std::memcpy(ends_.data(), sizes_.all.data(), participants * width);
      for (std::size_t r = 0; r < present_.count.size(); ++r) {
        const auto own = std::span(ends_).subspan(static_cast<std::size_t>(present_.start[r]),
                                                  static_cast<std::size_t>(present_.count[r]));
        bytes_.start[r] = mpi_count(total);
        bytes_.count[r] = own.empty() ? 0 : mpi_count(own.back());
        for (auto& end : own) end += total;
        total += static_cast<std::uint64_t>(bytes_.count[r]);
      }
      traffic_.up += width * (participants - static_cast<std::size_t>(present_.count[0])) + total -
                     static_cast<std::uint64_t>(bytes_.count[0]);
      if (all_.size() < total) all_.resize(total);
    }
    check_mpi(
        MPI_Gatherv(mine.bytes().data(), mpi_count(mine.bytes().size()), MPI_BYTE, all_.data(),
                    bytes_.count.data(), bytes_.start.data(), MPI_BYTE, 0, MPI_COMM_WORLD),
        "MPI_Gatherv of messages");
    return Packets::varying(std::span(all_).first(total), ends_);
  }

  Placement place_;
  Shares everyone_, present_;
  Lane messages_, numbers_;
  // Of messages that differ in size.
  Lane sizes_;
  Shares bytes_;
  std::vector<std::uint64_t> ends_;
  Bytes all_;
};

}  // namespace

std::unique_ptr<Exchange> make_mpi_exchange(const Placement& placement) {
  return std::make_unique<MpiExchange>(placement);
}

}  // namespace trilemma
