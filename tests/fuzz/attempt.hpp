#pragma once

#include <string>

#include "tests/fuzz/harness.hpp"

namespace trilemma::fuzz {

/// How the readings of inputs have ended.
struct Counts {
  std::uint64_t read = 0, refused = 0;
  std::uint64_t broken = 0;  ///< of the refused: the library broke down, in a process of its own
};

/// Tries inputs in this process, with limits on memory where no sanitizer needs it.
class Trial {
 public:
  /// What is printed to stderr from here on goes to a file in the folder.
  explicit Trial(const testing::TempFolder& folder);
  /// What is wrong with how the readers take the input; empty if nothing. A good input must be read
  /// by one of them.
  std::string attempt(const Harness& harness, const std::string& input, bool is_good,
                      Counts& counts);

 private:
  const testing::TempFolder& folder_;
};

/// What was printed to stderr, cut off.
std::string printed_in(const testing::TempFolder& folder);

/// Most memory that this process, or one that it has started, has had, in KiB.
long largest_process();

}  // namespace trilemma::fuzz
