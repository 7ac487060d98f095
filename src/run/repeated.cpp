#include "run/repeated.hpp"

#include "experiment/data_files.hpp"
#include "experiment/words.hpp"
#include "record/content_sum.hpp"
#include "run/run_names.hpp"

namespace trilemma {

std::string obstacle_to_repeating(const RunHead& run) {
  if (!run.complete) return "the run is not complete";
  if (run.has_secret)
    return "its noise came from a secret (privacy.rng = \"chacha20\") that no file holds";
  if (run.real != real_name)
    return fmt::format("it was made by a program with {} numbers, and this one has {}", run.real,
                       real_name);
  return {};
}

Settings repeated_settings(const RunOptions& options) {
  const RunHead run = read_run_head(options.file);
  const std::string obstacle = obstacle_to_repeating(run);
  require(obstacle.empty(), "{}: {}", options.file, obstacle);
  const std::string damage = check_content(options.file);
  require(damage.empty(), "{}", damage);
  return Settings::from_text(
      run.config, options.file,
      {"checkpoint.rounds=0", "checkpoint.seconds=0", "checkpoint.at_end=false"});
}

void check_repeated(const RunOptions& options, const Plan& plan) {
  const RunHead run = read_run_head(options.file);
  require(plan.fingerprint == run.fingerprint,
          "{}: here its settings would differ ({}), so that it cannot be repeated", options.file,
          difference_in_words(run, plan));
  require(!plan.policy,
          "{}: a run in real time; `trilemma replay` makes it again, contact by contact",
          options.file);
  const auto changed =
      DataFiles(data_folder(options.data_folder)).changed(plan.source->files(), run.data_files);
  require(changed.empty(), "{}: the data files have changed since ({})", options.file,
          in_words(changed));
}

}  // namespace trilemma
