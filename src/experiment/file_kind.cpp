#include "experiment/file_kind.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/file_format.hpp"
#include "base/input_file.hpp"
#include "experiment/read_plan.hpp"

namespace trilemma {
namespace {

enum class FileKind { other, hdf5, experiment, sweep };

// Reads the signature without the HDF5 library, which cannot open a file that a run is writing.
bool has_hdf5_signature(const std::string& file) {
  return format_of(input_begin(file, format_bytes)) == FileFormat::hdf5;
}

// Determines the kind by the keys. Experiments and sweeps share `name` and `methods`, and an
// experiment may have a misspelt key that sweeps have, such as `seeds` for `seed`.
FileKind kind_of_settings(const Settings& settings) {
  constexpr std::string_view of_sweeps[] = {"repetitions", "order_seed", "seeds", "set",
                                            "axes",        "zip",        "tune"};
  const auto known = all_settings();
  bool is_sweep = false;
  bool is_experiment = false;
  for (const auto& entry : settings.entries()) {
    const std::string_view path = entry.path;
    const std::string_view root = path.substr(0, path.find_first_of(".["));
    if (root == "experiment") return FileKind::sweep;
    is_sweep |= std::find(std::begin(of_sweeps), std::end(of_sweeps), root) != std::end(of_sweeps);
    is_experiment |=
        path != "name" && std::any_of(known.begin(), known.end(),
                                      [&](const auto& record) { return record.path == path; });
  }
  if (is_experiment) return FileKind::experiment;
  return is_sweep ? FileKind::sweep : FileKind::other;
}

FileKind kind_of(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return FileKind::other;
  if (has_hdf5_signature(file)) return FileKind::hdf5;
  try {
    return kind_of_settings(Settings::from_file(file, {}));
  } catch (const UserError&) {
    return FileKind::other;
  }
}

// Returns the run file to which `file` belongs, by removing `ending` and what follows; empty if the
// name does not contain `ending`.
std::string before(const std::string& file, std::string_view ending) {
  const std::filesystem::path path(file);
  const std::string name = path.filename().string();
  const auto found = name.rfind(ending);
  if (found == std::string::npos || found == 0) return {};
  return (path.parent_path() / name.substr(0, found)).string();
}

[[noreturn]] void refuse_hdf5_as_experiment(const std::string& file) {
  for (const auto* ending : {".partial", ".checkpoint-"})
    if (const std::string run = before(file, ending); !run.empty())
      throw UserError(
          fmt::format("{}: part of an unfinished run, not an experiment (TOML); resume "
                      "it with `trilemma run EXPERIMENT.toml --resume --output {}`",
                      file, run));
  throw UserError(
      fmt::format("{0}: an HDF5 file, not an experiment (TOML); a run file is shown by "
                  "`trilemma show {0}`, resumed by `trilemma run EXPERIMENT.toml --resume --output "
                  "{0}` and extended by `trilemma run {0} --rounds-more N`",
                  file));
}

}  // namespace

void require_experiment(const std::string& file) {
  const FileKind kind = kind_of(file);
  if (kind == FileKind::hdf5) refuse_hdf5_as_experiment(file);
  require(kind != FileKind::sweep,
          "{0}: a sweep, not an experiment; `trilemma sweep {0} --list` lists its cells, `trilemma "
          "sweep {0} --run N` runs one",
          file);
}

void require_sweep(const std::string& file) {
  const FileKind kind = kind_of(file);
  require(kind != FileKind::hdf5,
          "{0}: an HDF5 file, not a sweep (TOML); a run file is shown by `trilemma show {0}`",
          file);
  require(kind != FileKind::experiment,
          "{0}: an experiment, not a sweep, which would name one (experiment = \"FILE\"); run it "
          "with `trilemma run {0}`",
          file);
}

void require_run_file(const std::string& file) {
  std::error_code ignored;
  const std::string partial = file + ".partial";
  require(std::filesystem::exists(file, ignored) || !std::filesystem::exists(partial, ignored),
          "{}: no such file, but there is {}, of a run that has not ended; `trilemma show` and "
          "`verify` read that, and `trilemma run EXPERIMENT.toml --resume --output {}` resumes the "
          "run from its newest checkpoint, or starts it over where there is none yet",
          file, partial, file);
  const FileKind kind = kind_of(file);
  require(kind != FileKind::experiment,
          "{0}: an experiment (TOML), not a run file; `trilemma run {0}` runs it and writes one",
          file);
  require(
      kind != FileKind::sweep,
      "{0}: a sweep (TOML), not a run file; `trilemma sweep {0}` names its cells and the folder "
      "of their run files",
      file);
}

}  // namespace trilemma
