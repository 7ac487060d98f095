#include "experiment/recorded_plan.hpp"

#include "experiment/data_files.hpp"
#include "experiment/read_plan.hpp"

namespace trilemma {

Plan recorded_plan(const std::string& config, const std::string& data_files,
                   const std::string& path) {
  Settings settings = Settings::from_text(config, path);
  settings.take_recorded_sums(sums_of(data_files));
  return read_plan(settings);
}

}  // namespace trilemma
