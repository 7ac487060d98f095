// Decisions about the checkpoints and rounds of an unfinished run.

#include <cstdio>
#include <filesystem>

#include "base/check.hpp"
#include "base/durable.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "record/output_status.hpp"
#include "run/run_names.hpp"
#include "run/target_request.hpp"

namespace trilemma {
namespace {

// Returns what the run file in a checkpoint records about its experiment.
RunHead head_of(const CheckpointReader& checkpoint, const std::string& path) {
  const std::string copy = extraction_of(path);
  std::error_code ignored;
  std::filesystem::remove(copy, ignored);
  checkpoint.extract_run_file(copy);
  RunHead head = head_or_none(copy);
  std::filesystem::remove(copy, ignored);
  return head;
}

enum class SavedFound {
  nothing,
  locked,          // an unfinished run file that a process is writing
  rounds,          // an unfinished run file without a checkpoint
  secret_rounds,   // the same, with noise from a secret that is lost
  checkpoint,      // one to resume from; for a new start, any
  damaged,         // checkpoints, all of them damaged
  other_settings,  // the newest whole checkpoint is of other settings
  other_width,     // its numbers have another width
};

struct Saved {
  SavedFound found = SavedFound::nothing;
  std::unique_ptr<CheckpointReader> checkpoint = {};  ///< the newest intact one
  std::string name = {},
              problem = {};  ///< of the checkpoint that decides, and what is wrong with it
};

// An intact checkpoint may still record a state that no run of this plan, or of the shorter one
// `before`, can have reached.
void check_progress(const CheckpointReader& reader, const TargetRequest& r, bool is_before) {
  const std::string& name = reader.name().path;
  std::uint32_t done = 0;
  State state = State::restoring(reader.common());
  state.value(done);
  const long rounds = is_before ? r.before->rounds : r.plan.rounds;
  if (done != reader.round() || reader.round() > rounds)
    throw DamagedCheckpoint(
        fmt::format("{}: damaged checkpoint (it is after {} of {} rounds)", name, done, rounds));
  if (reader.clients() != static_cast<std::size_t>(r.plan.clients))
    throw DamagedCheckpoint(
        fmt::format("{}: damaged checkpoint (it has {} clients)", name, reader.clients()));
}

Saved read_checkpoint(const CheckpointName& name, const TargetRequest& r) {
  Saved saved{SavedFound::checkpoint, std::make_unique<CheckpointReader>(name), name.path};
  const CheckpointReader& reader = *saved.checkpoint;
  const bool is_before = r.before != nullptr && reader.fingerprint() == r.before->run.fingerprint;
  if (reader.fingerprint() != r.plan.fingerprint && !is_before) {
    saved.problem = difference_apart(name.path, head_of(reader, r.path), r.plan);
    saved.found = SavedFound::other_settings;
  } else if (reader.real() != real_name) {
    saved.problem = reader.real();
    saved.found = SavedFound::other_width;
  } else {
    check_progress(reader, r, is_before);
    if (reader.revision() != git_revision())
      fmt::print(stderr,
                 "trilemma: warning: {} was written by revision {} of the program, this is {}: "
                 "the result may not be bit-identical to that of a run by one program\n",
                 name.path, printable(reader.revision()), git_revision());
  }
  return saved;
}

// Returns the newest intact checkpoint and reports damaged ones. With `only_own`, checkpoints of
// other settings are ignored.
Saved newest_checkpoint(const TargetRequest& r, bool only_own) {
  auto names = checkpoints_of(r.path);
  if (only_own)
    std::erase_if(names, [&](const CheckpointName& name) {
      const std::string fingerprint = checkpoint_fingerprint(name.path);
      return fingerprint != r.plan.fingerprint && fingerprint != r.before->run.fingerprint;
    });
  for (const CheckpointName& name : names) {
    try {
      return read_checkpoint(name, r);
    } catch (const DamagedCheckpoint& error) {
      if (name.path == names.back().path)
        return {SavedFound::damaged, nullptr, name.path, error.what()};
      fmt::print(stderr, "trilemma: warning: {}; trying an older one\n", error.what());
    }
  }
  return {};
}

// Starting again after losing a secret would draw different noise and release rounds twice.
bool has_lost_secret(const TargetRequest& r, OutputStatus partial) {
  if (partial == OutputStatus::unreadable) return r.plan.privacy.secret;
  const RunHead head = head_or_none(r.path + ".partial");
  return head.has_secret && head.rounds_done > 0;
}

Saved what_is_saved(const TargetRequest& r) {
  if (r.asked() == Asked::start_over) return {};
  if (r.asked() == Asked::start) {
    const auto names = checkpoints_of(r.path);
    if (!names.empty()) return {SavedFound::checkpoint, nullptr, names.front().path};
  } else if (Saved saved = newest_checkpoint(r, r.asked() == Asked::extend_over);
             saved.found != SavedFound::nothing) {
    return saved;
  }
  const std::string partial = r.path + ".partial";
  const OutputStatus found = output_status(partial);
  if (found == OutputStatus::nothing) return {};
  if (has_lost_secret(r, found)) return {SavedFound::secret_rounds};
  if (is_locked(partial)) return {SavedFound::locked};
  const bool has_rounds = found == OutputStatus::run && head_or_none(partial).rounds_done > 0;
  return {has_rounds ? SavedFound::rounds : SavedFound::nothing};
}

// An action returns the checkpoint to resume from; nullptr = start.
using Checkpoint = std::unique_ptr<CheckpointReader>;
using SavedAction = Checkpoint (*)(const TargetRequest&, Saved&);

Checkpoint start(const TargetRequest&, Saved&) { return nullptr; }
Checkpoint resume(const TargetRequest&, Saved& saved) { return std::move(saved.checkpoint); }

// Reports that rounds will be computed again.
Checkpoint again(const TargetRequest& r, Saved&) {
  const std::string partial = r.path + ".partial";
  if (const auto done = head_or_none(partial).rounds_done; done > 0)
    fmt::print(
        stderr,
        "trilemma: note: {}: an unfinished run without a checkpoint (checkpoint.seconds); its {} rounds are repeated\n",
        partial, done);
  return nullptr;
}

// Perhaps another folder or other settings were intended. A sweep that resumes automatically
// (`prepare`) may simply start.
Checkpoint anyway(const TargetRequest& r, Saved&) {
  if (r.options.prepare) return nullptr;
  if (!r.options.output.empty())
    fmt::print(stderr, "trilemma: note: {}: no checkpoint to resume from; starting at round 0\n",
               r.path);
  else
    fmt::print(stderr,
               "trilemma: note: no run of these settings to resume: neither {} nor a "
               "checkpoint of it exists; starting over\n",
               r.path);
  return nullptr;
}

Checkpoint warn(const TargetRequest&, Saved& saved) {
  fmt::print(stderr, "trilemma: warning: {}; starting over\n", saved.problem);
  return nullptr;
}

// Resumes from the end of the finished run if that was kept, otherwise from its start if the same
// noise can be drawn again.
Checkpoint extend(const TargetRequest& r, Saved&) {
  const std::string& finished = r.options.file;
  Saved end;
  if (!r.in_place) end = newest_checkpoint({r.options, r.plan, finished, r.before}, true);
  if (end.found == SavedFound::checkpoint) return std::move(end.checkpoint);
  if (end.found == SavedFound::other_width) refuse_width(finished, end.problem);
  if (end.found == SavedFound::damaged) warn(r, end);
  require(!r.plan.privacy.secret,
          "{}: its noise came from a secret that is gone with its last checkpoint, so it cannot be "
          "extended; run with checkpoint.at_end = true where that may be wanted",
          finished);
  fmt::print(
      stderr,
      "trilemma: note: {} has no checkpoint of its end (checkpoint.at_end = true keeps it): its {} rounds are repeated first, with the same noise\n",
      finished, r.before->rounds);
  return nullptr;
}
Checkpoint warn_extend(const TargetRequest& r, Saved& saved) {
  warn(r, saved);
  return extend(r, saved);
}

Checkpoint keep_it(const TargetRequest&, Saved& saved) {
  throw UserError(
      fmt::format("{}: checkpoint of an unfinished run of this name; add --resume to continue "
                  "it, or --overwrite to start over",
                  saved.name));
}
Checkpoint no_secret(const TargetRequest& r, Saved&) {
  const std::string partial = r.path + ".partial";
  const auto done = head_or_none(partial).rounds_done;
  throw UserError(fmt::format(
      "{}: {} rounds were released under a secret that no checkpoint holds any longer, and starting over would release them twice; keep the file and choose another --output, or add --overwrite",
      partial, done > 0 ? std::to_string(done) : "perhaps some"));
}
Checkpoint no_whole(const TargetRequest& r, Saved& saved) {
  const bool is_only = checkpoints_of(r.path).size() == 1;
  throw UserError(fmt::format("{}{}; delete {} to start over", saved.problem,
                              is_only ? "" : ", like all newer ones",
                              is_only ? "it" : r.path + ".checkpoint-*"));
}
Checkpoint no_other(const TargetRequest&, Saved& saved) {
  throw UserError(
      fmt::format("{}: checkpoint of an experiment with other settings ({}); resume with those, or "
                  "choose another --output",
                  saved.name, saved.problem));
}
Checkpoint no_width(const TargetRequest& r, Saved& saved) { refuse_width(r.path, saved.problem); }

// clang-format off
constexpr Decision<SavedFound, SavedAction> saved_table[] = {
  //                             start    start_over resume     resume_over extend     extend_over
  {SavedFound::nothing,        {{start,   start,     anyway,    start,      extend,    extend}}},
  {SavedFound::locked,         {{start,   start,     start,     start,      extend,    extend}}},
  {SavedFound::rounds,         {{again,   start,     again,     start,      extend,    extend}}},
  {SavedFound::secret_rounds,  {{again,   start,     no_secret, start,      no_secret, extend}}},
  {SavedFound::checkpoint,     {{keep_it, start,     resume,    resume,     resume,    resume}}},
  {SavedFound::damaged,        {{keep_it, start,     no_whole,  warn,       no_whole,  warn_extend}}},
  {SavedFound::other_settings, {{keep_it, start,     no_other,  no_other,   no_other,  no_other}}},
  {SavedFound::other_width,    {{keep_it, start,     no_width,  no_width,   no_width,  no_width}}},
};
// clang-format on

}  // namespace

Checkpoint checkpoint_for(const TargetRequest& r) {
  Saved saved = what_is_saved(r);
  return decide<SavedFound, SavedAction>(saved_table, saved.found, r.asked())(r, saved);
}

}  // namespace trilemma
