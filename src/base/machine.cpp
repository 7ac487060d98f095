#include "base/machine.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/read_number.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

// Returns the first line of a file of the system, or an empty text.
std::string line_of(const std::string& file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

double number_in(const std::string& file) {
  double value = 0;
  return std::ifstream(file) >> value ? value : MachineFacts::unknown;
}

std::string processor_folder(const std::string& root, std::size_t processor) {
  return fmt::format("{}/sys/devices/system/cpu/cpu{}/", root, processor);
}

// Model and frequency of a processor in /proc/cpuinfo.
struct CpuInfo {
  std::string model;
  double megahertz = ProcessFacts::unknown;
};

// Returns what follows the colon of a line "key   : value".
std::string value_of(const std::string& line) {
  const auto colon = line.find(": ");
  return colon == std::string::npos ? std::string() : line.substr(colon + 2);
}

std::map<std::size_t, CpuInfo> cpu_infos(const std::string& root) {
  std::map<std::size_t, CpuInfo> found;
  std::ifstream in(root + "/proc/cpuinfo");
  std::size_t now = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("processor"))
      now = static_cast<std::size_t>(read_whole_number(value_of(line)).value_or(0));
    if (line.starts_with("model name")) found[now].model = value_of(line);
    double megahertz = 0;
    if (line.starts_with("cpu MHz") && is_number(value_of(line), megahertz) && megahertz > 0)
      found[now].megahertz = megahertz;
  }
  return found;
}

// The frequency that the governor reports, in MHz; that of /proc/cpuinfo where there is no
// governor.
double frequency_of(const std::string& root, std::size_t processor,
                    const std::map<std::size_t, CpuInfo>& infos) {
  constexpr double kilohertz = 1e-3;
  const double now = number_in(processor_folder(root, processor) + "cpufreq/scaling_cur_freq");
  if (now > 0) return kilohertz * now;
  const auto info = infos.find(processor);
  return info == infos.end() ? ProcessFacts::unknown : info->second.megahertz;
}

// The processors of each NUMA node.
std::map<std::size_t, Processors> numa_nodes(const std::string& root) {
  const std::string folder = root + "/sys/devices/system/node/";
  std::map<std::size_t, Processors> found;
  const Processors nodes = processors_in(line_of(folder + "online"));
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n]) found[n] = processors_in(line_of(fmt::format("{}node{}/cpulist", folder, n)));
  return found;
}

std::string system_name(const std::string& root) {
  constexpr std::string_view key = "PRETTY_NAME=";
  std::ifstream in(root + "/etc/os-release");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    std::string name = line.substr(key.size());
    if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
    return name;
  }
  return not_available;
}

std::string kernel_name(const std::string& root) {
  const std::string type = line_of(root + "/proc/sys/kernel/ostype");
  const std::string release = line_of(root + "/proc/sys/kernel/osrelease");
  return type.empty() || release.empty() ? not_available : type + " " + release;
}

double memory_of(const std::string& root) {
  constexpr double kibibyte = 1024;
  std::ifstream in(root + "/proc/meminfo");
  for (std::string word; in >> word;) {
    double value = 0;
    if (word == "MemTotal:" && in >> value) return kibibyte * value;
  }
  return MachineFacts::unknown;
}

std::string joined_or_unknown(const std::set<std::string>& texts) {
  if (texts.empty()) return not_available;
  return join({texts.begin(), texts.end()});
}

// Counts sockets, cores and processors, and collects the governors.
void add_processors(const std::string& root, MachineFacts& facts) {
  const Processors online = processors_in(line_of(root + "/sys/devices/system/cpu/online"));
  std::set<double> sockets;
  std::set<std::pair<double, double>> cores;
  std::set<std::string> governors;
  for (std::size_t p = 0; p < online.size(); ++p) {
    if (!online[p]) continue;
    const std::string folder = processor_folder(root, p);
    const double socket = number_in(folder + "topology/physical_package_id");
    const double core = number_in(folder + "topology/core_id");
    if (socket == socket) sockets.insert(socket);
    if (socket == socket && core == core) cores.emplace(socket, core);
    const std::string governor = line_of(folder + "cpufreq/scaling_governor");
    if (!governor.empty()) governors.insert(governor);
  }
  const auto counted_or_unknown = [](std::size_t count) {
    return count == 0 ? MachineFacts::unknown : static_cast<double>(count);
  };
  facts.sockets = counted_or_unknown(sockets.size());
  facts.cores = counted_or_unknown(cores.size());
  facts.processors = counted_or_unknown(online.count());
  facts.governor = joined_or_unknown(governors);
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

ProcessFacts process_facts(const Processors& usable, const std::string& root) {
  ProcessFacts facts;
  facts.affinity = list_of(usable);
  const auto infos = cpu_infos(root);
  double sum = 0;
  for (std::size_t p = 0; p < usable.size(); ++p) {
    if (!usable[p]) continue;
    sum += frequency_of(root, p, infos);
    const auto info = infos.find(p);
    if (facts.cpu == not_available && info != infos.end() && !info->second.model.empty())
      facts.cpu = info->second.model;
  }
  if (usable.any()) facts.megahertz = sum / static_cast<double>(usable.count());
  Processors nodes;
  for (const auto& [node, processors] : numa_nodes(root)) nodes[node] = (processors & usable).any();
  facts.numa = list_of(nodes);
  std::ifstream status(root + "/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "Threads:" && !(status >> facts.threads)) facts.threads = ProcessFacts::unknown;
  return facts;
}

MachineFacts machine_facts(const std::string& root) {
  MachineFacts facts;
  facts.kernel = kernel_name(root);
  facts.system = system_name(root);
  facts.memory = memory_of(root);
  add_processors(root, facts);
  std::vector<std::string> nodes;
  for (const auto& [node, processors] : numa_nodes(root))
    nodes.push_back(fmt::format("{}: {}", node, list_of(processors)));
  if (!nodes.empty()) facts.numa = join(nodes, "; ");
  return facts;
}

}  // namespace trilemma
