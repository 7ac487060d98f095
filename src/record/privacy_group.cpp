#include "record/privacy_group.hpp"

#include <algorithm>

#include "h5/h5.hpp"

namespace trilemma {
namespace {

constexpr const char* privacy_group_name = "privacy";
constexpr const char* end_fields[] = {"rounds_executed", "drawn_least", "drawn_mean", "drawn_most",
                                      "bound_observed"};

void write_field(const h5::Group& group, const PrivacyField& field, const PrivacyRecord& record) {
  if (field.text != nullptr)
    group.set_attribute(field.name, record.*field.text);
  else
    group.set_attribute(field.name, record.*field.number);
}

void write_components(const h5::Group& group, const std::vector<PrivacyComponent>& components) {
  std::vector<std::string> sampling;
  std::vector<double> rate, sigma, steps;
  for (const auto& c : components) {
    sampling.push_back(c.sampling);
    rate.push_back(c.rate);
    sigma.push_back(c.sigma);
    steps.push_back(c.steps);
  }
  const h5::Group parts = group.create_group("components");
  if (components.empty()) return;
  auto column = [&](const char* name, const std::vector<double>& values, const char* meaning) {
    parts.write_array(name, values, "1", meaning);
  };
  parts.write_texts("sampling", sampling, "how the units of a step are drawn");
  column("rate", rate, "sampling rate");
  column("sigma", sigma, "noise multiplier: standard deviation over the norm bound");
  column("steps", steps, "number of releases");
}

std::vector<PrivacyComponent> read_components(const h5::Group& group) {
  constexpr std::uint64_t most = 1000;
  const auto sampling = group.read_texts("components/sampling");
  const auto column = [&](const char* name) {
    auto values = group.read_numbers(name, most);
    if (values.size() != sampling.size())
      group.refuse(name,
                   fmt::format("{} values for {} components", values.size(), sampling.size()));
    return values;
  };
  const auto rate = column("components/rate");
  const auto sigma = column("components/sigma");
  const auto steps = column("components/steps");
  std::vector<PrivacyComponent> out;
  for (std::size_t i = 0; i < sampling.size(); ++i)
    out.push_back({sampling[i], rate[i], sigma[i], steps[i]});
  return out;
}

}  // namespace

void write_privacy(const h5::Group& file, const PrivacyRecord& record) {
  const h5::Group group = file.create_group(privacy_group_name);
  for (const auto& field : privacy_fields()) write_field(group, field, record);
  write_components(group, record.components);
}

void write_privacy_end(const h5::Group& file, const PrivacyRecord& record) {
  const h5::Group group = file.open_group(privacy_group_name);
  for (const auto& field : privacy_fields())
    if (std::find(std::begin(end_fields), std::end(end_fields), std::string_view(field.name)) !=
        std::end(end_fields))
      write_field(group, field, record);
}

PrivacyRecord read_privacy(const h5::Group& file, std::string& problem) {
  PrivacyRecord record;
  problem.clear();
  if (!file.has_member(privacy_group_name)) {
    problem = "the file has no group /privacy";
    return record;
  }
  const h5::Group group = file.open_group(privacy_group_name);
  std::vector<std::string> names = group.attribute_names();
  for (const auto& field : privacy_fields()) {
    const auto found = std::find(names.begin(), names.end(), field.name);
    if (found == names.end()) {
      problem = fmt::format("the field /privacy/{} is missing", field.name);
      return record;
    }
    names.erase(found);
    if (field.text != nullptr)
      record.*field.text = group.text_attribute(field.name);
    else
      record.*field.number = group.number_attribute(field.name);
  }
  if (!names.empty())
    problem = fmt::format("the field /privacy/{} is unknown to this program", names.front());
  if (group.has_member("components/sigma")) record.components = read_components(group);
  return record;
}

}  // namespace trilemma
