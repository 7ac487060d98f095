// Decisions about an existing file with the name of a run file.

#include <filesystem>

#include "base/text.hpp"
#include "experiment/words.hpp"
#include "record/output_status.hpp"
#include "run/target_request.hpp"

namespace trilemma {
namespace {

enum class FileFound {
  nothing,
  link,
  foreign,         // not a run file
  finished,        // the requested run, complete
  other_width,     // the requested run, with numbers of another width
  other_data,      // the requested run, whose data files have changed since
  unfinished,      // a run of these settings that is not complete
  other_settings,  // a run of other settings
};

// Reads only what the decision requires. A file with its final name is complete, although its
// writer may hold the lock a moment longer.
FileFound file_found(const TargetRequest& r, RunHead& head) {
  const OutputStatus found = output_status(r.path, h5::Reading::unlocked);
  if (found == OutputStatus::nothing) return FileFound::nothing;
  if (std::filesystem::is_symlink(r.path)) return FileFound::link;
  if (found != OutputStatus::run) return FileFound::foreign;
  if (r.asked() == Asked::start_over) return FileFound::other_settings;
  head = read_run_head(r.path, h5::Reading::unlocked);
  if (head.fingerprint != r.plan.fingerprint) return FileFound::other_settings;
  if (!head.complete) return FileFound::unfinished;
  if (r.asked() == Asked::start) return FileFound::finished;
  if (head.real != real_name) return FileFound::other_width;
  return changed_data(r, head).empty() ? FileFound::finished : FileFound::other_data;
}

// An action returns whether nothing is left to do.
using FileAction = bool (*)(const TargetRequest&, const RunHead&);

bool write(const TargetRequest&, const RunHead&) { return false; }
bool complete(const TargetRequest&, const RunHead&) { return true; }
bool no_link(const TargetRequest& r, const RunHead&) {
  refuse_link(r.path);
  return false;
}
bool no_foreign(const TargetRequest& r, const RunHead&) {
  throw UserError(fmt::format(
      "{}: there is something that is not a run file; choose another --output", r.path));
}
bool keep_same(const TargetRequest& r, const RunHead& head) {
  throw UserError(fmt::format(
      "{}: there is a {} run of these settings already; add --overwrite to replace it,{} or choose "
      "another --output",
      r.path, head.complete ? "complete" : "partial",
      r.asked() == Asked::start ? " --resume to leave it alone," : ""));
}
bool keep_other(const TargetRequest& r, const RunHead& head) {
  throw UserError(fmt::format(
      "{}: not a run of this experiment with these settings ({}); add --overwrite to replace it, "
      "or choose another --output",
      r.path, difference_apart(r.path, head, r.plan)));
}
bool no_width(const TargetRequest& r, const RunHead& head) { refuse_width(r.path, head.real); }
bool no_data(const TargetRequest& r, const RunHead& head) {
  throw UserError(fmt::format(
      "{}: the data files have changed since ({}); bring the old ones back, choose another "
      "--output, or add --overwrite to make the run again",
      r.path, in_words(changed_data(r, head))));
}

// clang-format off
constexpr Decision<FileFound, FileAction> file_table[] = {
  //                            start       start_over  resume      resume_over extend      extend_over
  {FileFound::nothing,        {{write,      write,      write,      write,      write,      write}}},
  {FileFound::link,           {{no_link,    no_link,    no_link,    no_link,    no_link,    no_link}}},
  {FileFound::foreign,        {{no_foreign, no_foreign, no_foreign, no_foreign, no_foreign, no_foreign}}},
  {FileFound::finished,       {{keep_same,  write,      complete,   complete,   complete,   complete}}},
  {FileFound::other_width,    {{keep_same,  write,      no_width,   no_width,   no_width,   no_width}}},
  {FileFound::other_data,     {{keep_same,  write,      no_data,    write,      no_data,    write}}},
  {FileFound::unfinished,     {{keep_same,  write,      keep_same,  write,      keep_same,  write}}},
  {FileFound::other_settings, {{keep_other, write,      keep_other, write,      keep_other, write}}},
};
// clang-format on

}  // namespace

bool is_finished(const TargetRequest& r) {
  RunHead head;
  const FileFound found = file_found(r, head);
  return decide<FileFound, FileAction>(file_table, found, r.asked())(r, head);
}

}  // namespace trilemma
