#include <memory>

#include "base/standard_output.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"
#include "experiment/settings_reference.hpp"
#include "run/run_file_reference.hpp"

namespace trilemma {

Command add_reference_command(CLI::App& parent) {
  auto page = std::make_shared<std::string>();
  auto* reference = parent.add_subcommand("reference", "print a page of the reference");
  reference
      ->add_option("page", *page,
                   "command-line: all commands and options; run-file: the attributes of run files; "
                   "settings: the keys of experiments")
      ->required()
      ->check(CLI::IsMember({"command-line", "run-file", "settings"}));
  return {reference, [page, &parent] {  // the parser writes to it
            print("{}", *page == "settings"   ? settings_reference()
                        : *page == "run-file" ? run_file_reference()
                                              : command_line_page(parent));
            return 0;
          }};
}

}  // namespace trilemma
