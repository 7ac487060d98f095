#include "base/process_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "base/check.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

// Lowers `least` to the limit in `file`, a system file that contains a single number of bytes. The
// word "max", or a missing file, means no limit.
void take_limit(const char* file, double& least) {
  double limit = 0;
  if (std::ifstream(file) >> limit && limit > 0) least = std::min(least, limit);
}

double found_limit() {
  double least =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  take_limit("/sys/fs/cgroup/memory.max", least);
  take_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes", least);
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      least = std::min(least, static_cast<double>(limit.rlim_cur));
  }
  return least;
}

}  // namespace

double memory_limit() { return found_limit(); }

void require_memory(const std::string& what, double bytes, const std::string& remedy) {
  const double limit = memory_limit();
  require(bytes <= limit, "{} would take at least {}, and this process can have {} at most; {}",
          what, with_prefix(bytes, "B"), with_prefix(limit, "B"), remedy);
}

void limit_further_memory(double bytes) {
  double pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return;
  const double wanted = pages * static_cast<double>(sysconf(_SC_PAGESIZE)) + bytes;
  rlimit memory{};
  if (getrlimit(RLIMIT_AS, &memory) != 0) return;
  memory.rlim_cur = std::min(memory.rlim_cur, static_cast<rlim_t>(wanted));
  setrlimit(RLIMIT_AS, &memory);
}

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
