// Files of measured networks, damaged and forged: refused in one sentence, or times that can be.

#include <cmath>

#include "network/network.hpp"
#include "tests/fuzz/change_hdf5.hpp"
#include "tests/fuzz/harness.hpp"

namespace trilemma::fuzz {
namespace {

using testing::TempFolder;

std::string good_file() {
  Report report;
  report.count("ranks", 4, "rank", "MPI processes");
  report.text("rule", "open-mpi", "rule");
  for (const char* name : operation_names)
    report.tables.push_back({name,
                             {{"bytes", "byte", "size", {8, 64, 512}},
                              {"median", "s", "time", {1e-6, 2e-6, 9e-6}},
                              {"low", "s", "time", {1e-6, 1e-6, 8e-6}},
                              {"high", "s", "time", {2e-6, 2e-6, 9e-6}}}});
  const TempFolder folder;
  write_report(folder.at("network.h5"), network_report_kind, report, false);
  const auto bytes = testing::bytes_of(folder.at("network.h5"));
  return {bytes.begin(), bytes.end()};
}

void read_network(const std::string& input, const TempFolder& folder) {
  folder.write("network.h5", input);
  for (const int ranks : {0, 7, 3000}) {
    const Network network = Network::from_file(folder.at("network.h5"), ranks);
    promise(network.spread() >= 0 && std::isfinite(network.spread()), "a spread");
    promise(network.ranks() >= 2 && (ranks == 0 || network.ranks() == ranks), "a number of ranks");
    for (const double bytes : {1.0, 100.0, 1e6}) {
      const Call call = network.call(Operation::broadcast, bytes);
      promise(std::isfinite(call.seconds) && call.seconds >= 0, "a time");
      promise(call.doubt >= 0, "a doubt");
    }
  }
}

}  // namespace

Harness network_harness() { return {{good_file()}, {read_network}, change_hdf5}; }

}  // namespace trilemma::fuzz
