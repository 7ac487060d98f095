#include <algorithm>
#include <filesystem>

#include "base/check.hpp"
#include "base/input_file.hpp"
#include "base/output.hpp"
#include "cli/answers_json.hpp"
#include "cli/json.hpp"
#include "sweep/sweep.hpp"

namespace trilemma {
namespace {

using nlohmann::ordered_json;

constexpr int schema_version = 1;

ordered_json json_of(const SettingValue& value) {
  return std::visit(
      [](const auto& scalar) -> ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(scalar)>, std::monostate>)
          return nullptr;
        else
          return scalar;
      },
      value.value);
}

ordered_json json_of(const std::vector<SweepSetting>& settings) {
  ordered_json json = ordered_json::object();
  for (const auto& [key, value] : settings) json[key] = json_of(value);
  return json;
}

ordered_json json_of(const Sweep& sweep, std::size_t index) {
  const SweepCell& cell = sweep.cells[index];
  ordered_json json = {
      {"index", index},
      {"name", cell_name(sweep, cell)},
      {"hash", cell.hash},
      {"file", cell_stem(sweep, cell) + ".h5"},
      {"repetition", cell.repetition},
      {"values", json_of(cell.settings)},
      {"refused", cell.refusal.empty() ? ordered_json() : ordered_json(cell.refusal)}};
  if (cell.is_skipped) json["skipped"] = true;
  return json;
}

ordered_json head(const Sweep& sweep) {
  std::vector<std::string> axes;
  for (const auto& axis : sweep.axes)
    for (const auto& key : axis.keys)
      if (std::find(axes.begin(), axes.end(), key) == axes.end()) axes.push_back(key);
  ordered_json json = {{"schema", "trilemma-sweep"},
                       {"schema_version", schema_version},
                       {"name", sweep.name},
                       {"experiment", sweep.experiment},
                       {"repetitions", sweep.repetitions},
                       {"order_seed", sweep.order_seed},
                       {"set", json_of(sweep.fixed)},
                       {"axes", axes}};
  if (!sweep.tuning_seeds.empty()) json["tune"]["seeds"] = sweep.tuning_seeds;
  return json;
}

}  // namespace

std::string to_json(const Sweep& sweep) {
  ordered_json json = head(sweep);
  json["cells"] = ordered_json::array();
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) json["cells"].push_back(json_of(sweep, i));
  return text_of(json);
}

std::string to_json(const Sweep& sweep, const std::vector<CellStatus>& status,
                    const std::string& folder) {
  ordered_json json = head(sweep);
  json["folder"] = folder;
  for (const CellState state : cell_states) json["counts"][name(state)] = 0;
  json["cells"] = ordered_json::array();
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    ordered_json cell = json_of(sweep, i);
    cell["state"] = name(status[i].state);
    cell["reason"] = status[i].reason;
    json["counts"][name(status[i].state)] = json["counts"][name(status[i].state)].get<int>() + 1;
    json["cells"].push_back(std::move(cell));
  }
  return text_of(json);
}

void write_manifest(const Sweep& sweep, const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "sweep.json").string();
  const std::string json = to_json(sweep);
  if (file_content(path) == json) return;
  try {
    write_file(path, json);
  } catch (const WriteError& error) {
    throw UserError(write_problem(path + ": cannot be written", error.error(), "--output-dir"));
  }
}

}  // namespace trilemma
