#include <algorithm>
#include <limits>

#include "comm/exchange.hpp"
#include "comm/mpi_check.hpp"

namespace trilemma {
namespace {

// A contiguous MPI type of one client's share, so that counts are numbers of clients and stay
// small.
class ShareType {
 public:
  explicit ShareType(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw RunFailure(fmt::format("a share of {} bytes is above MPI's limit of 2 GiB", bytes));
    check_mpi(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_),
              "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~ShareType() { MPI_Type_free(&type_); }
  ShareType(const ShareType&) = delete;
  ShareType& operator=(const ShareType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

class MpiExchange final : public Exchange {
 public:
  explicit MpiExchange(const Placement& placement) : place_(placement) {
    for (int r = 0; r < place_.size; ++r) {
      counts_.push_back(place_.count(r));
      starts_.push_back(place_.first(r));
    }
  }

  void broadcast_model(View x) override { traffic_.down += broadcast(x); }
  void broadcast_for_evaluation(View x) override { traffic_.evaluation += broadcast(x); }

  std::span<const std::byte> gather_messages(std::span<const std::byte> mine,
                                             std::size_t bytes) override {
    gather(mine.data(), bytes, messages_);
    traffic_.up += bytes * remote_clients();
    return messages_.all;
  }

  std::span<const double> gather_by_client(std::span<const double> mine,
                                           std::size_t each) override {
    gather(mine.data(), each * sizeof(double), numbers_);
    traffic_.evaluation += each * sizeof(double) * remote_clients();
    return {reinterpret_cast<const double*>(numbers_.all.data()),
            numbers_.all.size() / sizeof(double)};
  }

  std::vector<double> gather_by_rank(std::span<const double> mine) override {
    std::vector<double> all(place_.rank == 0 ? mine.size() * static_cast<std::size_t>(place_.size)
                                             : 0);
    const auto count = static_cast<int>(mine.size());
    check_mpi(MPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0,
                         MPI_COMM_WORLD),
              "MPI_Gather of phase times");
    traffic_.evaluation += mine.size() * sizeof(double) * static_cast<std::size_t>(place_.size - 1);
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

  int broadcast_number(int value) override {
    check_mpi(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
    traffic_.evaluation += sizeof(int) * static_cast<std::size_t>(place_.size - 1);
    return value;
  }

  int smallest(int value) override {
    int result = value;
    check_mpi(MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    return result;
  }

  void barrier() override { check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }

 private:
  std::size_t remote_clients() const {
    return static_cast<std::size_t>(place_.clients - counts_[0]);
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
    return x.size() * width * static_cast<std::size_t>(place_.size - 1);
  }

  // One kind of gather: its MPI type and, on rank 0, what arrived last.
  struct Lane {
    std::unique_ptr<ShareType> share;
    std::size_t bytes = 0;
    Bytes all;
  };

  // Sizes are known on both sides, so no sizes are exchanged.
  void gather(const void* mine, std::size_t bytes_per_client, Lane& lane) {
    if (lane.share == nullptr || lane.bytes != bytes_per_client) {
      lane.share = std::make_unique<ShareType>(bytes_per_client);
      lane.bytes = bytes_per_client;
    }
    if (place_.rank == 0)
      lane.all.resize(bytes_per_client * static_cast<std::size_t>(place_.clients));
    const int own = counts_[static_cast<std::size_t>(place_.rank)];
    check_mpi(MPI_Gatherv(mine, own, lane.share->get(), lane.all.data(), counts_.data(),
                          starts_.data(), lane.share->get(), 0, MPI_COMM_WORLD),
              "MPI_Gatherv of client shares");
  }

  Placement place_;
  std::vector<int> counts_, starts_;
  Lane messages_, numbers_;
};

}  // namespace

std::unique_ptr<Exchange> make_mpi_exchange(const Placement& placement) {
  return std::make_unique<MpiExchange>(placement);
}

}  // namespace trilemma
