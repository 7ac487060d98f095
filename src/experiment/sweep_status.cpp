#include "experiment/sweep_status.hpp"

#include <filesystem>
#include <set>

#include "core/file_content.hpp"
#include "core/text.hpp"
#include "record/durable.hpp"
#include "record/run_reader.hpp"

namespace trilemma {
namespace {

namespace fs = std::filesystem;

// Names of all files in a folder that may not be there yet.
std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored))
    names.insert(at->path().filename().string());
  return names;
}

std::string on_one_line(std::string text) {
  for (auto& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// The end that a run file tells of; one that cannot be read is none.
RunEnd end_of(const std::string& path) {
  try {
    return read_run_end(path);
  } catch (const std::exception&) {
    return {};
  }
}

CellStatus status(const Sweep& sweep, const SweepCell& cell, const std::string& folder,
                  const std::set<std::string>& names) {
  const CellFiles files = cell_files(sweep, cell, folder);
  const std::string run = fs::path(files.run).filename().string();
  const std::string partial = files.run + ".partial";
  const auto has = [&](const std::string& path) {
    return names.count(fs::path(path).filename().string()) != 0;
  };
  if (has(files.run) && end_of(files.run).complete) return {CellState::done, ""};
  if (has(partial) && is_locked(partial)) return {CellState::running, ""};
  if (!cell.refusal.empty()) return {CellState::failed, on_one_line(cell.refusal)};
  if (has(files.failure)) {
    const std::string reason = on_one_line(file_content(files.failure));
    return {CellState::failed, reason.empty() ? "no reason is known" : reason};
  }
  if (has(partial)) {
    const std::string failure = end_of(partial).failure;
    return {failure.empty() ? CellState::interrupted : CellState::failed, on_one_line(failure)};
  }
  const std::string checkpoint = run + ".checkpoint-";
  const auto first = names.lower_bound(checkpoint);
  const bool has_checkpoint = first != names.end() && first->starts_with(checkpoint);
  if (has(files.run))
    return {CellState::failed, files.run + ": not a complete run file; remove it"};
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
    case CellState::missing:
      break;
  }
  return "missing";
}

CellFiles cell_files(const Sweep& sweep, const SweepCell& cell, const std::string& folder) {
  const std::string stem = (fs::path(folder) / cell_stem(sweep, cell)).string();
  return {stem + ".h5", stem + ".failed"};
}

std::vector<CellStatus> sweep_status(const Sweep& sweep, const std::string& folder) {
  const auto names = names_in(folder);
  std::vector<CellStatus> all;
  for (const auto& cell : sweep.cells) all.push_back(status(sweep, cell, folder, names));
  return all;
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
