#include "experiment/run_target.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "core/check.hpp"
#include "core/clock.hpp"
#include "record/durable.hpp"
#include "record/run_reader.hpp"
#include "record/version.hpp"

namespace trilemma {
namespace {

// Fingerprint of the experiment that wrote a run file; empty where it cannot be read.
std::string fingerprint_of(const std::string& path) {
  try {
    return h5::text_attribute(open_run_file(path).get(), "fingerprint");
  } catch (const std::exception&) {
    return {};
  }
}

bool is_taken(const std::string& path) {
  return std::filesystem::exists(path) || std::filesystem::exists(path + ".partial") ||
         !checkpoints_of(path).empty();
}

// A run whose launcher was killed may need a moment to die; who goes on with it waits.
void wait_for_writer(const std::string& partial) {
  constexpr double patience_seconds = 10;
  const double begin = now_seconds();
  while (is_locked(partial) && now_seconds() - begin < patience_seconds)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

bool belongs_to(const Plan& plan, const std::string& path) {
  wait_for_writer(path + ".partial");
  const auto saved = checkpoints_of(path);
  return fingerprint_of(path) == plan.fingerprint ||
         fingerprint_of(path + ".partial") == plan.fingerprint ||
         std::any_of(saved.begin(), saved.end(), [&](const CheckpointName& name) {
           return checkpoint_fingerprint(name.path) == plan.fingerprint;
         });
}

// Runs that differ in other settings have the same name: number them, so that none is lost.
std::string default_path(const RunOptions& options, const Plan& plan) {
  const std::string stem =
      fmt::format("runs/{}-{}-{}-s{}", plan.name, plan.method_name, plan.mode, plan.seed);
  std::string path = stem + ".h5";
  for (int number = 2; is_taken(path) && !(options.resume && belongs_to(plan, path)); ++number)
    path = fmt::format("{}-{}.h5", stem, number);
  return path;
}

// What a user who wants to start anew deletes.
std::string all_of(const std::vector<CheckpointName>& saved, const std::string& path) {
  return saved.size() == 1 ? "it" : path + ".checkpoint-*";
}

// The newest that is whole; says which are not.
std::unique_ptr<CheckpointReader> newest_checkpoint(const std::string& path, const Plan& plan) {
  const auto saved = checkpoints_of(path);
  for (std::size_t i = 0; i < saved.size(); ++i) {
    try {
      auto reader = std::make_unique<CheckpointReader>(saved[i], plan.fingerprint);
      if (reader->revision() != git_revision())
        fmt::print(stderr,
                   "trilemma: warning: {} was written by revision {} of the program, this is {}: "
                   "the bits may differ from those of a run by one program\n",
                   saved[i].path, reader->revision(), git_revision());
      return reader;
    } catch (const DamagedCheckpoint& error) {
      require(i + 1 < saved.size(), "{}{}; delete {} to start anew", error.what(),
              saved.size() == 1 ? "" : ", like all newer ones", all_of(saved, path));
      fmt::print(stderr, "trilemma: warning: {}; trying an older one\n", error.what());
    }
  }
  return nullptr;
}

}  // namespace

RunTarget choose_target(const RunOptions& options, const Plan& plan) {
  RunTarget target;
  target.path = options.output.empty() ? default_path(options, plan) : options.output;
  const std::string& path = target.path;
  if (!options.resume) {
    const auto saved = checkpoints_of(path);
    require(saved.empty(),
            "{}: checkpoint of an unfinished run of this name; add --resume to go on with it, or "
            "delete {} to start anew",
            saved.empty() ? "" : saved.front().path, all_of(saved, path));
    return target;
  }
  wait_for_writer(path + ".partial");
  if (std::filesystem::exists(path)) {
    require(fingerprint_of(path) == plan.fingerprint,
            "{}: not a run of this experiment with these settings; choose another --output", path);
    // A crash between the end of the run and its clean-up has left these.
    remove_checkpoints(path);
    target.is_complete = true;
    return target;
  }
  target.checkpoint = newest_checkpoint(path, plan);
  // Who named no file may have meant another folder or other settings.
  if (target.checkpoint == nullptr && options.output.empty())
    fmt::print(stderr,
               "trilemma: note: no run of these settings to go on from: neither {} nor a "
               "checkpoint of it is there; starting anew\n",
               path);
  return target;
}

}  // namespace trilemma
