#include "run/run_names.hpp"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/clock.hpp"
#include "base/durable.hpp"
#include "experiment/fingerprint.hpp"
#include "run/checkpointer.hpp"

namespace trilemma {
namespace {

bool is_taken(const std::string& path) {
  return std::filesystem::exists(path) || std::filesystem::exists(path + ".partial") ||
         !checkpoints_of(path).empty();
}

bool holds_finished(const Plan& plan, const std::string& path) {
  const RunHead head = head_or_none(path, h5::Reading::unlocked);
  return head.complete && head.fingerprint == plan.fingerprint;
}

bool is_unfinished(const Plan& plan, const std::string& path) {
  const auto saved = checkpoints_of(path);
  const RunHead head = head_or_none(path, h5::Reading::unlocked);
  return (!head.complete && head.fingerprint == plan.fingerprint) ||
         head_or_none(path + ".partial").fingerprint == plan.fingerprint ||
         std::any_of(saved.begin(), saved.end(), [&](const CheckpointName& name) {
           return checkpoint_fingerprint(name.path) == plan.fingerprint;
         });
}

// A user who resumes with the same settings means this run and does not want to start another.
void refuse_changed_files(const Plan& plan, const std::string& path) {
  const std::string partial = path + ".partial";
  const RunHead head = head_or_none(partial);
  if (head.config != plan.config) return;
  const auto changed = changed_between(head.data_files, named_file_sums(plan.files));
  require(changed.empty(),
          "{}: an unfinished run of these settings, and a file that they name has changed since "
          "({}); bring the old one back, or choose another --output",
          partial, in_words(changed));
}

}  // namespace

std::string difference_in_words(const RunHead& there, const Plan& plan) {
  return settings_difference(there.config, plan.config,
                             changed_between(there.data_files, named_file_sums(plan.files)));
}

RunHead head_or_none(const std::string& path, h5::Reading how) {
  try {
    return read_run_head(path, how);
  } catch (const std::exception&) {
    return {};
  }
}

void wait_for_writer(const std::string& path) {
  constexpr double patience_seconds = 10;
  const double begin = now_seconds();
  // The partial file is locked until it is removed; the final file exists a moment before its
  // writer ends.
  while ((is_locked(path + ".partial") || is_locked(path)) &&
         now_seconds() - begin < patience_seconds)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

std::string default_path(const Plan& plan, bool resume) {
  const std::string stem = fmt::format("runs/{}-{}{}-s{}", plan.name, plan.method_name,
                                       plan.mode == "authors" ? "-authors" : "", plan.seed);
  std::string path = stem + ".h5";
  std::string finished;
  for (int number = 2; is_taken(path); ++number) {
    if (resume) {
      wait_for_writer(path);
      const bool is_done = holds_finished(plan, path);
      if (!is_done && is_unfinished(plan, path)) return path;
      if (is_done && finished.empty()) finished = path;
      if (!is_done) refuse_changed_files(plan, path);
    }
    path = fmt::format("{}-{}.h5", stem, number);
  }
  return finished.empty() ? path : finished;
}

}  // namespace trilemma
