#include "base/cpu_use.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cctype>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "base/clock.hpp"

namespace trilemma {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// Returns the number of "cpu12"; -1 for other words, also for "cpu" alone.
long processor_of(const std::string& word) {
  constexpr std::size_t most_digits = 6;
  if (!word.starts_with("cpu") || word.size() == 3 || word.size() > 3 + most_digits) return -1;
  for (std::size_t i = 3; i < word.size(); ++i)
    if (std::isdigit(static_cast<unsigned char>(word[i])) == 0) return -1;
  return std::stol(word.substr(3));
}

}  // namespace

Processors usable_processors() {
  Processors found;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return found;
  for (std::size_t i = 0; i < found.size() && i < CPU_SETSIZE; ++i) found[i] = CPU_ISSET(i, &set);
  return found;
}

double granted_cores() {
  double granted = 0;
  double period = 0;
  // The file says "max" where there is no limit.
  if (std::ifstream("/sys/fs/cgroup/cpu.max") >> granted >> period && granted > 0 && period > 0)
    return granted / period;
  if (std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> granted && granted > 0 &&
      std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period && period > 0)
    return granted / period;
  return std::numeric_limits<double>::infinity();
}

ProcessorSeconds processor_seconds(std::string_view stat, const Processors& which,
                                   double ticks_per_second) {
  ProcessorSeconds sum;
  bool is_known = false;
  std::istringstream text{std::string(stat)};
  for (std::string line; std::getline(text, line) && line.starts_with("cpu");) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const long number = processor_of(name);
    if (number < 0 || static_cast<std::size_t>(number) >= which.size() ||
        !which[static_cast<std::size_t>(number)])
      continue;
    double user = 0, nice = 0, system = 0, idle = 0, disk = 0, irq = 0, soft_irq = 0, stolen = 0;
    if (!(words >> user >> nice >> system >> idle >> disk >> irq >> soft_irq >> stolen)) continue;
    sum.busy += user + nice + system + irq + soft_irq;
    sum.stolen += stolen;
    is_known = true;
  }
  if (!is_known || !(ticks_per_second > 0)) return {not_known, not_known};
  return {sum.busy / ticks_per_second, sum.stolen / ticks_per_second};
}

CpuUse cpu_use(const Processors& which) {
  CpuUse use;
  use.at = now_seconds();
  std::ostringstream stat;
  stat << std::ifstream("/proc/stat").rdbuf();
  use.machine = processor_seconds(stat.str(), which, static_cast<double>(sysconf(_SC_CLK_TCK)));
  rusage own{};
  use.own = getrusage(RUSAGE_SELF, &own) == 0 ? seconds_of(own.ru_utime) + seconds_of(own.ru_stime)
                                              : not_known;
  double running = 0;
  double waiting = 0;
  use.waiting =
      std::ifstream("/proc/self/schedstat") >> running >> waiting ? 1e-9 * waiting : not_known;
  return use;
}

}  // namespace trilemma
