#pragma once
// Differences between recorded and expected values of a run file.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/field.hpp"

namespace trilemma {

/// Why a recorded value is wrong.
enum class Mismatch {
  configuration,  ///< another value follows from the configuration
  above,          ///< larger than the configuration allows
  below,          ///< smaller than the configuration allows
  elsewhere,      ///< the file has another value at another place
  falls,          ///< smaller than in an earlier row, though the value never decreases
  odd,            ///< a value that no run records: infinite, or not a whole number
  missing,        ///< not in the file
  unexpected,     ///< in the file, though the configuration withholds it
  unfinished,     ///< the file calls itself complete with fewer rounds
  exceeded,       ///< more privacy loss than was promised
  changed,        ///< the file is not as it was written
  unsummed,       ///< the file calls itself complete without a checksum
  rerun,          ///< the repeated run has another value
  unknown,        ///< in the file, but this program does not know it
  refused,        ///< this program does not accept it
};

/// Returns "configuration", "above", ...: the name in the JSON output.
const char* name(Mismatch mismatch);

/// A wrong value of a run file, with all its digits.
struct Difference {
  using Value = std::variant<double, std::string>;
  Mismatch kind = Mismatch::configuration;
  std::string field =
      {};  ///< place in the file: an attribute, or a data set such as /rounds/epsilon
  Value recorded = {};
  Value expected = {};
  std::optional<std::uint64_t> row = {};  ///< of a data set: the first wrong row
  std::string place = {};                 ///< for `elsewhere`: place of the other value
};

/// Returns the value of a field for a difference; a list as one text.
Difference::Value difference_value(const FieldValue& value);

/// Returns one clause with both values; numbers have six digits unless these are the same.
std::string in_words(const Difference& difference);

/// Returns the first differences, joined by "; ", and the number of the remaining ones.
std::string in_words(const std::vector<Difference>& differences);

/// Returns whether `a` and `b` are equal within the relative `tolerance`; NaN equals NaN, and an
/// infinite number equals itself.
bool same_number(double a, double b, double tolerance = 1e-9);

}  // namespace trilemma
