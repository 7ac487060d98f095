// MPI calls that fail are reported with the name of the call. The calls are replaced through the
// profiling interface: a call named in `failing` returns an error code, every other one goes to the
// library. One process, no launcher.

#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <string>

#include "base/check.hpp"
#include "comm/ranks.hpp"
#include "comm/session.hpp"

namespace {

std::string failing;

bool fails(const char* call) { return failing == call; }

}  // namespace

// Parameters as in the MPI standard.
extern "C" {
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return fails("MPI_Bcast") ? MPI_ERR_COMM : PMPI_Bcast(buffer, count, type, root, comm);
}
int MPI_Gather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
               MPI_Datatype to_type, int root, MPI_Comm comm) {
  return fails("MPI_Gather") ? MPI_ERR_TRUNCATE
                             : PMPI_Gather(from, count, type, to, to_count, to_type, root, comm);
}
int MPI_Gatherv(const void* from, int count, MPI_Datatype type, void* to, const int* counts,
                const int* starts, MPI_Datatype to_type, int root, MPI_Comm comm) {
  return fails("MPI_Gatherv")
             ? MPI_ERR_COMM
             : PMPI_Gatherv(from, count, type, to, counts, starts, to_type, root, comm);
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return fails("MPI_Allreduce") ? MPI_ERR_OP : PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Barrier(MPI_Comm comm) { return fails("MPI_Barrier") ? MPI_ERR_COMM : PMPI_Barrier(comm); }
int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype* made) {
  return fails("MPI_Type_contiguous") ? MPI_ERR_TYPE : PMPI_Type_contiguous(count, old, made);
}
int MPI_Type_commit(MPI_Datatype* type) {
  return fails("MPI_Type_commit") ? MPI_ERR_TYPE : PMPI_Type_commit(type);
}
int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return fails("MPI_Isend") ? MPI_ERR_RANK : PMPI_Isend(from, count, type, to, tag, comm, request);
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return fails("MPI_Wait") ? MPI_ERR_REQUEST : PMPI_Wait(request, status);
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  return fails("MPI_Test") ? MPI_ERR_REQUEST : PMPI_Test(request, done, status);
}
int MPI_Improbe(int from, int tag, MPI_Comm comm, int* found, MPI_Message* message,
                MPI_Status* status) {
  return fails("MPI_Improbe") ? MPI_ERR_TAG : PMPI_Improbe(from, tag, comm, found, message, status);
}
int MPI_Mrecv(void* to, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  return fails("MPI_Mrecv") ? MPI_ERR_TRUNCATE : PMPI_Mrecv(to, count, type, message, status);
}
}

namespace trilemma {
namespace {

class MpiFaults : public ::testing::Test {
 protected:
  void TearDown() override { failing.clear(); }

  /// Expects that `use` works, and that it names `call` once that fails.
  void expect_reported(const char* call, const std::function<void(Ranks&)>& use) {
    Ranks good(place_, Communicator::world());
    EXPECT_NO_THROW(use(good));
    Ranks bad(place_, Communicator::world());
    failing = call;
    try {
      use(bad);
      ADD_FAILURE() << call << " failed and nobody noticed";
    } catch (const LibraryError& error) {
      EXPECT_NE(std::string(error.what()).find(call), std::string::npos) << error.what();
      EXPECT_GT(std::string(error.what()).size(), std::string(call).size() + 10) << "no reason";
    }
    failing.clear();
  }

  Placement place_{.rank = 0, .size = 1, .clients = 2};
  Vector x_ = Vector(10, real{1});
  Bytes messages_ = Bytes(8);
  std::vector<std::uint32_t> everyone_ = {0, 1};
  std::vector<double> numbers_ = {1, 2};
};

TEST_F(MpiFaults, BroadcastOfTheModel) {
  expect_reported("MPI_Bcast", [&](Ranks& ranks) { ranks.broadcast(x_, Use::down); });
  expect_reported("MPI_Bcast", [&](Ranks& ranks) { ranks.broadcast(x_, Use::evaluation); });
  expect_reported("MPI_Bcast", [&](Ranks& ranks) { ranks.broadcast_number(3, Use::control); });
}

TEST_F(MpiFaults, GatherOfMessagesAndNumbers) {
  expect_reported("MPI_Gatherv", [&](Ranks& ranks) {
    ranks.gather_messages(Packets::equal(messages_, 4), everyone_);
  });
  expect_reported("MPI_Gatherv", [&](Ranks& ranks) { ranks.gather_by_client(numbers_, 1); });
  expect_reported("MPI_Gatherv", [&](Ranks& ranks) { ranks.gather_text("host"); });
  expect_reported("MPI_Gather", [&](Ranks& ranks) { ranks.gather_text("host"); });
  expect_reported("MPI_Gather",
                  [&](Ranks& ranks) { ranks.gather_by_rank(numbers_, Use::control); });
}

TEST_F(MpiFaults, GatherOfMessagesThatDifferInSize) {
  const std::vector<std::uint64_t> ends{3, 8};
  expect_reported("MPI_Gatherv", [&](Ranks& ranks) {
    ranks.gather_messages(Packets::varying(messages_, ends), everyone_);
  });
}

// Numbers of clients are counted in pieces, of a type that is made for them.
TEST_F(MpiFaults, TypesOfTheGather) {
  const std::vector<double> numbers(static_cast<std::size_t>(place_.clients) * 2);
  for (const char* call : {"MPI_Type_contiguous", "MPI_Type_commit"})
    expect_reported(call, [&](Ranks& ranks) { ranks.gather_by_client(numbers, 2); });
}

TEST_F(MpiFaults, ReductionAndBarrier) {
  expect_reported("MPI_Allreduce", [&](Ranks& ranks) { ranks.smallest(1); });
  expect_reported("MPI_Barrier", [&](Ranks& ranks) { ranks.barrier(); });
}

// A rank may write to itself.
TEST_F(MpiFaults, Letters) {
  for (const char* call : {"MPI_Isend", "MPI_Wait", "MPI_Test", "MPI_Improbe", "MPI_Mrecv"})
    expect_reported(call, [&](Ranks& ranks) {
      Bytes arrived;
      ranks.send_letter(0, messages_, {});
      while (ranks.next_letter(arrived) != 0) continue;
      EXPECT_EQ(arrived, messages_);
      ranks.send_letter(0, messages_, {});
      ranks.finish_letters();
      while (ranks.next_letter(arrived) != 0) continue;
    });
}

TEST_F(MpiFaults, OneProcessSeesItsOwnMessages) {
  Ranks ranks(place_, Communicator::world());
  for (std::size_t i = 0; i < messages_.size(); ++i) messages_[i] = static_cast<std::byte>(i);
  const auto all = ranks.gather_messages(Packets::equal(messages_, 4), everyone_).bytes();
  EXPECT_EQ(Bytes(all.begin(), all.end()), messages_);
  EXPECT_EQ(ranks.gather_by_rank(numbers_, Use::control), numbers_);
  ranks.broadcast(x_, Use::down);
  // No byte left this rank.
  EXPECT_EQ(ranks.ledger().of(Use::up), 0U);
  EXPECT_EQ(ranks.ledger().of(Use::down), 0U);
}

}  // namespace
}  // namespace trilemma

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  trilemma::Session session(argc, argv, trilemma::StartMpi::always);
  return RUN_ALL_TESTS();
}
