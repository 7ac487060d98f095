#pragma once
// The answers of `trilemma verify` as text.

#include <string>
#include <vector>

#include "claim/verify.hpp"

namespace trilemma {

/// What was found of a file.
struct VerifiedFile {
  std::string file;
  Verdict verdict = Verdict::unchecked;
  std::string reason;  ///< one sentence
  double epsilon = 0, delta = 0;
  std::string terms;  ///< of a claim that holds: the unit, the relation and the adversary
  std::vector<std::string> outside;
  std::string remarks;
};

/// Returns the verdict and its reason in one paragraph, which begins with the name of the file if
/// `has_name`.
std::string to_text(const VerifiedFile& file, bool has_name, std::size_t columns);
/// Returns the verdicts in one paragraph: how many claims hold and which, then exceptions by the
/// names of their files, then once what the claims do not cover.
std::string to_text(const std::vector<VerifiedFile>& files, std::size_t columns);

}  // namespace trilemma
