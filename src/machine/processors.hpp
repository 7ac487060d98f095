#pragma once
// Processors of this machine: sets of them, and how many there are.

#include <bitset>
#include <optional>
#include <string>
#include <string_view>

#include "machine/system_file.hpp"

namespace trilemma {

/// Processors by their number in Linux.
using Processors = std::bitset<1024>;

/// Returns processors in the notation of Linux: "0-3,8"; not_available if there are none.
std::string list_of(const Processors& processors);
/// Returns the processors in such a list; numbers that a mask does not hold, and what is no list,
/// are ignored.
Processors processors_in(std::string_view list);

/// Returns the processors on which this process may run; none if the system does not report them.
Processors usable_processors();
/// Returns the processors that are online. `root` is the folder that holds sys.
Processors online_processors(const std::string& root);
/// Returns the folder of a processor in /sys.
std::string processor_folder(const std::string& root, std::size_t processor);

/// Numbers of a machine; NaN = not known.
struct ProcessorCounts {
  double sockets = not_known;
  double cores = not_known;       ///< hardware threads do not count
  double processors = not_known;  ///< those online; hardware threads count
};
/// Returns the numbers that Linux reports in /sys. `root` is the folder that holds sys.
ProcessorCounts counts_of_linux(const std::string& root);
/// Returns the numbers of hwloc, which knows the processors whose core numbers in /sys are not
/// unique; nullopt if the program was built without hwloc, or if hwloc describes another machine
/// (HWLOC_XMLFILE).
std::optional<ProcessorCounts> counts_of_hwloc();

}  // namespace trilemma
