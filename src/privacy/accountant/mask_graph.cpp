#include "privacy/accountant/mask_graph.hpp"

#include <boost/math/distributions/hypergeometric.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace trilemma::accounting {
namespace {

// Returns P[X >= t] of X ~ hypergeometric: of `drawn` from `all`, `special` of which count.
double tail(double all, double special, double drawn, double t) {
  if (t <= 0) return 1;
  if (t > std::min(special, drawn)) return 0;
  // Boost's distribution refuses t - 1 below its least value, where the tail is 1.
  if (t - 1 < std::max(0.0, special + drawn - all)) return 1;
  return boost::math::cdf(
      boost::math::complement(boost::math::hypergeometric(static_cast<std::uint64_t>(special),
                                                          static_cast<std::uint64_t>(drawn),
                                                          static_cast<std::uint64_t>(all)),
                              static_cast<std::uint64_t>(t - 1)));
}

// Returns the least t from max(t, k/3) on with n P[X >= t] < 2^-40; above k if there is none.
std::uint32_t threshold_of(const MaskTask& task, std::uint32_t k, std::uint32_t t) {
  const double n = task.clients;
  t = std::max(t, k / 3);
  while (t <= k && !(n * tail(n - 1, task.corrupt, k, t) < 0x1p-40)) ++t;
  return t;
}

// Returns whether every client keeps t neighbours and the ring stays connected. The client itself
// is one of those that are left.
bool survives(const MaskTask& task, std::uint32_t k, std::uint32_t t) {
  const double n = task.clients;
  const double left = n - task.dropouts - 1;
  const double gone = static_cast<double>(task.corrupt) + task.dropouts;
  // Y < t means that more than k - t neighbours are gone.
  return n * tail(n - 1, n - 1 - left, k, k - t + 1) < 0x1p-30 &&
         n * std::pow(gone / n, k / 2.0) < 0x1p-40;
}

}  // namespace

MaskGraph mask_graph(const MaskTask& task) {
  if (task.clients < task.corrupt + task.dropouts + 2)
    throw std::invalid_argument("of " + std::to_string(task.clients) + " clients, " +
                                std::to_string(task.corrupt) + " may work with the server and " +
                                std::to_string(task.dropouts) +
                                " may drop out, which leaves fewer than two");
  std::uint32_t t = 2;
  for (std::uint32_t k = 4; k + 1 < task.clients; k += 2) {
    // More neighbours need no smaller threshold.
    t = threshold_of(task, k, t);
    if (t <= k && survives(task, k, t)) return {k, t};
  }
  const std::uint32_t others = task.clients - 1;
  return {others, std::max(task.corrupt + 1, std::min(2U, others - task.dropouts))};
}

}  // namespace trilemma::accounting
