#pragma once

#include "record/privacy_record.hpp"

namespace trilemma {

/// holds and fails as the account says; unchecked: the record does not allow to say.
enum class Verdict { holds, fails, unchecked };

/// What was found, and why.
struct Verification {
  Verdict verdict;
  std::string reason;  ///< one sentence
  double epsilon;      ///< recomputed; NaN where it was not
};

/// Accounts a run anew from what its file records and nothing else, and compares: the recorded
/// epsilon within 1e-6, the parts with each other, the rounds that were run. `problem` is what kept
/// the record from being read in full.
Verification verify(const PrivacyRecord& record, const std::string& problem);

}  // namespace trilemma
