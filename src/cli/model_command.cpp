// `trilemma check-model`: the promises of a model of the user's own.

#include <memory>

#include "base/standard_output.hpp"
#include "cli/command.hpp"
#include "cli/json.hpp"
#include "run/check_model.hpp"

namespace trilemma {
namespace {

// Returns null for what was not tried.
nlohmann::ordered_json tried(bool is_tried, bool holds) {
  return is_tried ? nlohmann::ordered_json(holds) : nlohmann::ordered_json();
}

std::string to_json(const ModelAnswer& a) {
  return text_of({{"file", a.file},
                  {"sha256", a.sum},
                  {"name", a.name},
                  {"packages", a.origins.packages},
                  {"modules", a.origins.modules},
                  {"parameters", a.parameters},
                  {"records", a.records},
                  {"slope_error", finite(a.slopes.largest)},
                  {"slope_directions", a.slopes.directions},
                  {"slopes_complete", a.slopes.is_complete},
                  {"follows_slope", tried(a.slopes.directions > 0, a.follows_slope())},
                  {"repeats", a.promises.repeats},
                  {"renews", a.renews},
                  {"adds_up", a.promises.adds_up},
                  {"separates", a.promises.separates},
                  {"ranks", a.ranks},
                  {"agree", tried(a.ranks > 1, a.agree)},
                  {"holds", a.holds()}});
}

}  // namespace

Command add_check_model_command(CLI::App& parent, int argc, char** argv) {
  auto options = std::make_shared<CheckModelOptions>();
  auto* check = parent.add_subcommand(
      "check-model", "check a model of your own; exits with 4 if it breaks a promise");
  check->add_option("file", options->file, "experiment file (TOML) that names the model")
      ->required();
  add_overrides(*check, options->overrides);
  add_data_folder(*check, options->data_folder);
  check
      ->add_option("--seconds", options->seconds,
                   "stop comparing slopes, the costly part, after this time, and exit with 5; "
                   "default: no limit")
      ->check(CLI::NonNegativeNumber);
  check->add_flag("--json", options->json, "print JSON");
  add_mpi_flag(*check);
  return {check, [options, argc, argv] {
            return check_model(
                *options,
                [&](const ModelAnswer& answer) {
                  print("{}", options->json ? to_json(answer) : to_text(answer));
                },
                argc, argv);
          }};
}

}  // namespace trilemma
