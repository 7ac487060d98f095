// The file of a sweep, its experiment, and what lies in the folder of its runs. An input holds all
// of them, one after the other, each behind a line "@NAME"; "@NAME/" is a folder, "@NAME|" a pipe,
// and "@NAME>TARGET" a symbolic link.

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "sweep/sweep.hpp"
#include "sweep/sweep_status.hpp"
#include "tests/fuzz/change_bytes.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/whole_run.hpp"
#include "tests/support/federation.hpp"

namespace trilemma::fuzz {
namespace {

namespace fs = std::filesystem;
using testing::TempFolder;

// A name without a way out of the folder.
std::string harmless(std::string name) {
  for (auto& c : name)
    if (c == '/' || c == '\0') c = '_';
  return name.empty() || name[0] == '.' || name.size() > 200 ? "x" + name.substr(0, 200) : name;
}

void place(const TempFolder& folder, const std::string& head, const std::string& content) {
  std::error_code ignored;
  const auto arrow = head.find('>');
  if (arrow != std::string::npos) {
    fs::create_symlink(harmless(head.substr(arrow + 1)), folder.at(harmless(head.substr(0, arrow))),
                       ignored);
  } else if (head.ends_with('|')) {
    mkfifo(folder.at(harmless(head.substr(0, head.size() - 1))).c_str(), 0600);
  } else if (head.ends_with('/')) {
    fs::create_directory(folder.at(harmless(head.substr(0, head.size() - 1))), ignored);
  } else if (!fs::exists(folder.at(harmless(head)), ignored)) {
    folder.write(harmless(head), content);
  }
}

void unpack(const std::string& input, const TempFolder& folder) {
  for (std::size_t at = input.find('@'); at != std::string::npos;) {
    const std::size_t line = std::min(input.find('\n', at), input.size());
    const std::size_t next = input.find("\n@", line);
    const std::size_t end = std::min(next, input.size());
    place(folder, input.substr(at + 1, line - at - 1),
          line < end ? input.substr(line + 1, end - line - 1) : "");
    at = next == std::string::npos ? next : next + 1;
  }
}

void read_folder(const std::string& input, const TempFolder&) {
  constexpr std::size_t most_cells = 50;
  const TempFolder folder;
  unpack(input, folder);
  Sweep sweep = read_sweep(folder.at("s.toml"));
  promise(!sweep.cells.empty(), "a sweep has cells");
  // A thousand cells take as many plans; their states are no different.
  if (sweep.cells.size() > most_cells) sweep.cells.resize(most_cells);
  for (auto& cell : sweep.cells) {
    resolve(sweep, cell);
    promise(!cell.hash.empty() && !cell_name(sweep, cell).empty(), "a cell has a name");
  }
  const auto states = sweep_status(sweep, folder.path(), folder.path());
  promise(states.size() == sweep.cells.size(), "every cell has a state");
  constexpr std::size_t longest_reason = 10000;
  for (const auto& state : states)
    promise(state.reason.size() < longest_reason &&
                std::none_of(state.reason.begin(), state.reason.end(),
                             [](char c) { return static_cast<unsigned char>(c) < ' '; }),
            "short reasons on one line: " + state.reason);
  choice_note(sweep);
}

std::string packed(const std::string& sweep, const std::string& others) {
  return fmt::format("@s.toml\n{}\n@tiny.toml\n{}\n{}", sweep, testing::tiny_experiment, others);
}

}  // namespace

Harness sweep_harness() {
  const std::string stem = fs::path(whole_run().path).stem().string();
  const std::string grid =
      "name = 'g'\nexperiment = 'tiny.toml'\nseeds = [1, 2]\nrepetitions = 2\norder_seed = 3\n"
      "[set]\nrounds = 4\n[axes]\nmethod = ['ldp-sgd', 'soteriafl-sgd']\n[[zip]]\nlocal.batch = "
      "[5, 6]\nbound.threshold = [0.5, 1]\n";
  return {
      {packed(grid, ""),
       packed(one_cell, fmt::format("@{0}.failed\nrank 0: no\tdisk\n@{0}.h5\n{1}", stem,
                                    whole_run().run_bytes)),
       packed(one_cell,
              fmt::format("@{0}.h5.partial\n{1}\n@{0}.h5.checkpoint-5\n@sub/\n@{0}.h5>sub", stem,
                          whole_run().run_bytes)),
       packed(one_cell, fmt::format("@{0}.h5.partial|\n@{0}.failed\nno disk\n@{0}.h5|\n", stem))},
      {read_folder},
      change_bytes};
}

}  // namespace trilemma::fuzz
