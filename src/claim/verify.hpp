#pragma once

#include "claim/claim.hpp"
#include "claim/difference.hpp"

namespace trilemma {

/// Result of checking a claim: it holds, it fails, it cannot be checked, or the run makes none.
enum class Verdict { holds, fails, unchecked, no_claim };

/// Returns "holds", "fails", "unchecked" or "no_claim"; words() returns the beginning of a sentence
/// such as "claim holds".
const char* name(Verdict verdict);
const char* words(Verdict verdict);

/// The verdict on a claim and its reasons.
struct Verification {
  Verdict verdict = Verdict::unchecked;
  std::string reason;  ///< one sentence; of a claim that holds the claim and its limits
  std::string claim;   ///< what holds: "(2, 1e-05)-DP for ..."; empty unless a claim holds
  std::vector<std::string> outside;     ///< uses and releases of the data that it does not cover
  std::string remarks;                  ///< on the claim, each after "; "
  std::vector<Difference> differences;  ///< why it fails
  /// The record that follows from the configuration, if known.
  std::optional<PrivacyRecord> expected;
};

/// Extent of the run according to the file.
struct RunEnd {
  double rows = 0;           ///< number of rows of /rounds: states after 0, 1, ... rounds
  bool is_complete = false;  ///< the file says that the run is complete
};

/// Returns the fields of `recorded` that differ from `expected`, which follows from the resolved
/// configuration through the table of theorems. privacy_fields() (record/privacy_record.hpp) says
/// how each field is compared; epsilon is compared within 1e-6. The number of rounds is compared
/// with `end`. Comparisons are written so that NaN fails.
std::vector<Difference> privacy_differences(const PrivacyRecord& recorded,
                                            const PrivacyRecord& expected, const RunEnd& end);

/// Returns the verdict on the claim of a file in which `differences` were found: `fails` if there
/// are any, or if the account exceeds the promised epsilon.
Verification verdict_on(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                        std::vector<Difference> differences);

/// Returns the verdict on a claim from the privacy record of its file alone: that of verdict_on()
/// for the result of privacy_differences().
Verification verify(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                    const RunEnd& end);

}  // namespace trilemma
