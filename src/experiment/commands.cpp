#include "experiment/commands.hpp"

#include <algorithm>
#include <cstdio>

#include "core/text.hpp"
#include "experiment/identity.hpp"
#include "experiment/verify.hpp"
#include "record/summary.hpp"

namespace trilemma {
namespace {

template <class Maker>
void print_family(const std::string& wanted, const char* family, std::span<const Row<Maker>> rows) {
  if (!wanted.empty() && wanted != family) return;
  fmt::print("{}\n", family);
  for (const auto& row : rows) fmt::print("  {:<26}{}\n", row.name, row.summary);
}

}  // namespace

int list_command(const std::string& family) {
  const std::vector<std::string> families = {
      "algorithms",  "estimators", "solvers", "finetunings", "samplers",     "bounds",
      "compressors", "problems",   "sources", "partitions",  "participation"};
  const std::string meant = nearest(family, families);
  require(family.empty() || std::find(families.begin(), families.end(), family) != families.end(),
          "{}: no such family of parts; {}", family,
          meant.empty() ? fmt::format("known are {}", join(families))
                        : fmt::format("did you mean \"{}\"?", meant));
  print_family(family, "algorithms", methods());
  print_family(family, "estimators", estimators());
  print_family(family, "solvers", solvers());
  print_family(family, "finetunings", finetunings());
  print_family(family, "samplers", samplers());
  print_family(family, "bounds", bounds());
  print_family(family, "compressors", compressors());
  print_family(family, "problems", problems());
  print_family(family, "sources", sources());
  print_family(family, "partitions", partitions());
  print_family(family, "participation", schedules());
  return 0;
}

int show_command(const std::string& file, bool json) {
  const Summary summary = read_summary(file);
  fmt::print("{}{}", json ? to_json(summary) : to_text(summary), json ? "\n" : "");
  require(summary.content != Content::changed, "{}", changed_content(file));
  return 0;
}

int verify_command(const std::string& file) {
  const Verification found = verify_file(file);
  switch (found.verdict) {
    case Verdict::holds:
      fmt::print("claim holds: {}\n", printable(found.reason));
      return 0;
    case Verdict::fails:
      fmt::print("claim fails: {}\n", printable(found.reason));
      return exit_claim_fails;
    case Verdict::unchecked:
      break;
  }
  fmt::print("claim cannot be checked: {}\n", printable(found.reason));
  return exit_claim_unchecked;
}

int config_command(const std::string& file, const std::vector<std::string>& overrides,
                   const std::string& given_folder) {
  if (file.empty()) {
    fmt::print("{}", to_toml(all_settings(), true));
    return 0;
  }
  DataFolder data(data_folder(given_folder));
  fmt::print("{}", read_plan(Settings::from_file(file, overrides), &data).annotated);
  return 0;
}

}  // namespace trilemma
