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

/// Where what a file records of its privacy is not what follows from its resolved configuration
/// through the table of theorems (`expected`): every field as its table says
/// (facts/privacy_record.hpp), epsilon within 1e-6, and the number of rounds. Comparisons are
/// written so that NaN fails.
std::vector<Difference> privacy_differences(const PrivacyRecord& recorded,
                                            const PrivacyRecord& expected, const RunEnd& end);

/// The verdict on a claim in whose file these differences were found.
Verification verdict_on(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                        std::vector<Difference> differences);

/// Both at once, for what a file records of its privacy alone.
Verification verify(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                    const RunEnd& end);

}  // namespace trilemma
