#pragma once
// The group /privacy of a run file: reading, writing, and what is counted for its end.

#include <cstdint>
#include <optional>
#include <string>

#include "base/provenance.hpp"
#include "h5/h5.hpp"
#include "record/privacy_record.hpp"

namespace trilemma {

/// Why a privacy record cannot be verified: a field is missing, or unknown to this program.
struct PrivacyProblem {
  std::string field;       ///< "/privacy/view"
  bool is_missing = true;  ///< false = unknown
};
/// Returns the problem in words: "/privacy/view is missing".
std::string in_words(const PrivacyProblem& problem);

/// Reads the group /privacy up to the first missing field. Sets `problem` if a field is missing or
/// unknown, otherwise resets it.
PrivacyRecord read_privacy(const h5::Group& file, std::optional<PrivacyProblem>& problem);
/// Writes the group /privacy.
void write_privacy(const h5::Group& file, const PrivacyRecord& record);
/// Writes the fields that are known only at the end of a run (Compared::rounds).
void write_privacy_end(const h5::Group& file, const PrivacyRecord& record);

/// Collects these fields during a run: drawn records by round, and the largest norm of a bounded
/// gradient.
class PrivacyTally {
 public:
  /// Collects nothing with a provenance in `withheld`.
  explicit PrivacyTally(Provenances withheld) : withheld_(withheld) {}

  /// Adds `round`. `drawn_so_far` is the number of records drawn in all rounds up to this one,
  /// `norm` the largest norm in this round.
  void add(std::int64_t round, std::uint64_t drawn_so_far, double norm);

  /// Returns a record with only the collected fields set.
  const PrivacyRecord& record() const { return record_; }

 private:
  Provenances withheld_;
  PrivacyRecord record_;
  std::uint64_t drawn_ = 0;  ///< records drawn in all rounds so far
};

}  // namespace trilemma
