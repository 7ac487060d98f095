#pragma once
// What the rounds of a run have drawn and seen, for the end of /privacy.

#include <cstdint>

#include "base/provenance.hpp"
#include "record/privacy_record.hpp"

namespace trilemma {

/// Counts the drawn records round by round, and keeps the largest norm of a bounded gradient.
class PrivacyTally {
 public:
  /// Keeps nothing that `withheld` holds back.
  explicit PrivacyTally(Provenances withheld) : withheld_(withheld) {}

  /// Adds `round`, after which `drawn_so_far` records have been drawn in all. `norm` is the largest
  /// norm in this round.
  void add(std::int64_t round, std::uint64_t drawn_so_far, double norm);

  /// The record whose end is kept: rounds executed, records drawn a round (least, mean, most), and
  /// the largest norm.
  const PrivacyRecord& record() const { return record_; }

 private:
  Provenances withheld_;
  PrivacyRecord record_;
  std::uint64_t drawn_ = 0;  ///< in all rounds
};

}  // namespace trilemma
