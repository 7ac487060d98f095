#include "network/common_clock.hpp"

#include <array>
#include <limits>

#include "base/clock.hpp"

namespace trilemma {

double CommonClock::now() const { return now_seconds() + offset_; }

// The shortest of several exchanges gives the best estimate of the other clock.
void CommonClock::compare() {
  constexpr int exchanges = 10;
  Ledger ledger;
  const LedgerEntry entry{ledger, Use::control};
  double value = 0;
  const auto bytes = std::as_writable_bytes(std::span(&value, 1));
  const double begin = now_seconds();
  for (int other = 1; other < ranks_.size(); ++other) {
    if (ranks_.rank() == other) {
      for (int i = 0; i < exchanges; ++i) {
        ranks_.receive(bytes, 0, entry);
        value = now_seconds();
        ranks_.send(bytes, 0, entry);
      }
      ranks_.receive(bytes, 0, entry);
      offset_ = value;
    } else if (ranks_.rank() == 0) {
      double shortest = std::numeric_limits<double>::infinity();
      double offset = 0;
      for (int i = 0; i < exchanges; ++i) {
        const double sent = now_seconds();
        ranks_.send(bytes, other, entry);
        ranks_.receive(bytes, other, entry);
        const double back = now_seconds();
        if (back - sent >= shortest) continue;
        shortest = back - sent;
        offset = 0.5 * (sent + back) - value;
      }
      value = offset;
      ranks_.send(bytes, other, entry);
    }
  }
  compared_ = now_seconds();
  duration_ = compared_ - begin;
  is_compared_ = true;
}

double CommonClock::start() {
  // Clocks drift by some parts in a million; comparing them must stay a small share of the work.
  constexpr double fresh_seconds = 0.1;
  constexpr double share = 20;
  Ledger ledger;
  const LedgerEntry entry{ledger, Use::control};
  std::array<double, 2> word{};
  const auto bytes = std::as_writable_bytes(std::span(word));
  if (ranks_.rank() == 0) {
    const double age = now_seconds() - compared_;
    const bool is_fresh = is_compared_ && age < std::max(fresh_seconds, share * duration_);
    word[0] = is_fresh ? 0 : 1;
  }
  ranks_.broadcast(bytes, entry);
  if (word[0] != 0) compare();
  ranks_.barrier();
  word[1] = now_seconds() + ahead_;
  ranks_.broadcast(bytes, entry);
  in_time_ = now() < word[1];
  while (now() < word[1]) {
  }
  return word[1];
}

}  // namespace trilemma
