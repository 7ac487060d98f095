// Commands that answer questions without running an experiment: list, partition.

#include <memory>

#include "base/standard_output.hpp"
#include "cli/answers_json.hpp"
#include "cli/command.hpp"

namespace trilemma {
namespace {

void print_families(const std::vector<PartFamily>& families) {
  for (const auto& family : families) {
    print("{}\n", family.name);
    for (const auto& [name, summary] : family.parts)
      print("{}", wrapped(summary, fmt::format("  {:<26}", name), std::string(28, ' '),
                          output_columns()));
  }
}

}  // namespace

Command add_list_command(CLI::App& parent) {
  auto family = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  auto* list = parent.add_subcommand("list", "list methods, compressors and all other parts");
  list->add_option("family", *family, "list only this family (default: all)");
  list->add_flag("--json", *json, "print JSON: families, each a list of {name, summary}");
  return {list, [family, json] {
            const auto families = part_families(*family);
            if (*json)
              print("{}", to_json(families));
            else
              print_families(families);
            return 0;
          }};
}

Command add_partition_command(CLI::App& parent) {
  auto options = std::make_shared<PartitionOptions>();
  auto json = std::make_shared<bool>(false);
  auto* partition = parent.add_subcommand(
      "partition",
      "show the records of each client, how unequal the clients are, and which rank hosts each "
      "client");
  partition->add_option("file", options->file, "experiment file (TOML)")->required();
  add_overrides(*partition, options->overrides);
  add_data_folder(*partition, options->data_folder);
  partition
      ->add_option("--ranks", options->ranks, "number of ranks in the job, the server included")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  partition->add_flag("--json", *json,
                      "print JSON: the contents of /partition in a run file, and the clients "
                      "of every host");
  return {partition, [options, json] {
            const PartitionAnswer answer = partition_answer(*options);
            print("{}", *json ? to_json(answer) : fitted(to_text(answer), output_columns()));
            return 0;
          }};
}

}  // namespace trilemma
