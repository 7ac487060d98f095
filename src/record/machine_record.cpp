#include "record/machine_record.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "record/environment.hpp"

namespace trilemma {
namespace {

using R = RankOnRecord;
using N = NodeOnRecord;

constexpr const char* prefixes[] = {"OMPI_",      "PRTE_",  "UCX_",          "FI_",       "MPICH_",
                                    "MPIR_CVAR_", "I_MPI_", "OMP_",          "OPENBLAS_", "BLIS_",
                                    "MKL_",       "SLURM_", "LOADEDMODULES", "TRILEMMA_"};
// Prefixes of variables by which Open MPI's launcher talks to its processes.
constexpr std::string_view set_by_the_launcher[] = {"OMPI_MCA_orte_", "OMPI_MCA_ess",
                                                    "OMPI_FILE_LOCATION", "OMPI_ARGV"};
// Parts of the names of variables that differ from rank to rank by their meaning.
constexpr std::string_view of_one_rank[] = {"_RANK",         "_vpid",    "SLURM_PROCID",
                                            "SLURM_LOCALID", "_NODEID",  "_GTIDS",
                                            "_TASK_PID",     "NODENAME", "TOPOLOGY_ADDR"};

const Fields<R> rank_table = {
    computed(
        "host", "1", "name of the host", Compared::nowhere, +[](const R& r) { return r.host; }),
    computed(
        "cpu", "1", "model of the processor", Compared::nowhere,
        +[](const R& r) { return r.process.cpu; }),
    computed(
        "affinity", "1",
        "processors on which the rank may run, as obtained: numbers of Linux, such as `0-3,8`",
        Compared::nowhere, +[](const R& r) { return r.process.affinity; }),
    computed(
        "numa", "1", "NUMA nodes of these processors", Compared::nowhere,
        +[](const R& r) { return r.process.numa; }),
    computed(
        "other_variables", "1",
        "environment variables in which the rank differs from rank 0 (`variables`), lines "
        "NAME=VALUE; NAME alone = not set here. Variables that name the rank are left out",
        Compared::nowhere,
        +[](const R& r) {
          return r.other_variables.empty() ? "" : join(r.other_variables, "\n") + "\n";
        }),
    computed(
        "frequency", "MHz", "frequency of these processors at the start, in the mean",
        Compared::nowhere, +[](const R& r) { return r.process.megahertz; }),
    computed(
        "threads", "thread", "threads of the process at the start, those of libraries included",
        Compared::nowhere, +[](const R& r) { return r.process.threads; }),
    computed(
        "blas_threads", "thread",
        "threads with which the BLAS library computes; NaN = the library does not tell, or there is none",
        Compared::nowhere, +[](const R& r) { return r.blas_threads; }),
};

const Fields<N> node_table = {
    computed(
        "host", "1", "name of the host", Compared::nowhere, +[](const N& n) { return n.host; }),
    computed(
        "kernel", "1", "the kernel and its release", Compared::nowhere,
        +[](const N& n) { return n.machine.kernel; }),
    computed(
        "system", "1", "the distribution", Compared::nowhere,
        +[](const N& n) { return n.machine.system; }),
    computed(
        "governor", "1", "frequency governors of its processors", Compared::nowhere,
        +[](const N& n) { return n.machine.governor; }),
    computed(
        "numa", "1", "processors of each NUMA node, such as `0: 0-31; 1: 32-63`", Compared::nowhere,
        +[](const N& n) { return n.machine.numa; }),
    computed(
        "memory", "B", "memory of the node", Compared::nowhere,
        +[](const N& n) { return n.machine.memory; }),
    computed(
        "sockets", "socket", "processor sockets", Compared::nowhere,
        +[](const N& n) { return n.machine.sockets; }),
    computed(
        "cores", "core", "cores; hardware threads do not count", Compared::nowhere,
        +[](const N& n) { return n.machine.cores; }),
    computed(
        "processors", "processor", "processors online; hardware threads count", Compared::nowhere,
        +[](const N& n) { return n.machine.processors; }),
    computed(
        "energy", "1",
        "counters of its energy: `powercap` (processor packages, and memory where it is counted) "
        "or `pm_counters` (the whole node)",
        Compared::nowhere, +[](const N& n) { return std::string(name(n.energy)); }),
};

// Writes a column of texts as its different values and the index of each element's value.
void write_text_column(const h5::Group& group, const std::string& name, const char* help,
                       const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  std::map<std::string, std::int64_t> number;
  std::vector<std::int64_t> index;
  for (const auto& text : texts) {
    const auto [found, is_new] = number.emplace(text, static_cast<std::int64_t>(values.size()));
    if (is_new) values.push_back(text);
    index.push_back(found->second);
  }
  group.write_array(name, index, "1",
                    std::string("index of the value in ") + name + "_value: " + help);
  group.write_texts(name + "_value", values, help);
}

template <class Element>
void write_columns(const h5::Group& group, const Fields<Element>& fields,
                   const std::vector<Element>& elements) {
  for (const auto& field : fields) {
    std::vector<std::string> texts;
    std::vector<double> numbers;
    for (const Element& one : elements) {
      const FieldValue value = field.get(one);
      if (field.type == FieldType::text)
        texts.push_back(std::get<std::string>(value));
      else
        numbers.push_back(std::get<double>(value));
    }
    if (field.type == FieldType::text)
      write_text_column(group, field.name, field.help, texts);
    else
      group.write_array(field.name, numbers, field.units, field.help);
  }
}

std::string name_of(const std::string& line) { return line.substr(0, line.find('=')); }

bool names_a_rank(const std::string& line) {
  const std::string name = name_of(line);
  return std::ranges::any_of(
      of_one_rank, [&name](std::string_view part) { return name.find(part) != std::string::npos; });
}

}  // namespace

void RankOnRecord::persist(State& state) {
  std::uint64_t count = other_variables.size();
  state.value(count);
  other_variables.resize(count);
  std::vector<std::string*> texts = {&host, &process.affinity, &process.numa, &process.cpu};
  for (std::string& variable : other_variables) texts.push_back(&variable);
  for (std::string* text : texts) {
    if (state.restores()) text->clear();
    state.values(*text);
  }
  for (double* number : {&process.megahertz, &process.threads, &blas_threads}) state.value(*number);
}

void NodeOnRecord::persist(State& state) {
  for (std::string* text :
       {&host, &machine.kernel, &machine.system, &machine.governor, &machine.numa}) {
    if (state.restores()) text->clear();
    state.values(*text);
  }
  for (double* number : {&machine.memory, &machine.sockets, &machine.cores, &machine.processors})
    state.value(*number);
  state.value(energy);
}

bool counts_energy(const std::vector<NodeOnRecord>& nodes) {
  return !nodes.empty() && std::ranges::none_of(nodes, [](const NodeOnRecord& node) {
    return node.energy == EnergySource::none;
  });
}

const Fields<RankOnRecord>& rank_fields() { return rank_table; }
const Fields<NodeOnRecord>& node_fields() { return node_table; }

void write_machine(const h5::Group& environment, const MachineRecord& record) {
  write_columns(environment.create_group("ranks"), rank_table, record.ranks);
  write_columns(environment.create_group("nodes"), node_table, record.nodes);
  environment.write_texts("variables", record.variables,
                          "environment variables of rank 0 that launchers, MPI, BLAS, OpenMP, "
                          "Slurm and this program read, lines NAME=VALUE");
  environment.write_texts(
      "mpi_variables", record.mpi_variables.value_or(std::vector<std::string>{not_available}),
      "control variables of the MPI library (MPI_T) of rank 0 that differ from the value that "
      "they have without environment and parameter files, lines NAME=VALUE");
}

std::vector<std::string> recorded_prefixes() { return {std::begin(prefixes), std::end(prefixes)}; }

std::vector<std::string> recorded_variables() {
  std::vector<std::string> found;
  for (const char* prefix : prefixes)
    for (auto& line : variable_lines(prefix)) found.push_back(std::move(line));
  std::erase_if(found, [](const std::string& line) {
    return std::ranges::any_of(set_by_the_launcher,
                               [&](std::string_view prefix) { return line.starts_with(prefix); });
  });
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> differing_variables(const std::vector<std::string>& own,
                                             const std::vector<std::string>& first) {
  std::vector<std::string> lines;
  std::ranges::set_difference(own, first, std::back_inserter(lines));
  for (const auto& line : first)
    if (std::ranges::none_of(
            own, [&line](const std::string& other) { return name_of(other) == name_of(line); }))
      lines.push_back(name_of(line));
  std::erase_if(lines, names_a_rank);
  return lines;
}

}  // namespace trilemma
