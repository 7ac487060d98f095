#pragma once
// What a run file says and should not say, as values.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace trilemma {

/// In which way a recorded value is wrong.
enum class Mismatch {
  configuration,  ///< another one follows from the configuration
  above,          ///< larger than the configuration allows
  below,          ///< smaller than the configuration allows
  elsewhere,      ///< the file has another value at another place
  falls,          ///< smaller than in an earlier row, of a value that never falls
  odd,            ///< no value that a run records: infinite, or not a whole number
  missing,        ///< not in the file
  unexpected,     ///< in the file, where the configuration keeps it back
  unfinished,     ///< the file calls itself complete with fewer rounds
  exceeded,       ///< more privacy loss than was promised
  changed,        ///< the file is not as it was written
  unsummed,       ///< the file calls itself complete without a checksum
  rerun,          ///< the repeated run has another value
};

/// "configuration", "above", ...: the names of the JSON output.
const char* name(Mismatch mismatch);

/// A value of a run file that cannot be right, with all digits.
struct Difference {
  using Value = std::variant<double, std::string>;
  Mismatch kind = Mismatch::configuration;
  std::string field;  ///< its place in the file: an attribute, or a data set as /rounds/epsilon
  Value recorded, expected;
  std::optional<std::uint64_t> row = {};  ///< the first one that is wrong, of a data set
  std::string place = {};                 ///< elsewhere: of the other value
};

/// One clause: both values, numbers with six digits unless these are the same.
std::string in_words(const Difference& difference);

/// The first ones, joined by "; ", and how many more there are.
std::string in_words(const std::vector<Difference>& differences);

/// Equal within a relative tolerance; NaN equals NaN, and an infinite number itself.
bool same_number(double a, double b, double tolerance = 1e-9);

}  // namespace trilemma
