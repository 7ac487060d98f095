#include "comm/mail.hpp"

#include "comm/mpi_count.hpp"
#include "comm/rank_group.hpp"

namespace trilemma {
namespace {

// MPI has 32767 tags at least; other messages use the first ones.
int tag_of(std::uint32_t round) {
  constexpr int first = 16;
  constexpr std::uint32_t tags = 32'000;
  return first + static_cast<int>(round % tags);
}

}  // namespace

struct Mail::Sending {
  Bytes bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

struct Mail::Arrival {
  MPI_Message message = MPI_MESSAGE_NULL;
};

Mail::Mail(Communicator ranks) : ranks_(std::move(ranks)), arrival_(std::make_unique<Arrival>()) {}

// A run that ends early leaves requests behind, whose memory MPI may still read: the job ends with
// it.
Mail::~Mail() = default;

void Mail::send(std::uint32_t round, std::span<const std::byte> bytes) {
  Sending* free = nullptr;
  for (Sending& sending : sendings_) {
    int done = 0;
    check_mpi(MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) free = &sending;
  }
  Sending& sending = free != nullptr ? *free : sendings_.emplace_back();
  sending.bytes.assign(bytes.begin(), bytes.end());
  check_mpi(MPI_Isend(sending.bytes.data(), mpi_count(bytes.size()), MPI_BYTE, 0, tag_of(round),
                      ranks_.group().comm, &sending.request),
            "MPI_Isend");
}

void Mail::finish() {
  for (Sending& sending : sendings_)
    check_mpi(MPI_Wait(&sending.request, MPI_STATUS_IGNORE), "MPI_Wait");
}

Mail::Envelope Mail::next(std::uint32_t round) { return next_from(MPI_ANY_SOURCE, round); }

Mail::Envelope Mail::next_from(int rank, std::uint32_t round) {
  MPI_Status status;
  check_mpi(MPI_Mprobe(rank, tag_of(round), ranks_.group().comm, &arrival_->message, &status),
            "MPI_Mprobe");
  int count = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  return {status.MPI_SOURCE, static_cast<std::size_t>(count)};
}

void Mail::receive(std::span<std::byte> bytes, LedgerEntry entry) {
  check_mpi(MPI_Mrecv(bytes.data(), mpi_count(bytes.size()), MPI_BYTE, &arrival_->message,
                      MPI_STATUS_IGNORE),
            "MPI_Mrecv");
  entry.book(bytes.size());
}

}  // namespace trilemma
