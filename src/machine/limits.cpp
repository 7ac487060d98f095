#include "machine/limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/check.hpp"
#include "base/text.hpp"
#include "machine/system_file.hpp"

namespace trilemma {
namespace {

namespace fs = std::filesystem;

// Returns the folder `mount` and those of the control groups that contain this process, from the
// outermost to its own: each of them can limit it. Slurm limits a job, not the innermost group of a
// task. `controller` is "memory" or "cpu" of control groups v1, or "" of v2.
std::vector<fs::path> group_folders(const std::string& root, const std::string& mount,
                                    const std::string& controller) {
  std::vector<fs::path> folders{root + "/sys/fs/cgroup" + mount};
  std::ifstream in(root + "/proc/self/cgroup");
  // Lines NUMBER:CONTROLLERS:PATH, such as "4:cpu,cpuacct:/a/b", or "0::/a/b" of v2.
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find("," + controller + ",") == std::string::npos) continue;
    fs::path folder = folders.front();
    for (const fs::path& part : fs::path(line.substr(second + 1)).relative_path())
      folders.push_back(folder /= part);
  }
  return folders;
}

// Returns the smallest limit of all control groups around this process, in cores or bytes; infinity
// without one. `of_v2` and `of_v1` return that of one folder; the word "max" in its files, and -1,
// mean no limit. `controller` is that of v1.
template <class LimitOf, class LimitOfV1>
double least_of(const std::string& root, const std::string& controller, const LimitOf& of_v2,
                const LimitOfV1& of_v1) {
  double least = std::numeric_limits<double>::infinity();
  const auto take = [&](const auto& limit_of, const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders)
      if (const double limit = limit_of(folder.string()); limit > 0) least = std::min(least, limit);
  };
  for (const char* mount : {"", "/unified"}) take(of_v2, group_folders(root, mount, ""));
  take(of_v1, group_folders(root, "/" + controller, controller));
  return least;
}

}  // namespace

double granted_cores(const std::string& root) {
  return least_of(
      root, "cpu",
      [](const std::string& group) {
        double quota = 0;
        double period = 0;
        return std::ifstream(group + "/cpu.max") >> quota >> period ? quota / period : not_known;
      },
      [](const std::string& group) {
        return number_in(group + "/cpu.cfs_quota_us") / number_in(group + "/cpu.cfs_period_us");
      });
}

double memory_limit(const std::string& root) {
  const double all =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const double granted = least_of(
      root, "memory", [](const std::string& group) { return number_in(group + "/memory.max"); },
      [](const std::string& group) { return number_in(group + "/memory.limit_in_bytes"); });
  double least = std::min(all, granted);
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
