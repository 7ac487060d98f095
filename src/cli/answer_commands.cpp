// Commands that answer questions without running an experiment: list, partition, verify.

#include <cstdio>
#include <memory>

#include "base/check.hpp"
#include "base/exit_code.hpp"
#include "base/standard_output.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "cli/answers_json.hpp"
#include "cli/command.hpp"
#include "experiment/file_kind.hpp"
#include "run/rerun.hpp"

namespace trilemma {
namespace {

void print_families(const std::vector<PartFamily>& families) {
  for (const auto& family : families) {
    print("{}\n", family.name);
    for (const auto& [name, summary] : family.parts) print("  {:<26}{}\n", name, summary);
  }
}

struct VerifyOptions {
  std::vector<std::string> files;
  std::string data_folder;
  bool json = false, rerun = false;
};

int code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return 0;
    case Verdict::fails:
      return exit_claim_fails;
    case Verdict::unchecked:
      break;
  }
  return exit_claim_unchecked;
}

// Runs verification in a subprocess, since it may crash on a damaged file; accounting can take
// longer than reading the file.
int verify_in_subprocess(const std::string& file, const std::function<int()>& verify) {
  constexpr unsigned seconds = 300;
  return run_in_subprocess(file, verify, seconds);
}

// Prints the verdict on one file; the exit code expresses it too.
int verify_one(const std::string& file, const std::string& name, bool json, const Rerun* again) {
  require_run_file(file);
  Verification found = verify_file(file);
  if (again != nullptr) take_in(*again, found);
  if (json)
    print("{}", to_json(file, found));
  else
    print("{}{}: {}\n", name, words(found.verdict), printable(found.reason));
  return code_of(found.verdict);
}

// Repeats a run unless its file contradicts itself; returns nullopt otherwise.
std::optional<Rerun> repeated(const std::string& file, const VerifyOptions& o) {
  if (!o.rerun) return {};
  const int code = verify_in_subprocess(file, [&] {
    require_run_file(file);
    return code_of(verify_file(file).verdict);
  });
  if (code == exit_claim_fails) return {};
  return rerun(file, o.data_folder);
}

// Verifies one file after the other; a file that cannot be judged is reported and skipped. Returns
// the exit code of the first claim that fails, otherwise that of the first file of which no claim
// holds.
int verify_all(const VerifyOptions& o) {
  const bool several = o.files.size() > 1;
  bool any_holds = false;
  int code = 0;
  for (const auto& file : o.files) {
    int found = 0;
    try {
      const auto again = repeated(file, o);
      found = verify_in_subprocess(file, [&] {
        return verify_one(file, several ? file + ": " : "", o.json, again ? &*again : nullptr);
      });
      any_holds |= found == 0;
    } catch (const std::exception& error) {
      if (!several) throw;
      std::fprintf(stderr, "trilemma: %s\n", printable(error.what()).c_str());
      found = dynamic_cast<const UserError*>(&error) != nullptr ? exit_user : exit_internal;
    }
    if (code == 0 || found == exit_claim_fails) code = found;
  }
  if (any_holds && !o.rerun)
    std::fputs(
        "trilemma: note: verify compares a run file with its own configuration; it does not show "
        "that the run was executed that way; only --rerun detects a file that was rewritten "
        "consistently\n",
        stderr);
  return code;
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
            print("{}", *json ? to_json(answer) : to_text(answer));
            return 0;
          }};
}

Command add_verify_command(CLI::App& parent) {
  auto options = std::make_shared<VerifyOptions>();
  auto* verify = parent.add_subcommand(
      "verify", "check the claims of run files by recomputing them from the recorded settings");
  verify->add_option("file", options->files, "run files")->required();
  verify->add_flag("--json", options->json, "print JSON in full precision, one object per file");
  verify->add_flag("--rerun", options->rerun,
                   "also repeat each run and compare all columns and models bit by bit");
  add_data_folder(*verify, options->data_folder);
  return {verify, [options] { return verify_all(*options); }};
}

}  // namespace trilemma
