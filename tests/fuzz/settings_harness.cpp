// Experiments as TOML, and options that override their keys.

#include "experiment/read_plan.hpp"
#include "settings/settings.hpp"
#include "tests/fuzz/change_bytes.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/support/federation.hpp"

namespace trilemma::fuzz {
namespace {

using testing::TempFolder;

// Reads a key as everything that it could be.
void read_all_ways(Settings section, const std::string& key) {
  const auto attempt = [](auto&& reading) {
    try {
      reading();
    } catch (const UserError&) {
      return;  // another type, or out of range
    }
  };
  attempt([&] { section.number(key, 0, at_least(0), ""); });
  attempt([&] { section.integer(key, 0, at_least(0), ""); });
  attempt([&] { section.integers(key, {}, at_least(0), ""); });
  attempt([&] { section.numbers(key, {}, at_least(0), ""); });
  attempt([&] { section.texts(key, {}, ""); });
  attempt([&] { section.flag(key, false, ""); });
  attempt([&] { section.choice(key, "a", {"a", "b"}, ""); });
  attempt([&] { section.number_or(key, "a", at_least(0), ""); });
  attempt([&] { section.optional_number(key, at_least(0), ""); });
  attempt([&] { section.text(key, "", ""); });
}

void read_path(const Settings& settings, const std::string& path) {
  Settings section = settings;
  std::size_t at = 0;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', at)) {
    section = section.section(path.substr(at, dot - at));
    at = dot + 1;
  }
  read_all_ways(section, path.substr(at));
}

void read_keys(const Settings& settings) {
  std::vector<std::string> known;
  for (const auto& entry : settings.entries()) {
    try {
      read_path(settings, entry.path);
    } catch (const UserError&) {
      continue;  // a dot inside quotes, or a value where a table is looked for
    }
    known.push_back(entry.path);
    if (const auto bracket = entry.path.find('['); bracket != std::string::npos)
      known.push_back(entry.path.substr(0, bracket));  // a list of tables
  }
  to_annotated_toml(settings.records());
  to_markdown(settings.records());
  settings.refuse_unknown_layers("methods", {"ldp-sgd"});
  settings.refuse_unknown(known);
}

void read_text(const std::string& input, const TempFolder&) {
  read_keys(Settings::from_text(input, "fuzz.toml"));
}

void read_file(const std::string& input, const TempFolder& folder) {
  read_keys(Settings::from_file(folder.write("fuzz.toml", input), {"name=x"}));
}

// One option sets what is under one key.
void read_override(const std::string& input, const TempFolder&) {
  const Settings settings = Settings::from_text("", "fuzz.toml", {input});
  std::string first;
  for (const auto& entry : settings.entries()) {
    const std::string head = entry.path.substr(0, entry.path.find_first_of(".["));
    promise(first.empty() || head == first, "--set sets one key");
    first = head;
  }
  read_keys(settings);
}

// What a plan says of itself can be read again, and says the same.
void read_experiment(const std::string& input, const TempFolder& folder) {
  const Plan plan = read_plan(Settings::from_file(folder.write("fuzz.toml", input), {}));
  const Plan again = read_plan(Settings::from_text(plan.config, "config"));
  promise(again.config == plan.config, "a resolved configuration stays as it is");
}

constexpr const char* all_of_toml =
    "method = 'ldp-sgd'\nmode = \"private\"\nrounds = 1_000 # comment\n[data]\ntrain = ['a', "
    "\"b\\n\"]\nx.y.z = 1.5e3\nt = {a = [1, 2, [3]], b.c = true}\n[methods.ldp-sgd]\nlocal.batch = "
    "0x10\n[[zip]]\nk = '''a'b'''\n[[zip]]\nk = \"\"\"a\n\"b\"\"\"\n";

constexpr const char* local_steps =
    "method = 'dp-fedavg'\nmode = 'private'\nclients = 6\nrounds = 3\n[local]\nsteps = 2\n"
    "[privacy]\nepsilon = 5\ndelta = 0.01\n[modes.private]\nbound.threshold = 1\n";

}  // namespace

Harness settings_harness() {
  return {{all_of_toml, testing::tiny_experiment, local_steps, "rounds=3", "name = two words",
           "a.b={c=[1,2], d.e='x'}", "x=\"a=b\"", "y='''z'''"},
          {read_text, read_file, read_override, read_experiment},
          change_bytes};
}

}  // namespace trilemma::fuzz
