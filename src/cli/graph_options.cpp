
#include "base/check.hpp"
#include "cli/command.hpp"
#include "experiment/graph_answer.hpp"

namespace trilemma {

void add_graph_options(CLI::App& app, GraphQuestion& question) {
  struct Key {
    const char *option, *key, *help;
  };
  const Key keys[] = {
      {"--weights", "weights", "metropolis (default), lazy, uniform or best-constant"},
      {"--rows", "rows", "torus: rows, at least 3 (default: as square as possible)"},
      {"--probability", "probability", "erdos-renyi: probability of an edge (default: 0.5)"},
      {"--file", "file", "file: lines NODE NODE or NODE NODE WEIGHT"},
  };
  for (const Key& key : keys)
    app.add_option_function<std::string>(
        key.option,
        [&question, name = std::string(key.key)](const std::string& value) {
          question.overrides.push_back("graph." + name + "=" + value);
        },
        key.help);
  app.add_option("--seed", question.seed, "erdos-renyi: seed of the draw (default: 1)")
      ->check(CLI::NonNegativeNumber);
}

void without_place(const std::function<void()>& answer) {
  try {
    answer();
  } catch (const UserError& error) {
    Mistake mistake = error.mistake();
    if (mistake.place == SourcePlace::command_line()) mistake.place = {};
    throw UserError(mistake);
  }
}

}  // namespace trilemma
