#include "base/check.hpp"
#include "experiment/data_files.hpp"
#include "experiment/unread.hpp"
#include "experiment/words.hpp"
#include "record/output_status.hpp"
#include "record/run_reader.hpp"
#include "run/run_names.hpp"
#include "run/run_target.hpp"

namespace trilemma {
namespace {

// Returns the checksums recorded by the newest readable checkpoint of a run file, otherwise those
// in the run file; empty if there is neither.
std::string recorded_data_files(const std::string& path) {
  for (const auto& saved : checkpoints_of(path)) {
    try {
      return CheckpointReader(saved).data_files();
    } catch (const UserError&) {
      // An older checkpoint may be intact.
    }
  }
  if (output_status(path, h5::Reading::unlocked) != OutputStatus::run) return {};
  return head_or_none(path, h5::Reading::unlocked).data_files;
}

void refuse_changed(const std::string& name, const std::string& recorded,
                    const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : sums_of(recorded)) files.push_back(entry.first);
  const auto changed = DataFiles(folder).changed(files, recorded);
  require(changed.empty(),
          "{}: the data files have changed since ({}); bring the old ones back, or start over with "
          "another --output",
          name, in_words(changed));
}

}  // namespace

Plan read_plan_to_resume(const Settings& settings, DataFolder& data, const RunOptions& options) {
  try {
    return read_named_plan(settings, &data);
  } catch (const UserError&) {
    if (options.resume && !options.output.empty())
      refuse_changed(options.output, recorded_data_files(options.output), data.path());
    throw;
  }
}

std::shared_ptr<const PartitionedData> records_of_run(const Plan& plan, const RunTarget& target,
                                                      const RunOptions& options,
                                                      Placement& placement) {
  const std::string folder = data_folder(options.data_folder);
  try {
    if (options.without_mpi) return kept_records(plan, folder);
    return std::make_shared<const PartitionedData>(partition_records(plan, folder, placement));
  } catch (const UserError&) {
    if (const auto* from = target.checkpoint.get(); from != nullptr)
      refuse_changed(from->name().path, from->data_files(), folder);
    throw;
  }
}

}  // namespace trilemma
