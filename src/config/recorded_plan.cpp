#include "config/recorded_plan.hpp"

#include "plan/read_plan.hpp"

namespace trilemma {

Plan recorded_plan(const std::string& config, const std::string& path) {
  const std::string start = Settings::from_text(config, path).section("start").text("file", "", "");
  Plan plan = read_plan(Settings::from_text(config, path, {"start.file="}));
  plan.start.file = start;
  return plan;
}

}  // namespace trilemma
