#include "run/run_target.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/check.hpp"
#include "base/durable.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "experiment/data_files.hpp"
#include "experiment/words.hpp"
#include "record/output_status.hpp"
#include "record/run_reader.hpp"
#include "run/checkpointer.hpp"
#include "run/run_names.hpp"

namespace trilemma {
namespace {

// What a user who wants to start over deletes.
std::string all_of(const std::vector<CheckpointName>& saved, const std::string& path) {
  return saved.size() == 1 ? "it" : path + ".checkpoint-*";
}

// What the run file in a checkpoint records about its experiment.
RunHead head_of(const CheckpointReader& checkpoint, const std::string& path) {
  const std::string copy = extraction_of(path);
  std::error_code ignored;
  std::filesystem::remove(copy, ignored);
  checkpoint.extract_run_file(copy);
  RunHead head = head_or_none(copy);
  std::filesystem::remove(copy, ignored);
  return head;
}

// In a process of its own: the text comes from a file.
std::string difference(const std::string& path, const RunHead& there, const Plan& plan) {
  const Bytes bytes = read_in_subprocess(path, [&] {
    const std::string text = difference_in_words(there, plan);
    const auto content = std::as_bytes(std::span(text));
    return Bytes(content.begin(), content.end());
  });
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_width(const std::string& path, const std::string& width) {
  require(width == real_name,
          "{}: written by a program with {} numbers, this one has {}; resume with the other "
          "program, or choose another --output",
          path, width, real_name);
}

// A whole checkpoint may still be of something else, or say what no run of this plan, or of the
// shorter one `before`, can have come to.
void check_identity(const CheckpointReader& reader, const std::string& path, const Plan& plan,
                    const Extension* before) {
  const std::string& name = reader.name().path;
  const bool is_before = before != nullptr && reader.fingerprint() == before->run.fingerprint;
  if (reader.fingerprint() != plan.fingerprint && !is_before)
    throw UserError(fmt::format(
        "{}: checkpoint of an experiment with other settings ({}); resume with those, or choose "
        "another --output",
        name, difference(name, head_of(reader, path), plan)));
  check_width(name, reader.real());
  std::uint32_t done = 0;
  State state = State::restoring(reader.common());
  state.value(done);
  const long rounds = is_before ? before->rounds : plan.rounds;
  if (done != reader.round() || reader.round() > rounds)
    throw DamagedCheckpoint(
        fmt::format("{}: damaged checkpoint (it is after {} of {} rounds)", name, done, rounds));
  if (reader.clients() != static_cast<std::size_t>(plan.clients))
    throw DamagedCheckpoint(
        fmt::format("{}: damaged checkpoint (it has {} clients)", name, reader.clients()));
}

// The newest that is whole; says which are not. Null where there is none, or where all are damaged
// and may be overwritten.
std::unique_ptr<CheckpointReader> newest_checkpoint(const std::string& path, const Plan& plan,
                                                    bool overwrite,
                                                    const Extension* before = nullptr,
                                                    bool skips_others = false) {
  auto saved = checkpoints_of(path);
  if (skips_others)
    std::erase_if(saved, [&](const CheckpointName& name) {
      const std::string fingerprint = checkpoint_fingerprint(name.path);
      return fingerprint != plan.fingerprint && fingerprint != before->run.fingerprint;
    });
  for (std::size_t i = 0; i < saved.size(); ++i) {
    try {
      auto reader = std::make_unique<CheckpointReader>(saved[i]);
      check_identity(*reader, path, plan, before);
      if (reader->revision() != git_revision())
        fmt::print(stderr,
                   "trilemma: warning: {} was written by revision {} of the program, this is {}: "
                   "the result may not be bit-identical to that of a run by one program\n",
                   saved[i].path, printable(reader->revision()), git_revision());
      return reader;
    } catch (const DamagedCheckpoint& error) {
      const bool is_last = i + 1 == saved.size();
      require(!is_last || overwrite, "{}{}; delete {} to start over", error.what(),
              saved.size() == 1 ? "" : ", like all newer ones", all_of(saved, path));
      fmt::print(stderr, "trilemma: warning: {}; {}\n", error.what(),
                 is_last ? "starting over" : "trying an older one");
    }
  }
  return nullptr;
}

// A file that has its name already and must not be lost.
[[noreturn]] void refuse_to_replace(const std::string& path, const RunHead& head,
                                    const RunOptions& options, const Plan& plan) {
  const bool is_same = head.fingerprint == plan.fingerprint;
  const std::string what =
      is_same ? fmt::format("there is a {} run of these settings already",
                            head.complete ? "complete" : "partial")
              : fmt::format("not a run of this experiment with these settings ({})",
                            difference(path, head, plan));
  throw UserError(fmt::format("{}: {}; add --overwrite to replace it,{} or choose another --output",
                              path, what,
                              is_same && !options.resume ? " --resume to leave it alone," : ""));
}

// True for the finished run that is asked for. What is something else is refused, or may be
// overwritten.
bool is_finished(const std::string& path, const Plan& plan, const RunOptions& options) {
  // What has this name is whole, though its writer may hold it for a moment more.
  const OutputStatus found = output_status(path, h5::Reading::unlocked);
  if (found == OutputStatus::nothing) return false;
  refuse_link(path);
  require(found == OutputStatus::run,
          "{}: there is something that is not a run file; choose another --output", path);
  if (options.overwrite && !options.resume) return false;
  const RunHead head = read_run_head(path, h5::Reading::unlocked);
  const bool is_wanted = options.resume && head.complete && head.fingerprint == plan.fingerprint;
  if (!is_wanted && !options.overwrite) refuse_to_replace(path, head, options, plan);
  if (!is_wanted) return false;
  check_width(path, head.real);
  const auto changed =
      DataFiles(data_folder(options.data_folder)).changed(plan.source->files(), head.data_files);
  require(changed.empty() || options.overwrite,
          "{}: the data files have changed since ({}); bring the old ones back, choose another "
          "--output, or add --overwrite to make the run again",
          path, in_words(changed));
  return changed.empty();
}

void check_data(const std::string& path, const Plan& plan, const RunHead& head,
                const RunOptions& options) {
  const auto changed =
      DataFiles(data_folder(options.data_folder)).changed(plan.source->files(), head.data_files);
  require(changed.empty(),
          "{}: the data files have changed since ({}); bring the old ones back, or make a run of "
          "its own with the new ones",
          path, in_words(changed));
}

// Who starts such a run over draws other noise: what rounds have released is released once more.
void check_lost_secret(const std::string& path, const Plan& plan) {
  const std::string partial = path + ".partial";
  const OutputStatus found = output_status(partial);
  if (found == OutputStatus::nothing) return;
  const RunHead head = head_or_none(partial);
  const bool is_lost = found == OutputStatus::unreadable ? plan.privacy.secret
                                                         : head.has_secret && head.rounds_done > 0;
  require(!is_lost,
          "{}: {} rounds were released under a secret of which no checkpoint is left, and starting "
          "over would release them twice; keep the file and choose another --output, or add "
          "--overwrite",
          partial,
          found == OutputStatus::unreadable ? "perhaps some" : std::to_string(head.rounds_done));
}

// Rounds without a checkpoint are made again, which should surprise nobody. What a sweep resumes by
// itself (`prepare`) may as well start.
void report_start_over(const std::string& path, const RunOptions& options) {
  const std::string partial = path + ".partial";
  if (options.overwrite || is_locked(partial)) return;
  const bool is_run = output_status(partial) == OutputStatus::run;
  if (const auto done = is_run ? head_or_none(partial).rounds_done : 0; done > 0)
    fmt::print(
        stderr,
        "trilemma: note: {}: an unfinished run without a checkpoint (checkpoint.seconds); its "
        "{} rounds are made again\n",
        partial, done);
  else if (!options.resume || options.prepare)
    return;
  else if (!options.output.empty())
    fmt::print(stderr, "trilemma: note: {}: no checkpoint to resume from; starting at round 0\n",
               path);
  else  // another folder or other settings may have been meant
    fmt::print(stderr,
               "trilemma: note: no run of these settings to resume: neither {} nor a "
               "checkpoint of it exists; starting over\n",
               path);
}

// What a crash between the end of the run and its clean-up has left. A run that is being extended
// has checkpoints beside the same file.
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

RunTarget choose_target(const RunOptions& options, const Plan& plan) {
  RunTarget target;
  target.path = options.output.empty() ? default_path(plan, options.resume) : options.output;
  const std::string& path = target.path;
  target.overwrite = options.overwrite;
  if (!options.resume) {
    const auto saved = checkpoints_of(path);
    require(
        saved.empty() || options.overwrite || head_or_none(path, h5::Reading::unlocked).complete,
        "{}: checkpoint of an unfinished run of this name; add --resume to continue it, or "
        "--overwrite to start over",
        saved.empty() ? "" : saved.front().path);
    is_finished(path, plan, options);
    report_start_over(path, options);
    return target;
  }
  wait_for_writer(path);
  if (is_finished(path, plan, options)) {
    clean_up(path, plan);
    target.is_complete = true;
    return target;
  }
  target.checkpoint = newest_checkpoint(path, plan, options.overwrite);
  if (target.checkpoint == nullptr && !options.overwrite) check_lost_secret(path, plan);
  if (target.checkpoint == nullptr) report_start_over(path, options);
  return target;
}

RunTarget choose_extended(const RunOptions& options, const Plan& plan, const Extension& extension) {
  const std::string& finished = options.file;
  check_data(finished, plan, extension.run, options);
  RunTarget target;
  target.path = options.output.empty() ? finished : options.output;
  const std::string& path = target.path;
  std::error_code ignored;
  const bool is_in_place = std::filesystem::equivalent(path, finished, ignored);
  target.overwrite = is_in_place || options.overwrite;
  if (is_in_place) target.replaces = extension.run.fingerprint;
  wait_for_writer(path);
  RunOptions repeated = options;
  repeated.resume = true;
  target.is_complete = !is_in_place && is_finished(path, plan, repeated);
  if (target.is_complete) return target;
  target.checkpoint =
      newest_checkpoint(path, plan, options.overwrite, &extension, options.overwrite);
  if (target.checkpoint == nullptr && !options.overwrite) check_lost_secret(path, plan);
  if (target.checkpoint == nullptr && !is_in_place)
    target.checkpoint = newest_checkpoint(finished, plan, true, &extension, true);
  target.extends =
      target.checkpoint != nullptr && target.checkpoint->fingerprint() != plan.fingerprint;
  if (target.checkpoint != nullptr) return target;
  require(!plan.privacy.secret,
          "{}: its noise came from a secret that is gone with its last checkpoint, so it cannot be "
          "extended; run with checkpoint.at_end = true where that may be wanted",
          finished);
  fmt::print(stderr,
             "trilemma: note: {} has no checkpoint of its end (checkpoint.at_end = true keeps it): "
             "its {} rounds are made again first, with the same noise\n",
             finished, extension.rounds);
  return target;
}

}  // namespace trilemma
