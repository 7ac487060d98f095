// Tests on several ranks. All ranks run all tests together; a test fails where it fails on any
// rank.

#include <gtest/gtest.h>

#include <cstdio>

#include "comm/session.hpp"
#include "tests/ranks/world.hpp"

namespace trilemma::testing {
namespace {

Placement here;

// The other ranks are silent but for what fails.
class Failures final : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed())
      std::printf("rank %d: %s:%d: %s\n", here.rank, result.file_name(), result.line_number(),
                  result.summary());
  }
};

}  // namespace

const Placement& world() { return here; }

Placement spread(int clients, bool server_hosts) {
  Placement place = here;
  place.clients = clients;
  place.server_hosts = server_hosts;
  return place;
}

Placement alone(int clients) { return {.clients = clients}; }

Ranks ranks_of(const Placement& place) {
  return Ranks(place, place.size > 1 ? Communicator::world() : Communicator());
}

namespace {

// Runs all tests; 0 where they have passed on all ranks.
int run_all(int argc, char** argv) {
  const Session session(argc, argv);
  here = session.place();
  ::testing::InitGoogleTest(&argc, argv);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (here.rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
  }
  const int good = RUN_ALL_TESTS() == 0 ? 1 : 0;
  return ranks_of(spread(here.size)).smallest(good) == 1 ? 0 : 1;
}

}  // namespace
}  // namespace trilemma::testing

int main(int argc, char** argv) { return trilemma::testing::run_all(argc, argv); }
