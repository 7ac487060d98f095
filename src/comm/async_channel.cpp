#include "comm/async_channel.hpp"

#include <deque>

#include "comm/mpi_check.hpp"

namespace trilemma {

// Non-blocking sends and the buffers they read. The buffer of a completed send is reused, so that
// rounds do not allocate.
class AsyncChannel::SendPool {
 public:
  // Returns a free buffer; its send must be started before the next call.
  Bytes& buffer() {
    last_ = nullptr;
    for (Sending& sending : sendings_) {
      int done = 0;
      check_mpi(MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done != 0) last_ = &sending;
    }
    if (last_ == nullptr) last_ = &sendings_.emplace_back();
    last_->bytes.clear();
    return last_->bytes;
  }
  // Starts the send of the buffer returned last.
  void start(int to, int tag, MPI_Comm comm) {
    check_mpi(MPI_Isend(last_->bytes.data(), mpi_count(last_->bytes.size()), MPI_BYTE, to, tag,
                        comm, &last_->request),
              "MPI_Isend");
  }
  void finish() {
    for (Sending& sending : sendings_)
      check_mpi(MPI_Wait(&sending.request, MPI_STATUS_IGNORE), "MPI_Wait");
  }

 private:
  struct Sending {
    Bytes bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::deque<Sending> sendings_;  ///< their addresses stay
  Sending* last_ = nullptr;
};

struct AsyncChannel::Arrival {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;

  Envelope envelope() {
    int count = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    return {status.MPI_SOURCE, static_cast<std::size_t>(count)};
  }
};

AsyncChannel::AsyncChannel(Communicator ranks)
    : ranks_(std::move(ranks)),
      sends_(std::make_unique<SendPool>()),
      arrival_(std::make_unique<Arrival>()) {}

// A run that ends early leaves pending requests whose buffers MPI may still read; the job ends with
// the run.
AsyncChannel::~AsyncChannel() = default;

void AsyncChannel::send(int to, int tag, std::initializer_list<Part> parts, Ledger& ledger) {
  Bytes& message = sends_->buffer();
  for (const Part& part : parts)
    message.insert(message.end(), part.bytes.begin(), part.bytes.end());
  sends_->start(to, tag, ranks_.group().comm);
  if (ranks_.rank() != 0) return;
  for (const Part& part : parts) ledger.book(part.use, part.bytes.size());
}

void AsyncChannel::finish() { sends_->finish(); }

AsyncChannel::Envelope AsyncChannel::wait(int tag, int from) {
  check_mpi(MPI_Mprobe(from == any_rank ? MPI_ANY_SOURCE : from, tag, ranks_.group().comm,
                       &arrival_->message, &arrival_->status),
            "MPI_Mprobe");
  return arrival_->envelope();
}

void AsyncChannel::receive_next(int tag, int from, Bytes& bytes) {
  MPI_Comm comm = ranks_.group().comm;
  MPI_Status status;
  check_mpi(MPI_Probe(from, tag, comm, &status), "MPI_Probe");
  int count = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  bytes.resize(static_cast<std::size_t>(count));
  check_mpi(MPI_Recv(bytes.data(), count, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE),
            "MPI_Recv");
}

std::optional<AsyncChannel::Envelope> AsyncChannel::poll(int tag) {
  int found = 0;
  check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag, ranks_.group().comm, &found, &arrival_->message,
                        &arrival_->status),
            "MPI_Improbe");
  if (found == 0) return std::nullopt;
  return arrival_->envelope();
}

void AsyncChannel::receive(std::span<std::byte> bytes, LedgerEntry entry) {
  check_mpi(MPI_Mrecv(bytes.data(), mpi_count(bytes.size()), MPI_BYTE, &arrival_->message,
                      MPI_STATUS_IGNORE),
            "MPI_Mrecv");
  if (ranks_.rank() == 0) entry.book(bytes.size());
}

}  // namespace trilemma
