#include <memory>

#include "base/standard_output.hpp"
#include "cli/command.hpp"
#include "run/run_file_reference.hpp"

namespace trilemma {

Command add_reference_command(CLI::App& parent) {
  auto page = std::make_shared<std::string>();
  auto* reference = parent.add_subcommand("reference", "print a page of docs/reference");
  reference->add_option("page", *page, "run-file: the attributes of run files")
      ->required()
      ->check(CLI::IsMember({"run-file"}));
  return {reference, [page] {  // the parser writes to it
            print("{}", run_file_reference());
            return 0;
          }};
}

}  // namespace trilemma
