#include "experiment/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/random.hpp"
#include "core/text.hpp"
#include "experiment/plan.hpp"
#include "experiment/sweep_file.hpp"
#include "record/sha256.hpp"

namespace trilemma {
namespace {

constexpr double most_cells = 100000;
constexpr std::size_t hash_digits = 12;

// The settings of a combination; the last axis varies fastest.
std::vector<SweepSetting> settings_of(const Sweep& sweep, std::size_t combination) {
  std::vector<SweepSetting> settings;
  for (std::size_t a = sweep.axes.size(); a-- > 0;) {
    const SweepAxis& axis = sweep.axes[a];
    const auto& point = axis.points[combination % axis.points.size()];
    combination /= axis.points.size();
    for (std::size_t k = point.size(); k-- > 0;) settings.push_back({axis.keys[k], point[k]});
  }
  std::reverse(settings.begin(), settings.end());
  return settings;
}

void expand(Sweep& sweep) {
  auto count = static_cast<double>(sweep.repetitions);
  for (const auto& axis : sweep.axes) count *= static_cast<double>(axis.points.size());
  require(count <= most_cells,
          "{}: {:.3g} cells; at most {:.0f} are run by one sweep, shorten the "
          "axes",
          sweep.file, count, most_cells);
  const auto cells = static_cast<std::size_t>(count);
  const auto repetitions = static_cast<std::size_t>(sweep.repetitions);
  for (std::size_t i = 0; i < cells; ++i) {
    SweepCell cell;
    cell.combination = i / repetitions;
    cell.settings = settings_of(sweep, cell.combination);
    cell.repetition = static_cast<long>(i % repetitions) + 1;
    sweep.cells.push_back(std::move(cell));
  }
}

// Fisher and Yates 1938.
void shuffle(Sweep& sweep) {
  if (sweep.order_seed == 0) return;
  Stream stream({static_cast<std::uint64_t>(sweep.order_seed), Purpose::order});
  for (std::size_t left = sweep.cells.size(); left > 1; --left)
    std::swap(sweep.cells[left - 1], sweep.cells[stream.below(static_cast<std::uint32_t>(left))]);
}

// Says where in the sweep the setting stands that the experiment calls a part of its command line.
std::string with_place(const Sweep& sweep, const std::string& sentence) {
  constexpr std::string_view commanded = "--set";
  if (!sentence.starts_with(commanded)) return sentence;
  const auto begin = sentence.find_first_not_of(": ", commanded.size());
  if (begin == std::string::npos) return sentence;
  const std::string key = sentence.substr(begin, sentence.find_first_of(": ", begin) - begin);
  const auto place = sweep.places.find(key);
  if (place == sweep.places.end()) return sentence;
  return fmt::format("{}: {}", place->second, sentence.substr(begin));
}

std::string digest(const std::vector<std::string>& lines) {
  const std::string text = join(lines, "\n");
  return sha256(std::as_bytes(std::span(text)));
}

[[noreturn]] void refuse_twins(const Sweep& sweep, const SweepCell& one, const SweepCell& other) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < one.settings.size(); ++i)
    if (one.settings[i].value != other.settings[i].value) keys.push_back(one.settings[i].key);
  const std::string remedy = "use `repetitions` to run the same several times";
  if (keys.empty())
    throw UserError(fmt::format("{}: the cell \"{}\" comes twice; give each value once, or {}",
                                sweep.file, cell_name(sweep, one), remedy));
  throw UserError(fmt::format(
      "{}: the cells \"{}\" and \"{}\" are the same experiment, {} has no effect on its results; "
      "take that out of the axes, or {}",
      sweep.file, cell_name(sweep, one), cell_name(sweep, other), join(keys), remedy));
}

// The section [data] of a run that states an epsilon; empty for others.
std::string accounted_data(const Plan& plan) {
  const PrivacyPlan& p = plan.privacy;
  if (!plan.method.noise || !p.delta || (p.sigma && *p.sigma == 0)) return "";
  const auto begin = plan.config.find("[data]");
  if (begin == std::string::npos) return "[data]";
  return plan.config.substr(begin, plan.config.find("\n[", begin) - begin);
}

void append(std::vector<std::string>& overrides, const std::vector<SweepSetting>& settings) {
  for (const auto& setting : settings)
    overrides.push_back(fmt::format("{} = {}", setting.key, setting.value.toml));
}

}  // namespace

Sweep read_sweep(const std::string& file, const std::vector<std::string>& overrides) {
  Sweep sweep = read_sweep_file(file, overrides);
  expand(sweep);
  shuffle(sweep);
  return sweep;
}

void resolve(const Sweep& sweep, SweepCell& cell, DataFolder* data) {
  const auto overrides = cell_overrides(sweep, cell);
  try {
    const Plan plan = read_plan(Settings::from_file(sweep.experiment, overrides), data);
    cell.hash = plan.fingerprint;
    cell.data_files = plan.source->files();
    cell.data = accounted_data(plan);
  } catch (const UserError& error) {
    cell.refusal = with_place(sweep, error.what());
    cell.hash = digest(overrides);
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
      cell.data = known->second->data;
      continue;
    }
    resolve(sweep, cell, data);
    combinations[cell.combination] = &cell;
    const auto [twin, is_new] = hashes.emplace(cell.hash, &cell);
    if (!is_new) refuse_twins(sweep, *twin->second, cell);
  }
}

std::vector<std::string> cell_overrides(const Sweep& sweep, const SweepCell& cell) {
  std::vector<std::string> overrides;
  append(overrides, sweep.fixed);
  append(overrides, cell.settings);
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
