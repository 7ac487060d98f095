// What the program's exchange of updates costs compared with the bare MPI collective with the same
// bytes:
//
//     mpirun -n 4 build/bench/trilemma_exchange_overhead
//
// Both take turns, in random order, after a barrier each. As in a round, the messages have just
// been written by their rank and all other memory has been used in between. Times are those of the
// slowest rank; the last column is the median over the pairs of ours over bare, with its interval
// of 95 %. For a gather the bytes are those of one rank's messages, for a reduction those of its
// sums.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "base/clock.hpp"
#include "comm/mpi_check.hpp"
#include "comm/ranks.hpp"
#include "comm/session.hpp"
#include "numeric/exact_sum.hpp"
#include "numeric/quantile.hpp"

namespace trilemma {
namespace {

constexpr std::size_t sizes[] = {1U << 10U, 1U << 12U, 1U << 14U, 1U << 16U,
                                 1U << 18U, 1U << 20U, 1U << 22U};
constexpr int pairs = 201;
constexpr std::size_t scratch_bytes = std::size_t{8} << 20U;

// What local work does to the caches.
void use_other_memory() {
  static std::vector<std::uint64_t> scratch(scratch_bytes / sizeof(std::uint64_t));
  for (auto& word : scratch) ++word;
}

void write(std::vector<double>& values, int turn) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 97) + turn;
}

// Rank 0 hosts as many clients as the others: one.
struct Bench {
  Ranks& ranks;
  const Communicator& communicator;
  std::vector<std::uint32_t> participants;
  std::vector<double> message, received, summed;
  ExactSum sum;

  Bench(Ranks& all, const Communicator& comm, std::size_t bytes)
      : ranks(all),
        communicator(comm),
        message(bytes / sizeof(double)),
        received(comm.rank() == 0 ? message.size() * static_cast<std::size_t>(comm.size()) : 0),
        summed(message.size()),
        sum(message.size(), false) {
    for (int i = 0; i < comm.size(); ++i) participants.push_back(static_cast<std::uint32_t>(i));
  }

  void gather() {
    const auto bytes = std::as_bytes(std::span(message));
    const Packets all = ranks.gather_messages(Packets::equal(bytes, bytes.size()), participants);
    if (communicator.rank() == 0 && all.bytes().size() != bytes.size() * participants.size())
      throw LibraryError("a message is missing");
  }
  void bare_gather() {
    const int count = static_cast<int>(message.size() * sizeof(double));
    std::vector<int> counts(participants.size(), count), starts(participants.size());
    for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = static_cast<int>(i) * count;
    check_mpi(MPI_Gatherv(message.data(), count, MPI_BYTE, received.data(), counts.data(),
                          starts.data(), MPI_BYTE, 0, MPI_COMM_WORLD),
              "MPI_Gatherv");
  }
  void prepare_reduce(int turn) {
    sum.begin(participants.size(), 256);
    std::vector<real> values(message.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<real>((i + static_cast<std::size_t>(turn)) % 97);
    sum.add(0, Support::all(), values);
  }
  void reduce() {
    sum.finish([this](std::span<double> part) { ranks.reduce(part, Use::up); });
  }
  void bare_reduce() {
    const bool is_root = communicator.rank() == 0;
    check_mpi(MPI_Reduce(is_root ? MPI_IN_PLACE : summed.data(), is_root ? summed.data() : nullptr,
                         static_cast<int>(summed.size()), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD),
              "MPI_Reduce");
  }
};

template <class Call>
double seconds_of(const Communicator& communicator, Call call) {
  Ledger ledger;
  communicator.barrier();
  const double start = now_seconds();
  call();
  return communicator.largest(now_seconds() - start, {ledger, Use::control});
}

template <class Prepare, class Ours, class Bare>
void compare(const char* name, const Communicator& communicator, std::size_t bytes, Prepare prepare,
             Ours ours, Bare bare) {
  std::mt19937 order(1);  // the same on all ranks
  std::vector<double> of_ours, of_bare, ratio;
  for (int turn = -2; turn < pairs; ++turn) {
    double seconds[2] = {};
    const bool bare_first = (order() & 1U) != 0;
    for (const bool second : {false, true}) {
      const bool is_bare = second != bare_first;
      prepare(turn, is_bare);
      seconds[is_bare ? 1 : 0] =
          is_bare ? seconds_of(communicator, bare) : seconds_of(communicator, ours);
    }
    if (turn < 0) continue;  // to warm up
    of_ours.push_back(seconds[0]);
    of_bare.push_back(seconds[1]);
    ratio.push_back(seconds[0] / seconds[1]);
  }
  for (auto* times : {&of_ours, &of_bare, &ratio}) std::ranges::sort(*times);
  const MedianInterval found = median_interval(ratio);
  if (communicator.rank() == 0)
    std::printf("%-8s%10zu%12.2f%12.2f%10.3f  (%.3f to %.3f)\n", name, bytes,
                1e6 * median_interval(of_ours).median, 1e6 * median_interval(of_bare).median,
                found.median, found.low, found.high);
}

int run(Session& session) {
  const Communicator communicator = session.communicator();
  if (communicator.is_null()) {
    std::fprintf(stderr, "exchange_overhead: start it with mpirun -n 2 or more\n");
    return 2;
  }
  Placement place = session.place();
  place.clients = session.size();
  place.server_hosts = true;
  Ranks ranks(place, communicator);
  if (session.rank() == 0)
    std::printf("%d ranks\n%-8s%10s%12s%12s%10s\n", session.size(), "", "bytes", "ours us",
                "bare us", "ratio");
  for (const std::size_t bytes : sizes) {
    Bench bench(ranks, communicator, bytes);
    const auto write_message = [&](int turn, bool) {
      use_other_memory();
      write(bench.message, turn);
    };
    compare(
        "gather", communicator, bytes, write_message, [&] { bench.gather(); },
        [&] { bench.bare_gather(); });
    const auto write_sums = [&](int turn, bool is_bare) {
      use_other_memory();
      if (is_bare)
        write(bench.summed, turn);
      else
        bench.prepare_reduce(turn);
    };
    compare(
        "reduce", communicator, bytes, write_sums, [&] { bench.reduce(); },
        [&] { bench.bare_reduce(); });
  }
  return 0;
}

}  // namespace
}  // namespace trilemma

int main(int argc, char** argv) {
  trilemma::Session session(argc, argv);
  return trilemma::run(session);
}
