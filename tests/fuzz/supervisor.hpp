#pragma once
// Tries inputs in a process of its own, so that a crash, a hang or a sanitizer's report is noticed
// from outside, and goes on after it.

#include <optional>
#include <string>

#include "tests/fuzz/harness.hpp"

namespace trilemma::fuzz {

struct Campaign {
  std::uint64_t seed = 1;
  std::uint64_t inputs = 100;
  std::optional<double> seconds = {};  ///< time limit instead of a number of inputs
  std::string findings = ".";          ///< folder for inputs that were found to be bad
};

/// Tries mutated inputs, those of the corpus first, and prints what came out; every input that is
/// a finding is kept as FINDINGS/NAME-SEED-NUMBER. Gives up after the tenth. Returns how many.
int search(const Format& format, const Campaign& campaign);

/// Tries one input in this process and prints what each reader does. Returns 0 or 1 findings.
int replay(const Format& format, const std::string& input);

}  // namespace trilemma::fuzz
