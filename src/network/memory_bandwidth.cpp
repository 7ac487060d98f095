#include "network/memory_bandwidth.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/clock.hpp"

namespace trilemma {

double memory_bandwidth(const Communicator& ranks) {
  constexpr int passes = 10;
  constexpr double factor = 3;
  const std::size_t count = triad_bytes / (3 * sizeof(double));
  std::vector<double> a(count, 0.0);
  std::vector<double> b(count, 1.0);
  const std::vector<double> c(count, 2.0);
  Ledger ledger;  // of no run
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < passes; ++pass) {
    ranks.barrier();
    const double begun = now_seconds();
    for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + factor * c[i];
    const double taken = now_seconds() - begun;
    // The result is the next pass's input: otherwise nothing need be computed.
    std::swap(a, b);
    best = std::min(best, ranks.largest(taken, {ledger, Use::control}));
  }
  return static_cast<double>(ranks.size()) * static_cast<double>(triad_bytes) / best;
}

}  // namespace trilemma
