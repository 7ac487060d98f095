#include "cli/answers_json.hpp"

#include "cli/json.hpp"

namespace trilemma {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const HostedClients& host) {
  return {{"rank", host.rank},
          {"first_client", host.first},
          {"clients", host.clients},
          {"records", host.records}};
}

ordered_json json_of(const Difference& difference) {
  const auto value = [](const auto& one) -> ordered_json {
    if (const auto* number = std::get_if<double>(&one); number != nullptr) return finite(*number);
    return std::get<std::string>(one);
  };
  return {{"kind", name(difference.kind)},
          {"field", difference.field},
          {"row", difference.row ? ordered_json(*difference.row) : ordered_json()},
          {"recorded", value(difference.recorded)},
          {"expected", value(difference.expected)}};
}

}  // namespace

std::string to_json(const std::vector<PartFamily>& families) {
  ordered_json json = ordered_json::object();
  for (const auto& family : families) {
    ordered_json parts = ordered_json::array();
    for (const auto& [name, summary] : family.parts)
      parts.push_back({{"name", name}, {"summary", summary}});
    json[family.name] = std::move(parts);
  }
  return text_of(json);
}

std::string to_json(const PartitionAnswer& answer) {
  const PartitionRecord& record = answer.record;
  ordered_json json = {{"data", answer.data},
                       {"kind", record.kind},
                       {"description", record.description},
                       {"assignment", record.assignment},
                       {"clients", record.records.size()},
                       {"unassigned", record.unassigned},
                       {"notes", answer.notes},
                       {"drawn_for_tests", answer.drawn_for_tests},
                       {"test_records", answer.test_records}};
  for (const auto& [name, number] : record.number) json[name] = finite(number);
  json["hosting"] = record.hosting;
  json["ranks"] = answer.ranks;
  json["imbalance"] = finite(record.imbalance);
  json["hosts"] = ordered_json::array();
  for (const auto& host : answer.hosts) json["hosts"].push_back(json_of(host));
  json["records"] = record.records;
  json["held_out"] = record.held_out;
  return text_of(json);
}

std::string to_json(const std::string& file, const Verification& found) {
  ordered_json differences = ordered_json::array();
  for (const auto& difference : found.differences) differences.push_back(json_of(difference));
  ordered_json json = {
      {"file", file},         {"verdict", name(found.verdict)}, {"reason", found.reason},
      {"claim", found.claim}, {"remarks", found.remarks},       {"differences", differences}};
  const bool is_known = found.expected.has_value();
  const PrivacyRecord expected = found.expected.value_or(PrivacyRecord{});
  const auto add = [&](const char* name, ordered_json value) {
    json[name] = is_known ? std::move(value) : ordered_json();
  };
  add("epsilon", finite(expected.epsilon));
  add("epsilon_lower", finite(expected.epsilon_lower));
  add("delta", finite(expected.delta));
  add("unit", expected.unit);
  add("relation", expected.relation);
  add("view", expected.view);
  add("dp_claim", expected.dp_claim);
  add("noise_std_on_released", finite(expected.noise_std_on_released));
  add("preprocessing", expected.preprocessing);
  add("releases_outside", expected.releases_outside);
  return text_of(json);
}

}  // namespace trilemma
