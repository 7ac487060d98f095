#include "record/privacy_group.hpp"

#include <algorithm>
#include <cmath>

#include "record/field.hpp"

namespace trilemma {
namespace {

constexpr const char* privacy_group_name = "privacy";

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
  write_fields(group, privacy_fields(), record);
  write_components(group, record.components);
}

void write_privacy_end(const h5::Group& file, const PrivacyRecord& record) {
  const h5::Group group = file.open_group(privacy_group_name);
  for (const auto& field : privacy_fields())
    if (field.compared == Compared::rounds) write_value(group, field.name, field.get(record));
}

std::string in_words(const PrivacyProblem& problem) {
  return fmt::format("{} {}", problem.field,
                     problem.is_missing ? "is missing" : "is unknown to this program");
}

PrivacyRecord read_privacy(const h5::Group& file, std::optional<PrivacyProblem>& problem) {
  PrivacyRecord record;
  problem.reset();
  if (!file.has_member(privacy_group_name)) {
    problem = {"/privacy", true};
    return record;
  }
  const h5::Group group = file.open_group(privacy_group_name);
  std::vector<std::string> names = group.attribute_names();
  for (const auto& field : privacy_fields()) {
    const auto found = std::find(names.begin(), names.end(), field.name);
    if (found == names.end()) {
      problem = {"/privacy/" + field.name, true};
      return record;
    }
    names.erase(found);
    field.set(record, read_value(group, field.name, field.type));
  }
  if (!names.empty()) problem = {"/privacy/" + names.front(), false};
  if (group.has_member("components/sigma")) record.components = read_components(group);
  return record;
}

void PrivacyTally::add(std::int64_t round, std::uint64_t drawn_so_far, double norm) {
  const auto in_round = static_cast<double>(drawn_so_far - drawn_);
  drawn_ = drawn_so_far;
  record_.rounds_executed = static_cast<double>(round);
  if (!withheld_.holds(Provenance::updates))
    record_.bound_observed = std::fmax(record_.bound_observed, norm);
  if (round == 0 || withheld_.holds(Provenance::drawn_records)) return;
  record_.drawn_least = std::fmin(record_.drawn_least, in_round);
  record_.drawn_most = std::fmax(record_.drawn_most, in_round);
  record_.drawn_mean = static_cast<double>(drawn_) / record_.rounds_executed;
}

}  // namespace trilemma
