#include "record/privacy_tally.hpp"

#include <cmath>

namespace trilemma {

void PrivacyTally::add(std::int64_t round, std::uint64_t drawn_so_far, double norm) {
  const auto in_round = static_cast<double>(drawn_so_far - drawn_);
  drawn_ = drawn_so_far;
  record_.rounds_executed = static_cast<double>(round);
  if (!withheld_.holds(Provenance::updates))
    record_.bound_observed = std::fmax(record_.bound_observed, norm);
  if (round == 0 || withheld_.holds(Provenance::drawn_records)) return;
  record_.drawn_least = std::fmin(record_.drawn_least, in_round);
  record_.drawn_most = std::fmax(record_.drawn_most, in_round);
  record_.drawn_mean = static_cast<double>(drawn_) / record_.rounds_executed;
}

}  // namespace trilemma
