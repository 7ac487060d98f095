#include "comm/mpi_variables.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string_view>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "comm/session.hpp"

namespace trilemma {
namespace {

// Prefixes of variables that set control variables: Open MPI, PRRTE, MPICH, Intel MPI, MVAPICH.
constexpr std::string_view settings_of_mpi[] = {"OMPI_",  "PRTE_",  "PMIX_", "MPIR_CVAR_",
                                                "MPICH_", "I_MPI_", "MV2_"};

// Prefixes of control variables by which Open MPI's launcher and libraries talk to each other.
constexpr std::string_view of_the_launcher[] = {"orte_", "ess_", "mca_base_", "mca_param_files"};

bool is_first_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name); rank != nullptr) return std::string_view(rank) == "0";
  return false;
}

void forget_settings_of_mpi() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    for (const auto prefix : settings_of_mpi)
      if (line.starts_with(prefix)) names.emplace_back(line.substr(0, line.find('=')));
  }
  for (const auto& name : names) unsetenv(name.c_str());
  // Open MPI would read its parameter files otherwise.
  setenv("OMPI_MCA_mca_base_param_files", "none", 1);
}

#ifdef TRILEMMA_SIMGRID
std::string control_variables() { return {}; }
#else
// Returns the value of a variable of one of the types that MPI_T uses; empty for any other.
std::string value_of(MPI_T_cvar_handle handle, MPI_Datatype type, int count) {
  if (type == MPI_CHAR) {
    std::vector<char> text(static_cast<std::size_t>(count) + 1, '\0');
    return MPI_T_cvar_read(handle, text.data()) == MPI_SUCCESS ? text.data() : "";
  }
  std::string values;
  const auto read = [&]<class T>(T) {
    std::vector<T> numbers(static_cast<std::size_t>(count));
    if (MPI_T_cvar_read(handle, numbers.data()) != MPI_SUCCESS) return;
    for (const T number : numbers) values += (values.empty() ? "" : ",") + std::to_string(number);
  };
  if (type == MPI_INT) read(0);
  if (type == MPI_UNSIGNED) read(0U);
  if (type == MPI_UNSIGNED_LONG) read(0UL);
  if (type == MPI_UNSIGNED_LONG_LONG) read(0ULL);
  if (type == MPI_DOUBLE) read(0.0);
  if (type == MPI_C_BOOL) {
    const auto flags = std::make_unique<bool[]>(static_cast<std::size_t>(count));
    if (MPI_T_cvar_read(handle, flags.get()) != MPI_SUCCESS) return values;
    for (int i = 0; i < count; ++i)
      values += (i == 0 ? "" : ",") + std::to_string(flags[static_cast<std::size_t>(i)] ? 1 : 0);
  }
  return values;
}

// Returns a line NAME=value for every control variable that belongs to no object.
std::string control_variables() {
  int provided = 0;
  int count = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS ||
      MPI_T_cvar_get_num(&count) != MPI_SUCCESS)
    return {};
  std::string lines;
  for (int i = 0; i < count; ++i) {
    std::array<char, 512> name{};
    int length = name.size();
    int no_text = 0, verbosity = 0, bind = 0, scope = 0, values = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values_by_name = MPI_T_ENUM_NULL;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    if (MPI_T_cvar_get_info(i, name.data(), &length, &verbosity, &type, &values_by_name, nullptr,
                            &no_text, &bind, &scope) != MPI_SUCCESS ||
        bind != MPI_T_BIND_NO_OBJECT ||
        MPI_T_cvar_handle_alloc(i, nullptr, &handle, &values) != MPI_SUCCESS)
      continue;
    const std::string text = value_of(handle, type, values);
    // A value is any bytes; those of some libraries are not UTF-8.
    lines += printable(std::string(name.data()) + "=" + text) + "\n";
    MPI_T_cvar_handle_free(&handle);
  }
  return lines;
}
#endif

// Runs in the child, which must not flush buffers or run exit handlers of the parent.
[[noreturn]] void answer_by(int pipe, int no_output, bool in_this_environment) {
  if (!in_this_environment) forget_settings_of_mpi();
  // What the library prints about its settings, the parent prints too. `no_output` cannot be
  // written.
  dup2(no_output, STDOUT_FILENO);
  dup2(no_output, STDERR_FILENO);
  const std::string all = control_variables();
  for (std::size_t at = 0; at < all.size();) {
    const ssize_t done = write(pipe, all.data() + at, all.size() - at);
    if (done <= 0 && errno != EINTR) break;
    if (done > 0) at += static_cast<std::size_t>(done);
  }
  _exit(0);
}

}  // namespace

MpiVariables::MpiVariables(bool uses_mpi) {
  if (!uses_mpi || is_simulated() || launched_ranks() < 2 || !is_first_rank()) return;
  here_ = start(true);
  plain_ = start(false);
}

MpiVariables::~MpiVariables() {
  for (Child* child : {&here_, &plain_}) lines_of(*child);
}

MpiVariables::Child MpiVariables::start(bool in_this_environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) answer_by(ends[1], ends[0], in_this_environment);
  close(ends[1]);
  if (child > 0) return {child, ends[0]};
  close(ends[0]);
  return {};
}

std::vector<std::string> MpiVariables::lines_of(Child& child) {
  if (child.process < 0) return {};
  std::string all;
  for (std::array<char, 65536> piece;;) {
    const ssize_t size = read(child.pipe, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    all.append(piece.data(), static_cast<std::size_t>(size));
  }
  close(child.pipe);
  while (waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) continue;
  child = {};
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; (end = all.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(all.substr(at, end - at));
  std::ranges::sort(lines);
  return lines;
}

std::optional<std::vector<std::string>> MpiVariables::changed() {
  const auto here = lines_of(here_);
  const auto plain = lines_of(plain_);
  if (here.empty() || plain.empty()) return {};
  std::vector<std::string> different;
  std::ranges::set_difference(here, plain, std::back_inserter(different));
  // The others are the launcher's own, or set by this class.
  std::erase_if(different, [](const std::string& line) {
    return std::ranges::any_of(of_the_launcher,
                               [&](std::string_view prefix) { return line.starts_with(prefix); });
  });
  return different;
}

}  // namespace trilemma
