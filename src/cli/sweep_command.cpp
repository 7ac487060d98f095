#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "base/check.hpp"
#include "base/progress_line.hpp"
#include "base/standard_output.hpp"
#include "base/text.hpp"
#include "cli/answers_json.hpp"
#include "cli/command.hpp"
#include "experiment/words.hpp"
#include "run/options.hpp"
#include "run/workers.hpp"
#include "sweep/sweep.hpp"

namespace trilemma {
namespace {

struct SweepOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string output_folder;  ///< empty: runs/sweeps/NAME
  std::string data_folder;
  std::string command_line;
  std::optional<long> run;
  int jobs = 1;
  bool all = false;
  bool list = false, count = false, status = false, missing = false, json = false, quiet = false;
};

std::string folder_of(const SweepOptions& o, const Sweep& sweep) {
  return o.output_folder.empty() ? "runs/sweeps/" + sweep.name : o.output_folder;
}

std::vector<CellStatus> status_of(const SweepOptions& o, const Sweep& sweep) {
  return sweep_status(sweep, folder_of(o, sweep), data_folder(o.data_folder));
}

Sweep resolved(const SweepOptions& o) {
  Sweep sweep = read_sweep(o.file, o.overrides);
  DataFolder data(data_folder(o.data_folder));
  resolve(sweep, &data);
  return sweep;
}

std::string paragraph(const std::string& text) { return wrapped(text, "", "  ", output_columns()); }

// Returns the line of a cell, whose further lines are indented.
std::string line_of(std::size_t number, const std::string& stem, const std::string& text) {
  const std::string margin(25, ' ');
  return wrapped(text, fmt::format("{:>5}  {:<16}  ", number, stem), margin, output_columns());
}

int list_cells(const SweepOptions& o) {
  const Sweep sweep = resolved(o);
  if (o.json) {
    print("{}", to_json(sweep));
    return 0;
  }
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    const SweepCell& cell = sweep.cells[i];
    print("{}",
          line_of(i, cell_stem(sweep, cell),
                  cell_name(sweep, cell) +
                      (cell.refusal.empty()
                           ? ""
                           : (cell.is_skipped ? ": skipped: " : ": refused: ") + cell.refusal)));
  }
  return 0;
}

int print_status(const SweepOptions& o) {
  const Sweep sweep = resolved(o);
  const std::string folder = folder_of(o, sweep);
  const auto status = status_of(o, sweep);
  if (o.json) {
    print("{}", to_json(sweep, status, folder));
    return 0;
  }
  std::array<int, cell_states.size()> counts{};
  // Cells are skipped for few reasons, each of which is printed once.
  std::map<std::string, int> skipped;
  for (std::size_t i = 0; i < status.size(); ++i) {
    ++counts[static_cast<std::size_t>(status[i].state)];
    const std::string& reason = status[i].reason;
    if (status[i].state == CellState::skipped)
      ++skipped[reason];
    else if (!o.quiet)
      print("{}", line_of(i, cell_stem(sweep, sweep.cells[i]),
                          fmt::format("{:<11}  {}{}", name(status[i].state),
                                      cell_name(sweep, sweep.cells[i]),
                                      reason.empty() ? "" : ": " + reason)));
  }
  for (const auto& [reason, count] : skipped)
    if (!o.quiet)
      print("{}", paragraph(fmt::format("{} skipped: {}",
                                        counted(static_cast<std::size_t>(count), "cell"), reason)));
  const std::string note = choice_note(sweep);
  if (!o.quiet && !note.empty()) print("{}", paragraph(note));
  print("{} of {} cells done", counts[0], status.size());
  for (std::size_t s = 1; s < counts.size(); ++s)
    if (counts[s] > 0 || cell_states[s] != CellState::skipped)
      print(", {} {}", counts[s], name(cell_states[s]));
  print("; files in {}\n", folder);
  if (const std::size_t others = other_runs(sweep, folder); others > 0)
    print("{}", paragraph(fmt::format(
                    "note: {} in that folder, of other settings (--set, or an earlier state of the "
                    "sweep file); figures and tables show the cells that were run last; "
                    "--output-dir gives every variant a folder of its own",
                    counted(others, "other run file"))));
  return 0;
}

int print_missing(const SweepOptions& o) {
  const Sweep sweep = resolved(o);
  const auto status = status_of(o, sweep);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < status.size(); ++i)
    if (status[i].state != CellState::done && status[i].state != CellState::skipped)
      numbers.push_back(i);
  print("{}\n", index_ranges(numbers));
  return 0;
}

// Chooses what is run for one cell of a resolved sweep. Throws if the cell is refused.
void choose_cell(const SweepOptions& o, const Sweep& sweep, std::size_t number, bool first,
                 RunOptions& run) {
  const SweepCell& cell = sweep.cells[number];
  const CellFiles files = cell_files(sweep, cell, folder_of(o, sweep));
  run.file = sweep.experiment;
  run.overrides = cell_overrides(sweep, cell);
  run.output = files.run;
  run.failure_file = files.failure;
  if (first && !o.quiet)
    print("sweep {}, cell {} of 0-{}: {}\n", sweep.name, number, sweep.cells.size() - 1,
          cell_name(sweep, cell));
  if (cell.is_skipped)
    run.skipped = cell.refusal;
  else if (!cell.refusal.empty())
    throw UserError(cell.refusal);
}

// Chooses the cell; on the first rank, also checks all other cells and writes the manifest.
void prepare(const SweepOptions& o, RunOptions& run, bool first) {
  Sweep sweep = read_sweep(o.file, o.overrides);
  const long last = static_cast<long>(sweep.cells.size()) - 1;
  require(*o.run >= 0 && *o.run <= last, "--run {}: {} has the cells 0 to {}", *o.run, o.file,
          last);
  const auto number = static_cast<std::size_t>(*o.run);
  DataFolder data(data_folder(o.data_folder));
  if (first) {
    resolve(sweep, &data);
    write_manifest(sweep, folder_of(o, sweep));
  } else {
    resolve(sweep, sweep.cells[number], &data);
  }
  choose_cell(o, sweep, number, first, run);
}

RunOptions options_of_cells(const SweepOptions& o) {
  RunOptions run;
  run.data_folder = o.data_folder;
  run.quiet = o.quiet;
  run.resume = true;
  run.command_line = o.command_line;
  return run;
}

int run_cell(const SweepOptions& o, int argc, char** argv) {
  RunOptions run = options_of_cells(o);
  run.prepare = [&o](RunOptions& options, bool first) { prepare(o, options, first); };
  return run_command(run, argc, argv);
}

// Returns whether another process has run a cell since the status was read, or runs it now.
bool is_taken(const SweepOptions& o, const Sweep& sweep, std::size_t number) {
  const SweepCell& cell = sweep.cells[number];
  const auto state =
      cell_status(sweep, cell, folder_of(o, sweep), data_folder(o.data_folder)).state;
  if (state == CellState::running)
    std::fprintf(stderr, "trilemma: cell %zu: skipped, since another process runs it\n", number);
  return state == CellState::running || state == CellState::done;
}

// Returns "round 720 of 4000, 60/s, 12 s left".
std::string in_words(const RunningTask& task) {
  if (task.total == 0) return "starts";
  std::string text = fmt::format("round {} of {}", task.done, task.total);
  if (task.rate > 0)
    text += fmt::format(", {:.3g}/s, {} left", task.rate, duration_in_words(task.left));
  return text;
}

int work_through(const SweepOptions& o, const Sweep& sweep,
                 const std::vector<std::size_t>& numbers) {
  SweepOptions quiet = o;
  quiet.quiet = true;
  const auto work = [&](std::size_t i, const auto& tell) {
    if (is_taken(o, sweep, numbers[i])) return true;
    RunOptions run = options_of_cells(quiet);
    run.prepare = [&](RunOptions& options, bool first) {
      choose_cell(quiet, sweep, numbers[i], first, options);
    };
    run.without_mpi = true;
    run.tell_rounds = tell;
    if (run_command(run, 0, nullptr) == 0) return true;
    // Two processes that start at once both find the cell free; the later one has not failed.
    if (!is_taken(o, sweep, numbers[i])) return false;
    std::filesystem::remove(
        cell_files(sweep, sweep.cells[numbers[i]], folder_of(o, sweep)).failure);
    return true;
  };
  ProgressLine line(o.quiet, static_cast<std::int64_t>(numbers.size()));
  const auto words = [&](const Worked& so_far) {
    std::vector<std::string> running;
    for (const auto& one : so_far.running)
      running.push_back(
          fmt::format("{} {}", cell_name(sweep, sweep.cells[numbers[one.task]]), in_words(one)));
    return fmt::format("{} of {} cells{}{}", so_far.done, numbers.size(),
                       so_far.failed > 0 ? fmt::format(", {} failed", so_far.failed) : "",
                       running.empty()
                           ? ""
                           : fmt::format("; running {}: {}", running.size(), join(running, "; ")));
  };
  const Worked worked = work_in_processes(numbers.size(), o.jobs, work, [&](const Worked& so_far) {
    if (!line.due()) return;
    // The time of a cell is unknown until every process has finished one.
    const auto ended = static_cast<std::int64_t>(so_far.done + so_far.failed);
    line.show(ended < o.jobs ? 0 : ended, words(so_far));
  });
  line.clear();
  if (worked.failed > 0) return exit_failed_run;
  return worked.done < numbers.size() ? exit_stopped : 0;
}

// Runs all cells that are neither done nor running, then prints the totals.
int run_all(const SweepOptions& o) {
  require_one_rank("sweep --all");
  const Sweep sweep = resolved(o);
  write_manifest(sweep, folder_of(o, sweep));
  std::vector<std::size_t> numbers;
  const auto status = status_of(o, sweep);
  for (std::size_t i = 0; i < status.size(); ++i)
    if (status[i].state != CellState::done && status[i].state != CellState::skipped &&
        status[i].state != CellState::running)
      numbers.push_back(i);
  const int code = numbers.empty() ? 0 : work_through(o, sweep, numbers);
  SweepOptions totals = o;
  totals.quiet = true;
  print_status(totals);
  return code;
}

}  // namespace

Command add_sweep_command(CLI::App& parent, int argc, char** argv) {
  auto o = std::make_shared<SweepOptions>();
  for (int i = 0; i < argc; ++i) o->command_line += (i > 0 ? " " : "") + std::string(argv[i]);
  auto* sweep = parent.add_subcommand("sweep", "list, run or monitor the runs of a sweep");
  sweep->add_option("file", o->file, "sweep file (TOML)")->required();
  auto* list = sweep->add_flag("--list", o->list, "list all cells in the order in which they run");
  auto* count = sweep->add_flag("--count", o->count, "print the number of cells");
  auto* run = sweep->add_option(
      "--run", o->run,
      "run the cell with this number, alone or under mpirun/srun; an unfinished cell "
      "resumes, and a finished cell is skipped");
  auto* status = sweep->add_flag("--status", o->status, "print the state of all cells (default)");
  auto* missing = sweep->add_flag("--missing", o->missing,
                                  "print the numbers of the cells that are not done, such as "
                                  "\"0,3,5-8\"");
  auto* all = sweep->add_flag(
      "--all", o->all,
      "run all cells that are not done, in one process or, with --jobs, in several");
  sweep
      ->add_option("--jobs", o->jobs,
                   "number of processes for --all, each of which runs one cell after another")
      ->check(CLI::Range(1, static_cast<int>(most_workers)))
      ->needs(all)
      ->capture_default_str();
  const std::vector<CLI::Option*> questions = {list, count, run, status, missing, all};
  for (auto* one : questions)
    for (auto* other : questions)
      if (one != other) one->excludes(other);
  sweep->add_flag("--json", o->json, "print the list or the status as JSON")
      ->excludes(count)
      ->excludes(run)
      ->excludes(missing)
      ->excludes(all);
  sweep->add_option("--set", o->overrides, "override a setting of all cells: key.path=value")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  sweep->add_option("--output-dir", o->output_folder,
                    "folder of the run files (default: runs/sweeps/NAME)");
  add_data_folder(*sweep, o->data_folder);
  sweep->add_flag("--quiet", o->quiet,
                  "print no progress and no summary; for the status, print only the totals");
  add_mpi_flag(*sweep);
  return {sweep, [o, argc, argv] {
            if (o->list) return list_cells(*o);
            if (o->count) {
              print("{}\n", read_sweep(o->file, o->overrides).cells.size());
              return 0;
            }
            if (o->missing) return print_missing(*o);
            if (o->all) return run_all(*o);
            return o->run ? run_cell(*o, argc, argv) : print_status(*o);
          }};
}

}  // namespace trilemma
