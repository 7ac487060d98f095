#include <cstdio>
#include <memory>
#include <optional>

#include "base/check.hpp"
#include "base/standard_output.hpp"
#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "claim/claim.hpp"
#include "claim/verify_text.hpp"
#include "cli/answers_json.hpp"
#include "cli/command.hpp"
#include "cli/json.hpp"
#include "experiment/file_kind.hpp"
#include "run/verify.hpp"

namespace trilemma {
namespace {

struct VerifyOptions {
  std::vector<std::string> files;
  std::string data_folder;
  bool json = false, rerun = false, is_long = false;
};

int code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return 0;
    case Verdict::fails:
      return exit_claim_fails;
    case Verdict::unchecked:
    case Verdict::no_claim:
      break;
  }
  return exit_claim_unchecked;
}

// Accounting can take longer than reading a file.
constexpr unsigned most_seconds = 300;

// A file's answers on their way out of the process that reads it.
struct Answer {
  VerifiedFile found;
  std::string json;

  void persist(State& state) {
    int verdict = static_cast<int>(found.verdict);
    state.value(verdict);
    found.verdict = static_cast<Verdict>(verdict);
    state.values(found.reason);
    state.value(found.epsilon);
    state.value(found.delta);
    state.values(found.terms);
    auto count = static_cast<std::uint64_t>(found.outside.size());
    state.value(count);
    found.outside.resize(static_cast<std::size_t>(count));
    for (auto& one : found.outside) state.values(one);
    state.values(found.remarks);
    state.values(json);
  }
};

// Verifies a file in a subprocess, since it may crash on a damaged one.
Answer verify_one(const std::string& file, const Rerun* again) {
  Answer answer = found_in_subprocess(
      file,
      [&] {
        require_run_file(file);
        Verification found = verify_file(file);
        if (again != nullptr) take_in(*again, found);
        const PrivacyRecord expected = found.expected.value_or(PrivacyRecord{});
        return Answer{{.file = file,
                       .verdict = found.verdict,
                       .reason = found.reason,
                       .epsilon = expected.epsilon,
                       .delta = expected.delta,
                       .terms = terms_in_words(expected),
                       .outside = found.outside,
                       .remarks = found.remarks},
                      to_json(file, found)};
      },
      most_seconds);
  answer.found.file = file;
  return answer;
}

// Repeats a run unless its file contradicts itself; returns nullopt otherwise.
std::optional<Rerun> repeated(const std::string& file, const VerifyOptions& o) {
  if (!o.rerun || verify_one(file, nullptr).found.verdict == Verdict::fails) return {};
  return rerun(file, o.data_folder);
}

// The exit codes of the files: that of the first claim that fails, otherwise of the first file that
// cannot be judged. A run without a claim counts only where no claim holds and no repeated run
// agrees with its file.
class Codes {
 public:
  void add(int code) {
    if (code_ == 0 || (code == exit_claim_fails && code_ != code)) code_ = code;
  }
  void add(Verdict verdict, const std::optional<Rerun>& again) {
    if (verdict != Verdict::no_claim) add(code_of(verdict));
    any_holds_ |= verdict == Verdict::holds;
    any_agrees_ |= again && again->agrees();
  }
  bool any_holds() const { return any_holds_; }
  int code() const {
    return code_ != 0 || any_holds_ || any_agrees_ ? code_ : exit_claim_unchecked;
  }

 private:
  int code_ = 0;
  bool any_holds_ = false;
  bool any_agrees_ = false;
};

// Verifies one file after the other; a file that cannot be read is reported and skipped.
int verify_all(const VerifyOptions& o) {
  const bool several = o.files.size() > 1;
  const std::size_t columns = output_columns();
  Codes codes;
  std::vector<VerifiedFile> found;
  for (const auto& file : o.files) {
    try {
      const auto again = repeated(file, o);
      const Answer answer = verify_one(file, again ? &*again : nullptr);
      codes.add(answer.found.verdict, again);
      found.push_back(answer.found);
      if (o.json)
        print("{}", answer.json);
      else if (!several || o.is_long)
        print("{}", to_text(answer.found, several, columns));
    } catch (const std::exception& error) {
      if (!several) throw;
      std::fprintf(stderr, "trilemma: %s\n", printable(error.what()).c_str());
      codes.add(dynamic_cast<const UserError*>(&error) != nullptr ? exit_user : exit_internal);
    }
  }
  if (several && !o.json && !o.is_long && !found.empty()) print("{}", to_text(found, columns));
  if (codes.any_holds() && !o.rerun)
    std::fputs(
        wrapped("trilemma: note: verify compares a run file with its own configuration; it does "
                "not show that the run was executed that way; only --rerun detects a file that was "
                "rewritten consistently",
                "", "  ", columns)
            .c_str(),
        stderr);
  return codes.code();
}

}  // namespace

Command add_verify_command(CLI::App& parent) {
  auto options = std::make_shared<VerifyOptions>();
  auto* verify = parent.add_subcommand(
      "verify", "check the claims of run files by recomputing them from the recorded settings");
  verify->add_option("file", options->files, "run files")->required();
  auto* json = verify->add_flag("--json", options->json,
                                "print JSON in full precision, one object per file");
  verify->add_flag("--long", options->is_long, "print a paragraph for each of several files")
      ->excludes(json);
  verify->add_flag("--rerun", options->rerun,
                   "also repeat each run and compare all columns and models bit by bit");
  add_data_folder(*verify, options->data_folder);
  return {verify, [options] { return verify_all(*options); }};
}

}  // namespace trilemma
