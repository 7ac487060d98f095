#include "machine/variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <ctime>

#include "base/text.hpp"

namespace trilemma {
namespace {

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

std::string name_of(std::string_view line) { return std::string(line.substr(0, line.find('='))); }

// By the name, in any case. Two variables hold the values of others.
bool may_be_secret(std::string_view variable) {
  constexpr std::string_view parts[] = {"JWT",  "TOKEN",      "SECRET",     "PASS",         "KEY",
                                        "AUTH", "CREDENTIAL", "EXPORT_ENV", "BASE_ENV_LIST"};
  std::string name = name_of(variable);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return std::ranges::any_of(
      parts, [&name](std::string_view part) { return name.find(part) != name.npos; });
}

bool names_a_rank(const std::string& line) {
  const std::string name = name_of(line);
  return std::ranges::any_of(
      of_one_rank, [&name](std::string_view part) { return name.find(part) != std::string::npos; });
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::vector<std::string> variable_lines(std::string_view prefix) {
  std::vector<std::string> lines;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with(prefix) && !may_be_secret(*entry))
      lines.push_back(printable(*entry));
  return lines;
}

std::string variables(std::string_view prefix) {
  std::string text;
  for (const auto& line : variable_lines(prefix)) text += line + "\n";
  return text;
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
