#include "record/privacy_group.hpp"

#include <algorithm>

#include "h5/h5_read.hpp"

namespace trilemma {
namespace {

constexpr const char* privacy_group_name = "privacy";
constexpr const char* end_fields[] = {"rounds_executed", "drawn_least", "drawn_mean", "drawn_most",
                                      "bound_observed"};

void write_field(hid_t group, const PrivacyField& field, const PrivacyRecord& record) {
  if (field.text != nullptr)
    h5::set_attribute(group, field.name, record.*field.text);
  else
    h5::set_attribute(group, field.name, record.*field.number);
}

void write_components(hid_t group, const std::vector<PrivacyComponent>& components) {
  std::vector<std::string> sampling;
  std::vector<double> rate, sigma, steps;
  for (const auto& c : components) {
    sampling.push_back(c.sampling);
    rate.push_back(c.rate);
    sigma.push_back(c.sigma);
    steps.push_back(c.steps);
  }
  const h5::Handle parts = h5::create_group(group, "components");
  if (components.empty()) return;
  auto column = [&](const char* name, const std::vector<double>& values, const char* meaning) {
    h5::write_array(parts.get(), name, h5::type_of<double>(), values.size(), values.data(), "1",
                    meaning);
  };
  h5::write_text(parts.get(), "sampling", sampling, false, "how the units of a step are drawn");
  column("rate", rate, "sampling rate");
  column("sigma", sigma, "noise multiplier: standard deviation over the norm bound");
  column("steps", steps, "number of releases");
}

std::vector<PrivacyComponent> read_components(hid_t group) {
  constexpr hsize_t most = 1000;
  const auto sampling = h5::read_texts(group, "components/sampling");
  const auto column = [&](const char* name) {
    auto values = h5::read_numbers(group, name, most);
    if (values.size() != sampling.size())
      h5::refuse(group, name,
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

void write_privacy(hid_t file, const PrivacyRecord& record) {
  const h5::Handle group = h5::create_group(file, privacy_group_name);
  for (const auto& field : privacy_fields()) write_field(group.get(), field, record);
  write_components(group.get(), record.components);
}

void write_privacy_end(hid_t file, const PrivacyRecord& record) {
  const h5::Handle group = h5::open_group(file, privacy_group_name);
  for (const auto& field : privacy_fields())
    if (std::find(std::begin(end_fields), std::end(end_fields), std::string_view(field.name)) !=
        std::end(end_fields))
      write_field(group.get(), field, record);
}

PrivacyRecord read_privacy(const h5::Handle& file, std::string& problem) {
  PrivacyRecord record;
  problem.clear();
  if (!h5::has_member(file.get(), privacy_group_name)) {
    problem = "the file has no group /privacy";
    return record;
  }
  const h5::Handle group = h5::open_group(file.get(), privacy_group_name);
  std::vector<std::string> names = h5::attribute_names(group.get());
  for (const auto& field : privacy_fields()) {
    const auto found = std::find(names.begin(), names.end(), field.name);
    if (found == names.end()) {
      problem = fmt::format("the field /privacy/{} is missing", field.name);
      return record;
    }
    names.erase(found);
    if (field.text != nullptr)
      record.*field.text = h5::text_attribute(group.get(), field.name);
    else
      record.*field.number = h5::number_attribute(group.get(), field.name);
  }
  if (!names.empty())
    problem = fmt::format("the field /privacy/{} is unknown to this program", names.front());
  if (h5::has_member(group.get(), "components/sigma"))
    record.components = read_components(group.get());
  return record;
}

}  // namespace trilemma
