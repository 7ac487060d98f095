#include "machine/processors.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <set>
#include <utility>
#include <vector>

#include "base/read_number.hpp"
#include "base/text.hpp"

#ifdef TRILEMMA_HWLOC
#include <hwloc.h>
#endif

namespace trilemma {
namespace {

double counted_or_unknown(std::size_t count) {
  return count == 0 ? not_known : static_cast<double>(count);
}

}  // namespace

std::string list_of(const Processors& processors) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    if (!processors[i]) continue;
    const std::size_t first = i;
    while (i + 1 < processors.size() && processors[i + 1]) ++i;
    ranges.push_back(first == i ? std::to_string(i) : fmt::format("{}-{}", first, i));
  }
  return ranges.empty() ? not_available : join(ranges, ",");
}

Processors processors_in(std::string_view list) {
  Processors found;
  while (!list.empty()) {
    const std::string_view range = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), range.size() + 1));
    const auto dash = range.find('-');
    const auto first = read_whole_number(range.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : read_whole_number(range.substr(dash + 1));
    if (!first || !last) continue;
    for (long i = *first; i <= *last && static_cast<std::size_t>(i) < found.size(); ++i)
      found[static_cast<std::size_t>(i)] = true;
  }
  return found;
}

Processors usable_processors() {
  Processors found;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return found;
  for (std::size_t i = 0; i < found.size() && i < CPU_SETSIZE; ++i) found[i] = CPU_ISSET(i, &set);
  return found;
}

Processors online_processors(const std::string& root) {
  return processors_in(line_in(root + "/sys/devices/system/cpu/online"));
}

std::string processor_folder(const std::string& root, std::size_t processor) {
  return fmt::format("{}/sys/devices/system/cpu/cpu{}/", root, processor);
}

ProcessorCounts counts_of_linux(const std::string& root) {
  const Processors online = online_processors(root);
  std::set<double> sockets;
  std::set<std::pair<double, double>> cores;
  for (std::size_t p = 0; p < online.size(); ++p) {
    if (!online[p]) continue;
    const std::string topology = processor_folder(root, p) + "topology/";
    const double socket = number_in(topology + "physical_package_id");
    const double core = number_in(topology + "core_id");
    if (socket == socket) sockets.insert(socket);
    if (socket == socket && core == core) cores.emplace(socket, core);
  }
  return {counted_or_unknown(sockets.size()), counted_or_unknown(cores.size()),
          counted_or_unknown(online.count())};
}

std::optional<ProcessorCounts> counts_of_hwloc() {
#ifdef TRILEMMA_HWLOC
  hwloc_topology_t topology{};
  if (hwloc_topology_init(&topology) != 0) return {};
  // Processors that a container does not grant are part of the machine too.
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  // This component would move the process from one processor to the next.
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  // Neither caches nor devices are looked for.
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE})
    hwloc_topology_set_type_filter(topology, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  std::optional<ProcessorCounts> found;
  if (hwloc_topology_load(topology) == 0 && hwloc_topology_is_thissystem(topology) != 0) {
    const auto count = [topology](hwloc_obj_type_t type) {
      return counted_or_unknown(
          static_cast<std::size_t>(std::max(0, hwloc_get_nbobjs_by_type(topology, type))));
    };
    found = {count(HWLOC_OBJ_PACKAGE), count(HWLOC_OBJ_CORE), count(HWLOC_OBJ_PU)};
  }
  hwloc_topology_destroy(topology);
  return found;
#else
  return {};
#endif
}

}  // namespace trilemma
