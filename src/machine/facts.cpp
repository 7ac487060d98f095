#include "machine/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "base/read_number.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

using R = RankFacts;
using N = NodeFacts;
constexpr auto nowhere = Compared::nowhere;

const Fields<R> rank_table = {
    field("host", &R::host, "1", "name of the host", nowhere),
    field("cpu", &R::cpu, "1", "model of the processor", nowhere),
    field("affinity", &R::affinity, "1",
          "processors on which the rank may run, as obtained: numbers of Linux, such as `0-3,8`",
          nowhere),
    field("numa", &R::numa, "1", "NUMA nodes of these processors", nowhere),
    computed(
        "other_variables", "1",
        "environment variables in which the rank differs from rank 0 (`variables`), lines "
        "NAME=VALUE; NAME alone = not set here. Variables that name the rank are left out",
        nowhere,
        +[](const R& r) {
          return r.other_variables.empty() ? "" : join(r.other_variables, "\n") + "\n";
        }),
    field("frequency", &R::megahertz, "MHz",
          "frequency of these processors at the start, in the mean", nowhere),
    field("threads", &R::threads, "thread",
          "threads of the process at the start, those of libraries included", nowhere),
    field("blas_threads", &R::blas_threads, "thread",
          "threads with which the BLAS library computes; NaN = the library does not tell, or there "
          "is none",
          nowhere),
};

const Fields<N> node_table = {
    field("host", &N::host, "1", "name of the host", nowhere),
    field("kernel", &N::kernel, "1", "the kernel and its release", nowhere),
    field("system", &N::system, "1", "the distribution", nowhere),
    field("governor", &N::governor, "1", "frequency governors of its processors", nowhere),
    field("numa", &N::numa, "1", "processors of each NUMA node, such as `0: 0-31; 1: 32-63`",
          nowhere),
    field("memory", &N::memory, "B", "memory of the node", nowhere),
    field("sockets", &N::sockets, "socket", "processor sockets", nowhere),
    field("cores", &N::cores, "core", "cores; hardware threads do not count", nowhere),
    field("processors", &N::processors, "processor", "processors online; hardware threads count",
          nowhere),
    computed(
        "energy", "1",
        "counters of its energy: `powercap` (processor packages, and memory where it is counted) "
        "or `pm_counters` (the whole node)",
        nowhere, +[](const N& n) { return std::string(name(n.energy)); }),
};

// Model and frequency of a processor in /proc/cpuinfo.
struct CpuInfo {
  std::string model;
  double megahertz = not_known;
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
  return info == infos.end() ? not_known : info->second.megahertz;
}

// The processors of each NUMA node.
std::map<std::size_t, Processors> numa_nodes(const std::string& root) {
  const std::string folder = root + "/sys/devices/system/node/";
  std::map<std::size_t, Processors> found;
  const Processors nodes = processors_in(line_in(folder + "online"));
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n]) found[n] = processors_in(line_in(fmt::format("{}node{}/cpulist", folder, n)));
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
  const std::string type = line_in(root + "/proc/sys/kernel/ostype");
  const std::string release = line_in(root + "/proc/sys/kernel/osrelease");
  return type.empty() || release.empty() ? not_available : type + " " + release;
}

// Returns the numbers of hwloc for the machine itself, and of Linux for what hwloc does not know.
ProcessorCounts processor_counts(const std::string& root) {
  ProcessorCounts counts = counts_of_linux(root);
  const auto found = root.empty() ? counts_of_hwloc() : std::nullopt;
  if (!found) return counts;
  for (const auto number :
       {&ProcessorCounts::sockets, &ProcessorCounts::cores, &ProcessorCounts::processors})
    if (*found.*number > 0) counts.*number = *found.*number;
  return counts;
}

// Returns the different frequency governors.
std::string governors(const std::string& root) {
  const Processors online = online_processors(root);
  std::set<std::string> found;
  for (std::size_t p = 0; p < online.size(); ++p) {
    if (!online[p]) continue;
    const std::string one = line_in(processor_folder(root, p) + "cpufreq/scaling_governor");
    if (!one.empty()) found.insert(one);
  }
  return found.empty() ? not_available : join({found.begin(), found.end()});
}

}  // namespace

void RankFacts::persist(State& state) {
  persist_fields(state, rank_table, *this);
  persist_value(state, other_variables);
}

void NodeFacts::persist(State& state) {
  persist_fields(state, node_table, *this);
  state.value(energy);
}

const Fields<RankFacts>& rank_fields() { return rank_table; }
const Fields<NodeFacts>& node_fields() { return node_table; }

bool counts_energy(const std::vector<NodeFacts>& nodes) {
  return !nodes.empty() && std::ranges::none_of(nodes, [](const NodeFacts& node) {
    return node.energy == EnergySource::none;
  });
}

RankFacts rank_facts(const Processors& usable, const std::string& root) {
  RankFacts facts;
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
  facts.threads = number_after("Threads:", root + "/proc/self/status");
  return facts;
}

NodeFacts node_facts(const std::string& root) {
  constexpr double kibibyte = 1024;
  NodeFacts facts;
  facts.kernel = kernel_name(root);
  facts.system = system_name(root);
  facts.memory = kibibyte * number_after("MemTotal:", root + "/proc/meminfo");
  facts.governor = governors(root);
  const ProcessorCounts counts = processor_counts(root);
  facts.sockets = counts.sockets;
  facts.cores = counts.cores;
  facts.processors = counts.processors;
  std::vector<std::string> nodes;
  for (const auto& [node, processors] : numa_nodes(root))
    nodes.push_back(fmt::format("{}: {}", node, list_of(processors)));
  if (!nodes.empty()) facts.numa = join(nodes, "; ");
  return facts;
}

std::string cpu_model() {
  for (const auto& [processor, info] : cpu_infos(""))
    if (!info.model.empty()) return info.model;
  return "unknown";
}

}  // namespace trilemma
