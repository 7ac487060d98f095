#include "run/finished_run.hpp"

#include <cmath>
#include <filesystem>

#include "experiment/budget.hpp"
#include "experiment/data_files.hpp"
#include "experiment/read_plan.hpp"
#include "experiment/words.hpp"
#include "record/content_sum.hpp"
#include "record/run_reader.hpp"
#include "run/contacts.hpp"
#include "run/run_names.hpp"
#include "schedule/step_sequence.hpp"

namespace trilemma {
namespace {

// Returns the privacy.sigma that leads to noise `sigma` per coordinate, to the last bit.
double setting_for(const Plan& plan, double sigma) {
  if (!plan.privacy.total_norm) return sigma;
  const StateShape shape = plan.shape();
  const double root =
      std::sqrt(static_cast<double>(plan.privacy.at_server ? shape.sum() : shape.up));
  const double near = sigma * root;
  for (const double total : {near, std::nextafter(near, 0), std::nextafter(near, HUGE_VAL)})
    if (total / root == sigma) return total;
  return near;
}

void require_intact(const std::string& path) {
  const std::string damage = check_content(path);
  require(damage.empty(), "{}", damage);
}

// Returns the head of a run file. Throws UserError unless the run is complete and intact, and has
// the type of numbers of this program; `verb` says what could then be done with the run.
RunHead head_of_finished(const std::string& path, const char* verb) {
  RunHead run = read_run_head(path);
  require(run.complete,
          "{}: a run that is not complete; bring it to its end with --resume, then {} it", path,
          verb);
  require_intact(path);
  require(run.real == real_name,
          "{}: written by a program with {} numbers, this one has {}; use the other program", path,
          run.real, real_name);
  return run;
}

void require_same_settings(const std::string& path, const RunHead& run, const Plan& plan) {
  require(
      plan.fingerprint == run.fingerprint,
      "{}: here its settings would differ ({}): by --set, another file that they name, or another version of the program; settings that affect results must not change",
      path, difference_in_words(run, plan));
}

Settings settings_of(const Extension& extension, const RunOptions& options,
                     const std::vector<std::string>& more) {
  std::vector<std::string> overrides = options.overrides;
  overrides.insert(overrides.end(), more.begin(), more.end());
  return Settings::from_text(extension.run.config, options.file, overrides);
}

}  // namespace

Extension extension_of(const RunOptions& options) {
  std::error_code ignored;
  require(!std::filesystem::is_symlink(options.file, ignored),
          "{}: a symbolic link, through which nothing is written; name the file itself",
          options.file);
  Extension out{head_of_finished(options.file, "extend"), 0};
  const Plan plan = read_plan(settings_of(out, options, {}));
  require_same_settings(options.file, out.run, plan);
  require(out.run.rounds_done == static_cast<std::uint64_t>(plan.rounds),
          "{}: {} rounds where its configuration has {}; take another copy of it", options.file,
          out.run.rounds_done, plan.rounds);
  require(
      !plan.method.ends_differently,
      "{}: its last server step gave the mean of all models (server.output), so that none can follow; start a new run with more rounds",
      options.file);
  require(
      !plan.method.output,
      "{}: its last server step gave the model of a random round, which was drawn among {} rounds; start a new run with more rounds",
      options.file, plan.rounds);
  require(!plan.joint,
          "{}: the messages of {} were chosen for {} rounds; start a new run with more rounds",
          options.file, plan.joint_kind, plan.rounds);
  require(
      !(plan.method.recursion.remembers() && plan.privacy.by_closed_form),
      "{}: its noise between anchors follows from the closed form for {} rounds; start a new run with more rounds",
      options.file, plan.rounds);
  out.rounds = plan.rounds;
  require(static_cast<double>(out.rounds + options.rounds_more) <= most_rounds,
          "--rounds-more: {} has {} rounds, and a run has at most {:.0f}; give fewer", options.file,
          out.rounds, most_rounds);
  return out;
}

Settings extended_settings(const Extension& extension, const RunOptions& options) {
  const Plan plan = read_plan(settings_of(extension, options, {}));
  std::vector<std::string> more = {
      fmt::format("rounds={}", extension.rounds + options.rounds_more)};
  if (plan.method.noise && plan.privacy.epsilon)
    more.push_back(fmt::format("privacy.sigma={}", setting_for(plan, extension.run.noise_sigma)));
  return settings_of(extension, options, more);
}

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
  require_intact(options.file);
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

Settings replayed_settings(const RunOptions& options) {
  const RunHead run = head_of_finished(options.file, "replay");
  return Settings::from_text(run.config, options.file, options.overrides);
}

void follow_contacts(const RunOptions& options, Plan& plan) {
  const RunHead run = read_run_head(options.file);
  require_same_settings(options.file, run, plan);
  const ContactLog log = read_contacts(options.file);
  const auto problems = contact_problems(log, plan, static_cast<std::uint64_t>(plan.rounds));
  require(problems.empty(),
          "{}: these contacts are impossible for any server: {}; use another copy of the file",
          options.file, in_words(problems));
  const double expected = plan.participants();
  const std::uint64_t handed_out = handed_out_by(plan);
  plan.clock = recorded_steps(server_steps_of(log, static_cast<std::uint64_t>(plan.rounds)),
                              expected, handed_out);
  plan.policy = {};
  plan.method.driver = "timed";
  plan.fingerprint += replay_mark;
}

void check_ranks(const Plan& plan, const Placement& placement) {
  require(
      !plan.policy || (placement.size > 1 && !plan.server_hosts),
      "clock.time = \"real\" needs rank 0 for the server and other ranks for the clients; start it with mpirun -n 2 or more (and --mpi, if the launcher is not known) and without server_hosts, or leave clock.time out");
}

std::string replay_name(const std::string& run) {
  std::filesystem::path path(run);
  path.replace_filename(path.stem().string() + "-replay" + path.extension().string());
  return path.string();
}

}  // namespace trilemma
