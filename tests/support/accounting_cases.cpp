#include "tests/support/accounting_cases.hpp"

#include <fstream>
#include <sstream>

namespace trilemma::testing {
namespace {

using namespace accounting;

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : line) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

Component component(double rate, double sigma, double steps) {
  return {rate == 1 ? Sampling::none : Sampling::poisson, rate, sigma, steps};
}

}  // namespace

Composition AccountingCase::composition() const {
  Composition out;
  const std::string& neighbour = text("neighbour");
  if (neighbour.rfind("replace_one", 0) == 0) out.relation = Relation::replace_one;
  if (has("components")) {
    for (const auto& part : split(text("components"), ';')) {
      const auto fields = split(part, ':');
      out.components.push_back(
          component(std::stod(fields.at(0)), std::stod(fields.at(1)), std::stod(fields.at(2))));
    }
    return out;
  }
  Component c = component(number("q"), has("sigma") ? number("sigma") : 1, number("T"));
  if (text("sampling") == "fixed_size_wor") c.sampling = Sampling::fixed_wor;
  // Relative to the distance of two replaced units, which is twice the norm bound.
  if (neighbour == "replace_one_dist1") c.sigma *= 2;
  out.components.push_back(c);
  return out;
}

std::vector<AccountingCase> reference_cases() {
  std::ifstream file(TRILEMMA_SOURCE_DIR "/tests/privacy/accountant/reference.csv");
  std::vector<std::string> names;
  std::vector<AccountingCase> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto fields = split(line, ',');
    if (names.empty()) {
      names = fields;
      continue;
    }
    AccountingCase row;
    for (std::size_t i = 0; i < names.size(); ++i) row.column[names[i]] = fields.at(i);
    cases.push_back(row);
  }
  return cases;
}

Composition poisson(double rate, double sigma, double steps, Relation relation) {
  return {relation, {component(rate, sigma, steps)}};
}

Composition plain(double sigma, double steps, Relation relation) {
  return {relation, {{Sampling::none, 1, sigma, steps}}};
}

Composition fixed_size(double rate, double sigma, double steps) {
  return {Relation::replace_one, {{Sampling::fixed_wor, rate, sigma, steps}}};
}

}  // namespace trilemma::testing
