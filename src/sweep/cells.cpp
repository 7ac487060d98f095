#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "experiment/read_plan.hpp"
#include "experiment/unread.hpp"
#include "numeric/draws.hpp"
#include "sweep/sweep.hpp"

namespace trilemma {
namespace {

constexpr double most_cells = 100000;
constexpr std::size_t hash_digits = 12;

// Returns the method that `point` of `axis` sets, or `method` if it sets none.
std::string method_at(const SweepAxis& axis, const std::vector<SettingValue>& point,
                      const std::string& method) {
  for (std::size_t k = 0; k < point.size(); ++k)
    if (const auto* text = std::get_if<std::string>(&point[k].value);
        axis.keys[k] == "method" && text != nullptr)
      return *text;
  return method;
}

// Counts the combinations of the axes from number `axis` on, for cells with `method` so far.
double number_of_combinations(const Sweep& sweep, std::size_t axis, const std::string& method) {
  if (axis == sweep.axes.size()) return 1;
  const SweepAxis& here = sweep.axes[axis];
  if (!here.method.empty() && here.method != method)
    return number_of_combinations(sweep, axis + 1, method);
  if (std::find(here.keys.begin(), here.keys.end(), "method") == here.keys.end())
    return static_cast<double>(here.points.size()) *
           number_of_combinations(sweep, axis + 1, method);
  double sum = 0;
  for (const auto& point : here.points)
    sum += number_of_combinations(sweep, axis + 1, method_at(here, point, method));
  return sum;
}

// Calls visit(settings) for every combination of the axes from number `axis` on; the last axis
// varies fastest. `settings` holds the values of the axes before. Skips axes of other methods than
// `method`.
template <class Visit>
void each_combination(const Sweep& sweep, std::size_t axis, const std::string& method,
                      std::vector<SweepSetting>& settings, const Visit& visit) {
  if (axis == sweep.axes.size()) return visit(settings);
  const SweepAxis& here = sweep.axes[axis];
  if (!here.method.empty() && here.method != method)
    return each_combination(sweep, axis + 1, method, settings, visit);
  for (const auto& point : here.points) {
    for (std::size_t k = 0; k < point.size(); ++k) settings.push_back({here.keys[k], point[k]});
    each_combination(sweep, axis + 1, method_at(here, point, method), settings, visit);
    settings.resize(settings.size() - point.size());
  }
}

// Returns the method in [set], or an empty text.
std::string method_of_all(const Sweep& sweep) {
  for (const auto& setting : sweep.fixed)
    if (setting.key == "method")
      if (const auto* text = std::get_if<std::string>(&setting.value.value)) return *text;
  return {};
}

// Throws UserError for an unknown method, and for axes of a method that no cell has.
void check_methods(const Sweep& sweep) {
  std::set<std::string> chosen = {method_of_all(sweep)};
  for (const auto& axis : sweep.axes)
    for (const auto& point : axis.points) chosen.insert(method_at(axis, point, {}));
  // Otherwise a misspelt method would be reported once for each of its cells.
  for (const auto& method : chosen)
    if (!method.empty()) require_method(sweep.places.at("method").text() + ": method", method);
  for (const auto& axis : sweep.axes)
    require(
        axis.method.empty() || chosen.count(axis.method) != 0,
        "{}: [methods.{}.axes]: no cell has this method; add it to the axis `method` or to [set], or "
        "remove the table",
        sweep.file, axis.method);
}

void expand(Sweep& sweep) {
  check_methods(sweep);
  const std::string method = method_of_all(sweep);
  const double count =
      static_cast<double>(sweep.repetitions) * number_of_combinations(sweep, 0, method);
  require(count <= most_cells,
          "{}: {:.3g} cells, but a sweep runs at most {:.0f}; shorten the axes", sweep.file, count,
          most_cells);
  std::vector<SweepSetting> settings;
  std::size_t combination = 0;
  each_combination(sweep, 0, method, settings, [&](const auto& found) {
    for (long repetition = 1; repetition <= sweep.repetitions; ++repetition) {
      SweepCell cell;
      cell.combination = combination;
      cell.settings = found;
      cell.repetition = repetition;
      sweep.cells.push_back(std::move(cell));
    }
    ++combination;
  });
}

std::string method_of(const Sweep& sweep, const SweepCell& cell) {
  for (const auto& setting : cell.settings)
    if (const auto* text = std::get_if<std::string>(&setting.value.value);
        setting.key == "method" && text != nullptr)
      return *text;
  const std::string method = method_of_all(sweep);
  return method.empty() ? sweep.method : method;
}

// Returns the key of the experiment for `setting`; the axis `step_size` stands for the key of the
// step size of the cell's method.
std::string key_of(const Sweep& sweep, const SweepCell& cell, const SweepSetting& setting) {
  return setting.key == step_size_axis ? step_size_key(method_of(sweep, cell)) : setting.key;
}

// Throws UserError if the axis `step_size` stands for a key that the sweep also sets by its own
// name.
void check_step_sizes(const Sweep& sweep) {
  const auto axis = sweep.places.find(std::string(step_size_axis));
  if (axis == sweep.places.end()) return;
  std::set<std::string> seen;
  for (const auto& cell : sweep.cells) {
    const std::string method = method_of(sweep, cell);
    if (!seen.insert(method).second) continue;
    const std::string key = step_size_key(method);
    for (const auto& place : {sweep.places.find(key), sweep.places.find(place_of(method, key))})
      require(place == sweep.places.end(), "{}: {} is {} of {}, which is set at {} too; keep one",
              axis->second.text(), step_size_axis, key, method,
              place == sweep.places.end() ? "" : place->second.text());
  }
}

// Returns the setting of an axis that sets `key` in `cell`, or nullptr.
const SweepSetting* on_axis(const Sweep& sweep, const SweepCell& cell, const std::string& key) {
  const auto found = std::find_if(
      cell.settings.begin(), cell.settings.end(),
      [&](const SweepSetting& setting) { return key_of(sweep, cell, setting) == key; });
  return found == cell.settings.end() ? nullptr : &*found;
}

// Returns `mistake` with the place in the sweep file. The experiment reads the settings of a cell
// as overrides, and reports them as mistakes of the command line.
Mistake with_place(const Sweep& sweep, const SweepCell& cell, Mistake mistake) {
  if (mistake.place != SourcePlace::command_line()) return mistake;
  const std::string method = method_of(sweep, cell);
  auto place = sweep.places.find(place_of(method, mistake.key));
  const SweepSetting* setting = on_axis(sweep, cell, mistake.key);
  if (place == sweep.places.end())
    place = sweep.places.find(setting == nullptr ? mistake.key : setting->key);
  if (place != sweep.places.end()) mistake.place = place->second;
  return mistake;
}

std::string digest(const std::vector<std::string>& lines) {
  const std::string text = join(lines, "\n");
  return sha256(std::as_bytes(std::span(text)));
}

Plan plan_of(const Sweep& sweep, const SweepCell& cell, DataFolder* data) {
  return read_named_plan(
      Settings::from_file(sweep.experiment, cell_overrides(sweep, cell), SettingSource::sweep),
      data);
}

[[noreturn]] void refuse_twins(const Sweep& sweep, const SweepCell& one, const SweepCell& other,
                               DataFolder* data) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : one.settings) {
    const auto there =
        std::find_if(other.settings.begin(), other.settings.end(),
                     [&key = key](const SweepSetting& setting) { return setting.key == key; });
    if (there == other.settings.end() || there->value != value) keys.push_back(key);
  }
  const std::string remedy = "use `repetitions` to run the same experiment several times";
  if (keys.empty())
    throw UserError(fmt::format("{}: the cell \"{}\" occurs twice; give each value once, or {}",
                                sweep.file, cell_name(sweep, one), remedy));
  if (std::all_of(keys.begin(), keys.end(),
                  [](const std::string& key) { return is_in_section(key, "budget"); }))
    throw UserError(fmt::format(
        "{}: the cells \"{}\" and \"{}\" are the same experiment: both budgets give {} rounds; "
        "remove one of them",
        sweep.file, cell_name(sweep, one), cell_name(sweep, other),
        plan_of(sweep, one, data).rounds));
  throw UserError(fmt::format(
      "{}: the cells \"{}\" and \"{}\" are the same experiment: {} has no effect on its results; "
      "remove that key from the axes, or {}",
      sweep.file, cell_name(sweep, one), cell_name(sweep, other), join(keys), remedy));
}

// Returns the settings [data] of a run that states an epsilon, otherwise nullopt. Omits data.seed
// for data that are read from files, since these are the same records for every seed.
std::optional<std::map<std::string, std::string>> accounted_data(const Plan& plan) {
  const PrivacyPlan& p = plan.privacy;
  if (!plan.method.noise || !p.delta || (p.sigma && *p.sigma == 0)) return {};
  std::map<std::string, std::string> found;
  for (const auto& [path, value] : plan.record_settings)
    if (is_in_section(path, "data")) found[path] = value;
  if (!plan.source->files().empty()) found.erase("data.seed");
  return found;
}

}  // namespace

Sweep read_sweep(const std::string& file, const std::vector<std::string>& overrides) {
  Sweep sweep = read_sweep_file(file, overrides);
  expand(sweep);
  check_step_sizes(sweep);
  if (sweep.order_seed != 0)
    shuffle(sweep.cells, {static_cast<std::uint64_t>(sweep.order_seed), Purpose::order});
  return sweep;
}

void resolve(const Sweep& sweep, SweepCell& cell, DataFolder* data) {
  try {
    const Plan plan = plan_of(sweep, cell, data);
    cell.hash = plan.fingerprint;
    cell.data_files = plan.source->files();
    cell.data = accounted_data(plan);
  } catch (const UserError& error) {
    const bool is_unread = dynamic_cast<const UnreadSetting*>(&error) != nullptr;
    cell.is_skipped = is_unread && on_axis(sweep, cell, error.mistake().key) != nullptr;
    cell.refusal = with_place(sweep, cell, error.mistake()).text();
    cell.hash = digest(cell_overrides(sweep, cell));
  }
  cell.hash.resize(hash_digits);
}

void resolve(Sweep& sweep, DataFolder* data) {
  std::map<std::size_t, const SweepCell*> combinations;
  std::map<std::string, const SweepCell*> hashes;
  for (auto& cell : sweep.cells) {
    if (const auto known = combinations.find(cell.combination); known != combinations.end()) {
      cell.hash = known->second->hash;
      cell.data_files = known->second->data_files;
      cell.refusal = known->second->refusal;
      cell.is_skipped = known->second->is_skipped;
      cell.data = known->second->data;
      continue;
    }
    resolve(sweep, cell, data);
    combinations[cell.combination] = &cell;
    const auto [twin, is_new] = hashes.emplace(cell.hash, &cell);
    if (!is_new) refuse_twins(sweep, *twin->second, cell, data);
  }
}

std::vector<std::string> cell_overrides(const Sweep& sweep, const SweepCell& cell) {
  std::vector<std::string> overrides;
  for (const auto& settings : {sweep.fixed, cell.settings})
    for (const auto& setting : settings)
      overrides.push_back(fmt::format("{} = {}", key_of(sweep, cell, setting), setting.value.toml));
  overrides.insert(overrides.end(), sweep.overrides.begin(), sweep.overrides.end());
  return overrides;
}

std::string cell_name(const Sweep& sweep, const SweepCell& cell) {
  std::vector<std::string> words;
  for (const auto& [key, value] : cell.settings) {
    const auto* text = std::get_if<std::string>(&value.value);
    words.push_back(fmt::format("{}={}", key, text != nullptr ? *text : value.toml));
  }
  if (sweep.repetitions > 1) words.push_back(fmt::format("repetition={}", cell.repetition));
  return words.empty() ? sweep.name : join(words, " ");
}

std::string cell_stem(const Sweep& sweep, const SweepCell& cell) {
  return sweep.repetitions > 1 ? fmt::format("{}-r{}", cell.hash, cell.repetition) : cell.hash;
}

}  // namespace trilemma
