#include "base/peak_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace trilemma {

double peak_memory() {
  constexpr double kibibyte = 1024;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double value = 0;
    if (word == "VmHWM:" && status >> value) return kibibyte * value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace trilemma
