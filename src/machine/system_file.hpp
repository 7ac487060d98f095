#pragma once
// Small files of the system, as in /proc and /sys, and what stands for a value that it does not
// report.

#include <fstream>
#include <limits>
#include <string>

namespace trilemma {

/// Text of a property that the system does not report. An unknown number is NaN, never 0.
inline constexpr const char* not_available = "not available";
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// Returns the first line of `file`, or an empty text.
inline std::string line_in(const std::string& file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

/// Returns the number with which `file` begins; NaN without one.
inline double number_in(const std::string& file) {
  double value = 0;
  return std::ifstream(file) >> value ? value : not_known;
}

/// Returns the number after the word `key` in `file`; NaN without one.
inline double number_after(const std::string& key, const std::string& file) {
  std::ifstream in(file);
  double value = 0;
  for (std::string word; in >> word;)
    if (word == key && in >> value) return value;
  return not_known;
}

}  // namespace trilemma
