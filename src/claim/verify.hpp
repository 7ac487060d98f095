#pragma once

#include <variant>

#include "claim/claim.hpp"

namespace trilemma {

/// holds and fails as the account says; unchecked: the record does not allow to say.
enum class Verdict { holds, fails, unchecked };

/// "holds", "fails" or "unchecked"; the same as the beginning of a sentence.
const char* name(Verdict verdict);
const char* words(Verdict verdict);

/// A field that does not say what follows from the configuration, with all digits.
struct Difference {
  using Value = std::variant<double, std::string>;
  std::string field;
  Value recorded, expected;
};

/// Both values, numbers with six digits unless these are the same.
std::string in_words(const Difference& difference);

/// What was found, and why.
struct Verification {
  Verdict verdict = Verdict::unchecked;
  std::string reason;                     ///< one sentence
  std::optional<Difference> difference;   ///< why it fails, where that is one
  std::optional<PrivacyRecord> expected;  ///< what follows from the configuration, if known
};

/// What the file tells of the run itself.
struct RunEnd {
  double rows = 0;           ///< of /rounds: states after 0, 1, ... rounds
  bool is_complete = false;  ///< the file says that the run has come to its end
};

/// Compares what a file records of its privacy with `expected`, which follows from its resolved
/// configuration through the table of theorems: every field but those about the accountant's work,
/// epsilon within 1e-6, and what the rounds have shown. Comparisons are written so that NaN fails.
Verification verify(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                    const RunEnd& end);

}  // namespace trilemma
