#pragma once
// The machine and this process, as Linux describes them in /proc and /sys.

#include <limits>
#include <string>
#include <string_view>

#include "base/cpu_use.hpp"

namespace trilemma {

/// Text of a property that the system does not report. An unknown number is NaN, never 0.
inline constexpr const char* not_available = "not available";

/// Returns processors in the notation of Linux: "0-3,8"; not_available if there are none.
std::string list_of(const Processors& processors);
/// Returns the processors in such a list; numbers that a mask does not hold, and what is no list,
/// are ignored.
Processors processors_in(std::string_view list);

/// The processors that one process uses.
struct ProcessFacts {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::string affinity = not_available;  ///< processors on which it may run, as a list
  std::string numa = not_available;      ///< their NUMA nodes, as a list
  std::string cpu = not_available;       ///< model of the first of them
  double megahertz = unknown;            ///< current frequency, mean over them
  double threads = unknown;              ///< threads of the process
};

/// One machine.
struct MachineFacts {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::string kernel = not_available;    ///< "Linux 6.1.0-18-amd64"
  std::string system = not_available;    ///< "Debian GNU/Linux 12 (bookworm)"
  std::string governor = not_available;  ///< frequency governors of all processors: "performance"
  std::string numa = not_available;      ///< processors of each NUMA node: "0: 0-31; 1: 32-63"
  double memory = unknown;               ///< bytes
  double sockets = unknown;
  double cores = unknown;
  double processors = unknown;  ///< those online; hardware threads count
};

/// Read the facts of this process, which may run on `usable`, and of its machine. `root` is the
/// folder that holds proc, sys and etc; "" for the machine itself.
ProcessFacts process_facts(const Processors& usable, const std::string& root = "");
MachineFacts machine_facts(const std::string& root = "");

}  // namespace trilemma
