#include "sweep/sweep_status.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/durable.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "experiment/data_files.hpp"
#include "record/run_reader.hpp"
#include "sweep/sweep.hpp"

namespace trilemma {
namespace {

namespace fs = std::filesystem;

// Returns the names of all files in `folder`; none if there is no such folder.
std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored))
    names.insert(at->path().filename().string());
  return names;
}

std::string on_one_line(std::string text) {
  constexpr std::size_t most_bytes = 2000;
  for (auto& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  text.erase(text.find_last_not_of(' ') + 1);
  return shown(text, most_bytes);
}

// Returns why the file at `path` is not the finished run of `cell`; empty if it is.
std::string objection(const std::string& path, const SweepCell& cell, DataFiles& data) {
  try {
    const RunHead head = read_run_head(path, h5::Reading::unlocked);
    if (!head.complete) return path + ": not a complete run file; remove it";
    if (cell.refusal.empty() && !head.fingerprint.starts_with(cell.hash))
      return path + ": the run of other settings, or an extended run; move it away";
    if (head.real != real_name)
      return fmt::format("{}: made by a program with {} numbers; this one has {}", path, head.real,
                         real_name);
    const auto changed = data.changed(cell.data_files, head.data_files);
    return changed.empty() ? ""
                           : fmt::format("{}: made from other data ({})", path, in_words(changed));
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string failure_in(const std::string& partial) {
  try {
    return read_run_head(partial).failure;
  } catch (const std::exception&) {
    return {};
  }
}

CellStatus status(const Sweep& sweep, const SweepCell& cell, const std::string& folder,
                  const std::set<std::string>& names, DataFiles& data) {
  const CellFiles files = cell_files(sweep, cell, folder);
  const std::string run = fs::path(files.run).filename().string();
  const std::string partial = files.run + ".partial";
  const auto has = [&](const std::string& path) {
    return names.count(fs::path(path).filename().string()) != 0;
  };
  const std::string doubt = has(files.run) ? objection(files.run, cell, data) : "missing";
  if (doubt.empty()) return {CellState::done, ""};
  if (has(partial) && is_locked(partial)) return {CellState::running, ""};
  if (!cell.refusal.empty())
    return {cell.is_skipped ? CellState::skipped : CellState::failed, on_one_line(cell.refusal)};
  if (has(files.failure)) {
    std::string reason = on_one_line(file_content(files.failure));
    if (reason.empty() && has(partial)) reason = on_one_line(failure_in(partial));
    return {CellState::failed, reason.empty() ? "no reason is known" : reason};
  }
  if (has(partial)) {
    const std::string failure = failure_in(partial);
    return {failure.empty() ? CellState::interrupted : CellState::failed, on_one_line(failure)};
  }
  const std::string checkpoint = run + ".checkpoint-";
  const auto first = names.lower_bound(checkpoint);
  const bool has_checkpoint = first != names.end() && first->starts_with(checkpoint);
  if (has(files.run)) return {CellState::failed, on_one_line(doubt)};
  return {has_checkpoint ? CellState::interrupted : CellState::missing, ""};
}

}  // namespace

const char* name(CellState state) {
  switch (state) {
    case CellState::done:
      return "done";
    case CellState::running:
      return "running";
    case CellState::interrupted:
      return "interrupted";
    case CellState::failed:
      return "failed";
    case CellState::skipped:
      return "skipped";
    case CellState::missing:
      break;
  }
  return "missing";
}

CellFiles cell_files(const Sweep& sweep, const SweepCell& cell, const std::string& folder) {
  const std::string stem = (fs::path(folder) / cell_stem(sweep, cell)).string();
  return {stem + ".h5", stem + ".failed"};
}

std::vector<CellStatus> sweep_status(const Sweep& sweep, const std::string& folder,
                                     const std::string& data_folder) {
  const auto names = names_in(folder);
  DataFiles data(data_folder);
  std::vector<CellStatus> all;
  for (const auto& cell : sweep.cells) all.push_back(status(sweep, cell, folder, names, data));
  return all;
}

CellStatus cell_status(const Sweep& sweep, const SweepCell& cell, const std::string& folder,
                       const std::string& data_folder) {
  DataFiles data(data_folder);
  return status(sweep, cell, folder, names_in(folder), data);
}

std::size_t other_runs(const Sweep& sweep, const std::string& folder) {
  std::set<std::string> names = names_in(folder);
  std::erase_if(names, [](const std::string& one) { return !one.ends_with(".h5"); });
  for (const auto& cell : sweep.cells)
    names.erase(fs::path(cell_files(sweep, cell, folder).run).filename().string());
  return names.size();
}

std::string choice_note(const Sweep& sweep) {
  std::map<std::map<std::string, std::string>, std::set<std::size_t>> combinations;
  std::size_t most = 0;
  for (const auto& cell : sweep.cells) {
    if (!cell.data) continue;
    auto& same_data = combinations[*cell.data];
    same_data.insert(cell.combination);
    most = std::max(most, same_data.size());
  }
  if (most < 2) return "";
  return fmt::format(
      "every epsilon covers its own run, not the choice among {} over the same data; see trilemma "
      "privacy tuning",
      most);
}

std::string index_ranges(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    ranges.push_back(last == i ? fmt::format("{}", numbers[i])
                               : fmt::format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return join(ranges, ",");
}

}  // namespace trilemma
