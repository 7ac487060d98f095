#pragma once

#include "claim/claim.hpp"
#include "claim/difference.hpp"

namespace trilemma {

/// holds and fails as the account says; unchecked: the record does not allow to say.
enum class Verdict { holds, fails, unchecked };

/// "holds", "fails" or "unchecked"; the same as the beginning of a sentence.
const char* name(Verdict verdict);
const char* words(Verdict verdict);

/// What was found, and why.
struct Verification {
  Verdict verdict = Verdict::unchecked;
  std::string reason;                     ///< one sentence
  std::vector<Difference> differences;    ///< why it fails
  std::optional<PrivacyRecord> expected;  ///< what follows from the configuration, if known
};

/// What the file tells of the run itself.
struct RunEnd {
  double rows = 0;           ///< of /rounds: states after 0, 1, ... rounds
  bool is_complete = false;  ///< the file says that the run has come to its end
};

/// Returns the fields of `recorded` that differ from `expected`, which follows from the resolved
/// configuration through the table of theorems: each field is compared as its table says
/// (record/privacy_record.hpp), epsilon within 1e-6; the number of rounds is compared with `end`.
/// Comparisons are written so that NaN fails.
std::vector<Difference> privacy_differences(const PrivacyRecord& recorded,
                                            const PrivacyRecord& expected, const RunEnd& end);

/// Returns the verdict on a claim in whose file `differences` were found.
Verification verdict_on(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                        std::vector<Difference> differences);

/// Combines both for the privacy record of a file alone.
Verification verify(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                    const RunEnd& end);

}  // namespace trilemma
