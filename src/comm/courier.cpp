#include "comm/courier.hpp"

#include "comm/mpi_count.hpp"
#include "comm/rank_group.hpp"

namespace trilemma {
namespace {

// Updates have tags of their own (comm/mail.cpp).
constexpr int letter_tag = 15;

}  // namespace

struct Courier::Sending {
  Bytes bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

Courier::Courier(Communicator ranks) : ranks_(std::move(ranks)) {}

// A run that ends early leaves requests behind, whose memory MPI may still read: the job ends with
// it.
Courier::~Courier() = default;

void Courier::send(int to, std::span<const std::byte> letter, std::span<const std::byte> model,
                   Ledger& ledger) {
  Sending* free = nullptr;
  for (Sending& sending : sendings_) {
    int done = 0;
    check_mpi(MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) free = &sending;
  }
  if (free == nullptr) free = &sendings_.emplace_back();
  free->bytes.assign(letter.begin(), letter.end());
  free->bytes.insert(free->bytes.end(), model.begin(), model.end());
  check_mpi(MPI_Isend(free->bytes.data(), mpi_count(free->bytes.size()), MPI_BYTE, to, letter_tag,
                      ranks_.group().comm, &free->request),
            "MPI_Isend");
  if (ranks_.rank() != 0) return;
  ledger.book(Use::control, letter.size());
  ledger.book(Use::down, model.size());
}

int Courier::receive(Bytes& bytes, Ledger& ledger) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int found = 0;
  check_mpi(MPI_Improbe(MPI_ANY_SOURCE, letter_tag, ranks_.group().comm, &found, &message, &status),
            "MPI_Improbe");
  if (found == 0) return -1;
  int count = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  bytes.resize(static_cast<std::size_t>(count));
  check_mpi(MPI_Mrecv(bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  if (ranks_.rank() == 0) ledger.book(Use::control, bytes.size());
  return status.MPI_SOURCE;
}

void Courier::finish() {
  for (Sending& sending : sendings_)
    check_mpi(MPI_Wait(&sending.request, MPI_STATUS_IGNORE), "MPI_Wait");
}

}  // namespace trilemma
