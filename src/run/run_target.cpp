#include "run/run_target.hpp"

#include <cmath>
#include <filesystem>

#include "base/check.hpp"
#include "base/durable.hpp"
#include "base/phase_timer.hpp"
#include "base/subprocess.hpp"
#include "experiment/data_files.hpp"
#include "experiment/words.hpp"
#include "record/run_reader.hpp"
#include "run/run_names.hpp"
#include "run/target_request.hpp"

namespace trilemma {
namespace {

// Removes files left by a crash between the end of the run and its clean-up. A run that is being
// extended has checkpoints for the same file.
void clean_up(const std::string& path, const Plan& plan) {
  if (is_locked(path + ".partial")) return;
  for (const auto& name : checkpoints_of(path)) {
    const std::string fingerprint = checkpoint_fingerprint(name.path);
    const bool is_of_another = !fingerprint.empty() && fingerprint != plan.fingerprint;
    const bool is_kept = plan.checkpoint.at_end && name.round == plan.rounds;
    if (!is_of_another && !is_kept) std::filesystem::remove(name.path);
  }
}

}  // namespace

// Runs in a subprocess, since the text comes from a file and reading it may fail in any way.
std::string difference_apart(const std::string& path, const RunHead& there, const Plan& plan) {
  const Bytes bytes = read_in_subprocess(path, [&] {
    const std::string text = difference_in_words(there, plan);
    const auto content = std::as_bytes(std::span(text));
    return Bytes(content.begin(), content.end());
  });
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<ChangedFile> changed_data(const TargetRequest& r, const RunHead& head) {
  return DataFiles(data_folder(r.options.data_folder))
      .changed(r.plan.source->files(), head.data_files);
}

void refuse_width(const std::string& path, const std::string& width) {
  throw UserError(
      fmt::format("{}: written by a program with {} numbers, this one has {}; resume with the "
                  "other program, or choose another --output",
                  path, width, real_name));
}

RunTarget choose_target(const RunOptions& options, const Plan& plan) {
  RunTarget target;
  target.path = options.output.empty() ? default_path(plan, options.resume) : options.output;
  target.overwrite = options.overwrite;
  const TargetRequest request{options, plan, target.path};
  if (options.resume) wait_for_writer(target.path);
  target.is_complete = is_finished(request);
  if (target.is_complete)
    clean_up(target.path, plan);
  else
    target.checkpoint = checkpoint_for(request);
  return target;
}

RunTarget choose_extended(const RunOptions& options, const Plan& plan, const Extension& extension) {
  const std::string& finished = options.file;
  RunTarget target;
  target.path = options.output.empty() ? finished : options.output;
  std::error_code ignored;
  const bool in_place = std::filesystem::equivalent(target.path, finished, ignored);
  const TargetRequest request{options, plan, target.path, &extension, in_place};
  const auto changed = changed_data(request, extension.run);
  require(
      changed.empty(),
      "{}: the data files have changed since ({}); bring the old ones back, or start a separate run with the new ones",
      finished, in_words(changed));
  target.overwrite = in_place || options.overwrite;
  if (in_place) target.replaces = extension.run.fingerprint;
  wait_for_writer(target.path);
  target.is_complete = !in_place && is_finished(request);
  if (target.is_complete) return target;
  target.checkpoint = checkpoint_for(request);
  target.extends =
      target.checkpoint != nullptr && target.checkpoint->fingerprint() != plan.fingerprint;
  return target;
}

std::unique_ptr<RunFile> open_run(const RunTarget& target, const RunIdentity& id,
                                  std::span<const Metric> metrics, const Claim& claim) {
  if (target.checkpoint == nullptr) {
    auto file = std::make_unique<RunFile>(
        target.path, id, metrics,
        std::vector<std::string>(std::begin(phase_names), std::end(phase_names)), target.overwrite,
        target.replaces);
    if (target.overwrite) remove_checkpoints(target.path);
    return file;
  }
  if (id.own_model) {
    const auto changed =
        changed_between(target.checkpoint->data_files(), module_lines(*id.own_model));
    require(changed.empty(),
            "{}: modules that the model imports have changed since ({}); bring the old ones back, "
            "or start over with another --output",
            target.checkpoint->name().path, in_words(changed));
  }
  require(id.data_files == target.checkpoint->data_files(),
          "{}: the data files have changed since ({}); bring the old ones back, or start over with "
          "another --output",
          target.checkpoint->name().path,
          in_words(changed_between(target.checkpoint->data_files(), id.data_files)));
  auto file = std::make_unique<RunFile>(target.path, id, metrics, *target.checkpoint,
                                        target.overwrite, target.replaces);
  if (!target.extends) return file;
  std::vector<double> epsilon(static_cast<std::size_t>(target.checkpoint->round()) + 1,
                              std::nan(""));
  for (std::size_t t = 0; t < epsilon.size(); ++t) epsilon[t] = claim.spent(t);
  file->renew(id, epsilon);
  return file;
}

}  // namespace trilemma
