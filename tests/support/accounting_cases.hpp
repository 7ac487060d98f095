#pragma once
// Reference values of the accountants, tests/privacy/accountant/reference.csv, and short ways to
// write compositions.

#include <map>
#include <string>
#include <vector>

#include "privacy/accountant/accountant.hpp"

namespace trilemma::testing {

/// One line of the file, by column.
struct AccountingCase {
  std::map<std::string, std::string> column;

  const std::string& text(const std::string& name) const { return column.at(name); }
  bool has(const std::string& name) const { return !column.at(name).empty(); }
  double number(const std::string& name) const { return std::stod(column.at(name)); }
  /// What is accounted, with the library's unit of sigma; sigma = 1 where it is to be found.
  accounting::Composition composition() const;
  /// Nothing is sampled; one step.
  bool plain() const { return text("sampling") == "none"; }
  bool single() const { return has("T") && number("T") == 1; }
};

/// All lines; none if the file cannot be read.
std::vector<AccountingCase> reference_cases();

/// `steps` Poisson-subsampled releases (plain ones for rate 1).
accounting::Composition poisson(double rate, double sigma, double steps,
                                accounting::Relation relation = accounting::Relation::add_remove);
accounting::Composition plain(double sigma, double steps,
                              accounting::Relation relation = accounting::Relation::add_remove);
/// A fixed share of the units without replacement, under replace_one.
accounting::Composition fixed_size(double rate, double sigma, double steps);

}  // namespace trilemma::testing
