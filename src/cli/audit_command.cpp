#include <memory>

#include "audit/options.hpp"
#include "cli/command.hpp"

namespace trilemma {

Command add_audit_command(CLI::App& parent, int argc, char** argv) {
  auto o = std::make_shared<AuditOptions>();
  auto* audit = parent.add_subcommand(
      "audit", "attack an experiment's privacy claim with a worst-case record or client");
  audit->add_option("file", o->file, "experiment file (TOML)")->required();
  add_overrides(*audit, o->overrides);
  add_data_folder(*audit, o->data_folder);
  audit->add_option(
      "--runs", o->runs,
      "number of runs with the unit under test, and as many without it (default: 20000; "
      "fewer beyond 100 rounds)");
  audit->add_option("--confidence", o->confidence,
                    "confidence level of the lower bounds (default: 0.95)");
  audit->add_flag("--one-run", o->one_run, "use a single run with many records under test");
  audit->add_option("--canaries", o->canaries,
                    "number of records under test with --one-run (default: 1000)");
  audit->add_option("--records", o->records,
                    "number of records of a client (default: as in the experiment, at most "
                    "about 256)");
  audit->add_option("--dimension", o->dimension,
                    "number of coordinates of the model (default: 16)");
  audit->add_option("--output", o->output, "HDF5 file to write (default: none)");
  audit->add_flag("--overwrite", o->overwrite, "replace an existing audit file with this name");
  audit->add_flag("--json", o->json, "print the report as JSON");
  audit->add_flag("--quiet", o->quiet, "print no progress and no report in words");
  add_mpi_flag(*audit);
  return {audit, [o, argc, argv] { return audit_command(*o, argc, argv); }};
}

}  // namespace trilemma
