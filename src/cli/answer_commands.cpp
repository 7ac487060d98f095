// Commands that answer without running anything: list, partition, verify.

#include <cstdio>
#include <memory>

#include "cli/answers_json.hpp"
#include "cli/command.hpp"
#include "core/exit_code.hpp"
#include "core/text.hpp"
#include "plan/file_kind.hpp"
#include "record/apart.hpp"

namespace trilemma {
namespace {

void print(const std::vector<PartFamily>& families) {
  for (const auto& family : families) {
    fmt::print("{}\n", family.name);
    for (const auto& [name, summary] : family.parts) fmt::print("  {:<26}{}\n", name, summary);
  }
}

// The exit code says the verdict too.
int verify_command(const std::string& file, bool json) {
  require_run_file(file);
  const Verification found = verify_file(file);
  if (json)
    fmt::print("{}", to_json(file, found));
  else
    fmt::print("{}: {}\n", words(found.verdict), printable(found.reason));
  switch (found.verdict) {
    case Verdict::holds:
      return 0;
    case Verdict::fails:
      return exit_claim_fails;
    case Verdict::unchecked:
      break;
  }
  return exit_claim_unchecked;
}

}  // namespace

Command add_list_command(CLI::App& parent) {
  auto family = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  auto* list = parent.add_subcommand("list", "list algorithms, compressors and all other parts");
  list->add_option("family", *family, "one family only (default: all)");
  list->add_flag("--json", *json, "as JSON: families, each a list of {name, summary}");
  return {list, [family, json] {
            const auto families = part_families(*family);
            if (*json)
              fmt::print("{}", to_json(families));
            else
              print(families);
            return 0;
          }};
}

Command add_partition_command(CLI::App& parent) {
  auto options = std::make_shared<PartitionOptions>();
  auto json = std::make_shared<bool>(false);
  auto* partition = parent.add_subcommand(
      "partition",
      "show who would hold which records, how unequal clients are, where they are hosted");
  partition->add_option("file", options->file, "experiment file (TOML)")->required();
  add_overrides(*partition, options->overrides);
  add_data_folder(*partition, options->data_folder);
  partition->add_option("--ranks", options->ranks, "ranks on which the clients would be hosted")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  partition->add_flag("--json", *json,
                      "as JSON: what a run file has in /partition, and the clients of every host");
  return {partition, [options, json] {
            const PartitionAnswer answer = partition_answer(*options);
            fmt::print("{}", *json ? to_json(answer) : to_text(answer));
            return 0;
          }};
}

Command add_verify_command(CLI::App& parent) {
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  auto* verify = parent.add_subcommand(
      "verify", "recompute the privacy loss of a run from its file: does its claim hold?");
  verify->add_option("file", *file, "run file")->required();
  verify->add_flag("--json", *json, "as JSON, in full precision");
  // Accounting for a run can take longer than reading it.
  constexpr unsigned seconds = 300;
  return {verify, [file, json] {
            return command_apart(
                *file, [&] { return verify_command(*file, *json); }, seconds);
          }};
}

}  // namespace trilemma
