#include <algorithm>
#include <filesystem>
#include <map>

#include "base/input_file.hpp"
#include "base/text.hpp"
#include "experiment/file_kind.hpp"
#include "experiment/read_plan.hpp"
#include "sweep/sweep.hpp"
#include "sweep/sweep_keys.hpp"

namespace trilemma {
namespace {

constexpr std::int64_t most_seeds = 100000;

// Adds the entries of a sweep file to a sweep, in order.
class SweepReader {
 public:
  SweepReader(Sweep& sweep, const std::vector<std::string>& known) : sweep_(sweep), known_(known) {}

  void add(const SettingEntry& entry) {
    const std::string root = entry.path.substr(0, entry.path.find_first_of(".["));
    check_root(entry, root, known_);
    if (root == "seeds") return add_seeds(entry);
    if (root == "methods") return add_axis_of_method(entry);
    if (root == "tune") return add_tuning(entry);
    if (root == "replicates") return add_replicates(entry);
    const bool is_table = root == "set" || root == "axes" || root == "zip";
    if (!is_table) return;
    const auto dot = entry.path.find('.');
    const bool is_zip = entry.path.find('[') == root.size();
    if (dot == std::string::npos || is_zip != (root == "zip"))
      refuse(entry,
             fmt::format("expected keys under {}", root == "zip" ? "[[zip]]" : "[" + root + "]"));
    const std::string key = entry.path.substr(dot + 1);
    const auto of_axes = root == "set" ? std::string_view() : step_size_axis;
    if (key != of_axes) check_key(entry.place, key, known_, of_axes);
    claim(entry, key);
    if (root == "set")
      add_fixed(entry, key);
    else
      add_axis(entry, key, is_zip ? entry.path.substr(0, dot) : entry.path);
  }

  // Orders the axes: axes of single methods come after the axis that sets the method, and seeds,
  // which vary fastest, come last.
  void finish() {
    std::stable_partition(sweep_.axes.begin(), sweep_.axes.end(),
                          [](const SweepAxis& axis) { return axis.method.empty(); });
    join_tuning();
    join_splits();
    if (!seeds_.keys.empty()) sweep_.axes.push_back(std::move(seeds_));
  }

 private:
  // Records the place of `key`, and refuses a key that the sweep sets elsewhere too.
  void claim(const SettingEntry& entry, const std::string& key) {
    const auto [other, is_new] = sweep_.places.emplace(key, entry.place);
    if (!is_new)
      refuse(entry, fmt::format("{} is set at {} too; keep one", key, other->second.text()));
    if (const auto of_method = keys_of_methods_.find(key); of_method != keys_of_methods_.end())
      refuse(entry, fmt::format("{} is set at {} too; keep one", key, of_method->second.text()));
    check_values(entry);
  }

  void add_fixed(const SettingEntry& entry, const std::string& key) {
    if (entry.is_list) refuse(entry, "expected one value; lists belong in [axes] or [[zip]]");
    sweep_.fixed.push_back({key, entry.values[0]});
  }

  // Adds an axis, or a key to the last axis if that has the same `table`: the keys of a [[zip]].
  void add_axis(const SettingEntry& entry, const std::string& key, const std::string& table) {
    check_list(entry);
    if (table != table_ || sweep_.axes.empty()) {
      table_ = table;
      sweep_.axes.emplace_back();
      sweep_.axes.back().points.resize(entry.values.size());
    }
    SweepAxis& axis = sweep_.axes.back();
    if (axis.points.size() != entry.values.size())
      refuse(entry,
             fmt::format("{} values, but {} of the same [[zip]] has {}; give the same number",
                         entry.values.size(), axis.keys.front(), axis.points.size()));
    axis.keys.push_back(key);
    for (std::size_t i = 0; i < entry.values.size(); ++i) axis.points[i].push_back(entry.values[i]);
  }

  // Adds an axis of [methods.NAME.axes]. Several methods may have an axis of the same key.
  void add_axis_of_method(const SettingEntry& entry) {
    constexpr std::string_view before = "methods.";
    constexpr std::string_view between = ".axes.";
    const auto end = entry.path.find(between);
    if (!entry.path.starts_with(before) || end == std::string::npos)
      refuse(
          entry,
          "expected [methods.NAME.axes]; a single value for the cells of a method belongs in [set], "
          "as methods.NAME.KEY");
    const std::string method = entry.path.substr(before.size(), end - before.size());
    const std::string key = entry.path.substr(end + between.size());
    require_method(entry.place.text() + ": " + entry.path, method);
    check_key(entry.place, key, known_);
    if (key == "seed" || key == "method") refuse(entry, "belongs in [axes] or `seeds`");
    if (const auto other = sweep_.places.find(key); other != sweep_.places.end())
      refuse(entry, fmt::format("{} is set at {} too; keep one", key, other->second.text()));
    check_values(entry);
    keys_of_methods_.emplace(key, entry.place);
    sweep_.places.emplace(place_of(method, key), entry.place);
    add_axis(entry, key, entry.path);
    sweep_.axes.back().method = method;
  }

  void add_seeds(const SettingEntry& entry) {
    if (entry.path != "seeds") refuse(entry, "seeds is a number or a list; write seeds = 3");
    claim(entry, "seed");
    check_seeds(entry);
    seeds_.keys = {"seed"};
    if (entry.is_list) {
      check_list(entry);
      for (const auto& value : entry.values) seeds_.points.push_back({value});
      return;
    }
    const auto count = std::get<std::int64_t>(entry.values[0].value);
    if (count < 1 || count > most_seeds)
      refuse(entry, fmt::format("expected a number of seeds from 1 to {}", most_seeds));
    for (std::int64_t seed = 1; seed <= count; ++seed)
      seeds_.points.push_back({{seed, std::to_string(seed)}});
  }

  static void check_seeds(const SettingEntry& entry) {
    for (const auto& value : entry.values) {
      const auto* seed = std::get_if<std::int64_t>(&value.value);
      if (seed == nullptr || *seed < 0)
        refuse(entry, "expected whole numbers of at least 0: a list of seeds, or their number");
    }
  }

  void add_tuning(const SettingEntry& entry) {
    if (entry.path != "tune.seeds")
      refuse(entry,
             "the only key of [tune] is seeds, the list of seeds on which settings are chosen");
    check_list(entry);
    check_seeds(entry);
    tuning_ = entry;
  }

  void add_replicates(const SettingEntry& entry) {
    const auto* kind = std::get_if<std::string>(&entry.values.front().value);
    if (entry.is_list || kind == nullptr || (*kind != "run" && *kind != "split"))
      refuse(entry,
             "expected \"run\" (seeds change noise, minibatches and participants) or \"split\" "
             "(they change the partition and the split of the records too)");
    if (*kind == "split") splits_ = entry;
  }

  // With replicates = "split", gives each seed, including those for tuning, an equal data.seed.
  void join_splits() {
    if (splits_.values.empty()) return;
    const std::string key = "data.seed";
    if (seeds_.keys.empty())
      refuse(splits_, "no seeds to take the splits from; write seeds = 3, or a list");
    claim(splits_, key);
    seeds_.keys.push_back(key);
    for (auto& point : seeds_.points) point.push_back(point.front());
  }

  // Puts the seeds for tuning before the seeds for results.
  void join_tuning() {
    if (tuning_.values.empty()) return;
    if (seeds_.keys.empty())
      refuse(tuning_, "no seeds for results; write seeds = 3, or a list of others");
    std::vector<std::vector<SettingValue>> points;
    for (const auto& value : tuning_.values) {
      for (const auto& point : seeds_.points)
        if (point[0].value == value.value)
          refuse(tuning_, fmt::format("seed {} is also a seed for results (seeds); tune on others",
                                      value.toml));
      sweep_.tuning_seeds.push_back(std::get<std::int64_t>(value.value));
      points.push_back({value});
    }
    seeds_.points.insert(seeds_.points.begin(), points.begin(), points.end());
  }

  Sweep& sweep_;
  const std::vector<std::string>& known_;
  std::string table_;
  SweepAxis seeds_;
  std::map<std::string, SourcePlace>
      keys_of_methods_;  ///< keys in [methods.NAME.axes], with one place
  SettingEntry tuning_;
  SettingEntry splits_;  ///< the entry `replicates` if it is "split"
};

// Returns the path of the experiment `name`, relative to the sweep file or, if there is no such
// file, to the working directory.
std::string experiment_path(const Settings& settings, const std::string& name) {
  const auto near = std::filesystem::path(settings.folder()) / name;
  if (is_file(near.string())) return near.lexically_normal().string();
  if (!is_file(name))
    settings.refuse("experiment", "no such file; give its path relative to the sweep file");
  return name;
}

void read_head(Settings& settings, Sweep& sweep) {
  const std::string stem = std::filesystem::path(sweep.file).stem().string();
  sweep.name = settings.text("name", stem, "name of the sweep, for files and figures");
  if (const std::string problem = name_problem(sweep.name); !problem.empty())
    settings.refuse("name", fmt::format("not usable as the name of a folder, {}", problem));
  sweep.repetitions =
      settings.integer("repetitions", 1, {.low = 1, .high = 10000}, "runs of every cell");
  sweep.order_seed = settings.integer("order_seed", 1, at_least(0),
                                      "seed of the order in which cells are run; 0 = as written");
  require(settings.has("experiment"),
          "{}: no experiment given; write experiment = \"../experiments/NAME.toml\"", sweep.file);
  sweep.experiment =
      experiment_path(settings, settings.text("experiment", "", "file of the experiment"));
}

const SourcePlace& place_on(const Sweep& sweep, const SweepAxis& axis, const std::string& key) {
  return sweep.places.at(axis.method.empty() ? key : place_of(axis.method, key));
}

// Adds the settings of the command line, which replace those of [set]. Throws UserError for a key
// of an axis.
void add_overrides(Sweep& sweep, const std::vector<std::string>& known) {
  const SourcePlace command_line = SourcePlace::command_line();
  for (const auto& entry :
       Settings::from_text("", command_line.text(), sweep.overrides).entries()) {
    check_key(command_line, entry.path, known);
    for (const auto& axis : sweep.axes)
      if (contains(axis.keys, entry.path))
        throw UserError(
            fmt::format("--set {}: this is an axis of the sweep ({}); change its list there",
                        entry.path, place_on(sweep, axis, entry.path).text()));
    std::erase_if(sweep.fixed, [&](const auto& setting) { return setting.key == entry.path; });
    sweep.places[entry.path] = command_line;
    if (entry.is_list || entry.values[0].value.index() == 0)
      refuse(entry, "expected a number, text, true or false");
    sweep.fixed.push_back({entry.path, entry.values[0]});
  }
}

}  // namespace

Sweep read_sweep_file(const std::string& file, const std::vector<std::string>& overrides) {
  std::error_code ignored;
  require(!std::filesystem::is_directory(file, ignored),
          "{}: a folder; give the sweep file (TOML) that its runs belong to", file);
  require(is_file(file), "{}: no such sweep file; check the path", file);
  require_sweep(file);
  Sweep sweep;
  sweep.file = file;
  sweep.overrides = overrides;
  std::vector<std::string> known;
  for (const auto& record : all_settings()) known.push_back(record.path);
  Settings settings = Settings::from_file(file, {});
  SweepReader reader(sweep, known);
  for (const auto& entry : settings.entries()) reader.add(entry);
  reader.finish();
  read_head(settings, sweep);
  add_overrides(sweep, known);
  require_experiment(sweep.experiment);
  Settings experiment = Settings::from_file(sweep.experiment, {});
  experiment.refuse_unknown(known);
  sweep.method = read_method_name(experiment);
  return sweep;
}

}  // namespace trilemma
