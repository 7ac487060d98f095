#include "experiment/commands.hpp"

#include <cstdio>

#include "core/text.hpp"
#include "experiment/file_kind.hpp"
#include "experiment/identity.hpp"
#include "experiment/unread.hpp"
#include "record/summary.hpp"

namespace trilemma {
int show_command(const std::string& file, bool json) {
  require_run_file(file);
  const Summary summary = read_summary(file);
  fmt::print("{}{}", json ? to_json(summary) : to_text(summary), json ? "\n" : "");
  require(summary.content != Content::changed, "{}", changed_content(file));
  return 0;
}

int config_command(const std::string& file, const std::vector<std::string>& overrides,
                   const std::string& given_folder) {
  if (file.empty()) {
    fmt::print("{}", to_toml(all_settings(), true));
    return 0;
  }
  DataFolder data(data_folder(given_folder));
  require_experiment(file);
  const Settings settings = Settings::from_file(file, overrides);
  const Plan plan = read_plan(settings, &data);
  fmt::print("{}", plan.annotated);
  if (const auto unread = unread_keys(settings); !unread.empty())
    fmt::print("\n# Set, but not read by {} and the chosen parts: {}\n", plan.method_name,
               printable(join(unread)));
  return 0;
}

}  // namespace trilemma
