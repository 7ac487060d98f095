#include "run/replay.hpp"

#include <filesystem>

#include "experiment/budget.hpp"
#include "record/content_sum.hpp"
#include "record/run_reader.hpp"
#include "run/contact_checks.hpp"
#include "run/contacts.hpp"
#include "run/run_names.hpp"
#include "schedule/recorded_steps.hpp"

namespace trilemma {

Settings replayed_settings(const RunOptions& options) {
  const RunHead run = read_run_head(options.file);
  require(run.complete,
          "{}: a run that is not complete; bring it to its end with --resume, then replay it",
          options.file);
  const std::string damage = check_content(options.file);
  require(damage.empty(), "{}", damage);
  require(run.real == real_name,
          "{}: written by a program with {} numbers, this one has {}; use the other program",
          options.file, run.real, real_name);
  return Settings::from_text(run.config, options.file, options.overrides);
}

void follow_contacts(const RunOptions& options, Plan& plan) {
  const RunHead run = read_run_head(options.file);
  require(
      plan.fingerprint == run.fingerprint,
      "{}: here its settings would differ ({}): by --set, another file that they name, or another version of the program; settings that affect results must not change",
      options.file, difference_in_words(run, plan));
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
