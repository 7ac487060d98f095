#include "record/privacy_record.hpp"

#include <algorithm>

#include "record/privacy_group.hpp"
#include "record/run_reader.hpp"

namespace trilemma {
namespace {

constexpr const char* group_name = "privacy";
constexpr const char* end_fields[] = {"rounds_executed", "drawn_least", "drawn_mean", "drawn_most",
                                      "bound_observed"};

PrivacyField text(const char* name, std::string PrivacyRecord::*member) {
  return {name, member, nullptr};
}
PrivacyField number(const char* name, double PrivacyRecord::*member) {
  return {name, nullptr, member};
}

using R = PrivacyRecord;
const PrivacyField fields[] = {
    text("dp_claim", &R::dp_claim),
    text("reason", &R::reason),
    text("theorem", &R::theorem),
    text("theorem_source", &R::theorem_source),
    text("unit", &R::unit),
    text("relation", &R::relation),
    text("view", &R::view),
    text("aggregation", &R::aggregation),
    number("units", &R::units),
    number("units_most", &R::units_most),
    text("sampling_scheme", &R::sampling_scheme),
    text("sampler", &R::sampler),
    number("sampling_rate", &R::sampling_rate),
    number("batch", &R::batch),
    number("divisor", &R::divisor),
    text("divisor_kind", &R::divisor_kind),
    text("bound_kind", &R::bound_kind),
    text("bound_per", &R::bound_per),
    number("bound_norm", &R::bound_norm),
    number("bound_observed", &R::bound_observed),
    number("sensitivity_sampled", &R::sensitivity_sampled),
    number("sensitivity_full", &R::sensitivity_full),
    number("neighbour_distance", &R::neighbour_distance),
    text("noise_kind", &R::noise_kind),
    text("noise_place", &R::noise_place),
    text("noise_mode", &R::noise_mode),
    text("noise_dtype", &R::noise_dtype),
    number("noise_std_on_released", &R::noise_std_on_released),
    number("noise_std_on_sum", &R::noise_std_on_sum),
    number("noise_multiplier", &R::noise_multiplier),
    number("rounds_planned", &R::rounds_planned),
    number("rounds_accounted", &R::rounds_accounted),
    text("calibration_mode", &R::calibration_mode),
    number("calibration_epsilon", &R::calibration_epsilon),
    number("calibration_constant", &R::calibration_constant),
    text("accountant", &R::accountant),
    text("accountant_version", &R::accountant_version),
    text("accountant_method", &R::accountant_method),
    text("accountant_status", &R::accountant_status),
    text("orders", &R::orders),
    number("accountant_tolerance", &R::accountant_tolerance),
    number("grid_step", &R::grid_step),
    number("grid_points", &R::grid_points),
    number("error_budget", &R::error_budget),
    number("split", &R::split),
    number("delta", &R::delta),
    number("delta_times_units", &R::delta_times_units),
    number("epsilon", &R::epsilon),
    number("epsilon_lower", &R::epsilon_lower),
    text("crosscheck_method", &R::crosscheck_method),
    number("crosscheck_epsilon", &R::crosscheck_epsilon),
    number("best_order", &R::best_order),
    text("rng", &R::rng),
    text("rng_label", &R::rng_label),
    text("float_dp", &R::float_dp),
    text("paired_noise", &R::paired_noise),
    text("preprocessing", &R::preprocessing),
    text("contains_private_model", &R::contains_private_model),
    text("releases_outside", &R::releases_outside),
    number("rounds_executed", &R::rounds_executed),
    number("drawn_least", &R::drawn_least),
    number("drawn_mean", &R::drawn_mean),
    number("drawn_most", &R::drawn_most),
};

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

const std::vector<PrivacyField>& privacy_fields() {
  static const std::vector<PrivacyField> list(std::begin(fields), std::end(fields));
  return list;
}

void write_privacy(hid_t file, const PrivacyRecord& record) {
  const h5::Handle group = h5::create_group(file, group_name);
  for (const auto& field : privacy_fields()) write_field(group.get(), field, record);
  write_components(group.get(), record.components);
}

void write_privacy_end(hid_t file, const PrivacyRecord& record) {
  const h5::Handle group = h5::open_group(file, group_name);
  for (const auto& field : privacy_fields())
    if (std::find(std::begin(end_fields), std::end(end_fields), std::string_view(field.name)) !=
        std::end(end_fields))
      write_field(group.get(), field, record);
}

PrivacyRecord read_privacy(const std::string& path, std::string& problem) {
  return read_privacy(open_run_file(path), problem);
}

PrivacyRecord read_privacy(const h5::Handle& file, std::string& problem) {
  PrivacyRecord record;
  problem.clear();
  if (!h5::has_member(file.get(), group_name)) {
    problem = "the file has no group /privacy";
    return record;
  }
  const h5::Handle group = h5::open_group(file.get(), group_name);
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
