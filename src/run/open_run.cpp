#include "run/open_run.hpp"

#include <cmath>

#include "base/phase_timer.hpp"
#include "experiment/data_files.hpp"

namespace trilemma {

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
