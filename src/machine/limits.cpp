#include "machine/limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "machine/system_file.hpp"

namespace trilemma {
namespace {

// Lowers `least` to the number of bytes with which `file` begins. The word "max", or a missing file,
// means no limit.
void take_limit(const char* file, double& least) {
  const double limit = number_in(file);
  if (limit > 0) least = std::min(least, limit);
}

}  // namespace

double granted_cores() {
  double granted = 0;
  double period = 0;
  if (std::ifstream("/sys/fs/cgroup/cpu.max") >> granted >> period && granted > 0 && period > 0)
    return granted / period;
  granted = number_in("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  period = number_in("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  return granted > 0 && period > 0 ? granted / period : std::numeric_limits<double>::infinity();
}

double memory_limit() {
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

void require_memory(const std::string& what, double bytes, const std::string& remedy) {
  const double limit = memory_limit();
  require(bytes <= limit, "{} would take at least {}, and this process can have {} at most; {}",
          what, with_prefix(bytes, "B"), with_prefix(limit, "B"), remedy);
}

double peak_memory() {
  constexpr double kibibyte = 1024;
  return kibibyte * number_after("VmHWM:", "/proc/self/status");
}

}  // namespace trilemma
