#include <unistd.h>

#include <filesystem>

#include "base/version.hpp"
#include "numeric/vectors.hpp"
#include "run/finished_run.hpp"
#include "run/machine.hpp"
#include "run/verify.hpp"

namespace trilemma {
namespace {

// A temporary folder that is deleted with its contents on destruction.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "trilemma-XXXXXX").string()) {
    require(mkdtemp(path_.data()) != nullptr,
            "{}: a temporary folder cannot be created there; set TMPDIR to a writable folder",
            std::filesystem::temp_directory_path().string());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string at(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Bits depend on the instructions of the processor and on the program.
std::string circumstances_of(const RunHead& run) {
  const Processor there = recorded_processor(run);
  const Processor here = processor_in_use();
  if (there != here)
    return fmt::format("it was made with {}, and this processor computes with {}",
                       there.description, here.description);
  if (run.revision != git_revision())
    return fmt::format("it was made by revision {} of the program, and this is {}", run.revision,
                       git_revision());
  return {};
}

}  // namespace

Rerun rerun(const std::string& path, const std::string& data_folder) {
  Rerun out;
  const RunHead run = read_run_head(path);
  out.obstacle = obstacle_to_repeating(run);
  if (!out.obstacle.empty()) return out;
  out.circumstances = circumstances_of(run);
  const TemporaryFolder folder;
  RunOptions options;
  options.file = path;
  options.output = folder.at("rerun.h5");
  options.failure_file = folder.at("failure");
  options.data_folder = data_folder;
  options.quiet = true;
  options.without_mpi = true;
  options.repeats = true;
  bool is_compared = false;
  options.compared = [&](std::vector<Difference> found) {
    out.differences = std::move(found);
    is_compared = true;
  };
  // A run may limit the width of the kernels; later runs must not inherit the limit.
  const unsigned bits = vector_target().bits;
  const int code = run_command(options, 0, nullptr);
  limit_vectors(bits);
  if (!is_compared)
    out.obstacle = fmt::format("the repeated run ended with exit code {}, see above", code);
  return out;
}

void take_in(const Rerun& rerun, Verification& verification) {
  if (verification.verdict == Verdict::fails) return;
  const bool holds = verification.verdict == Verdict::holds;
  if (!rerun.obstacle.empty()) {
    verification.verdict = Verdict::unchecked;
    verification.reason =
        fmt::format("the run cannot be repeated: {}; {}{}", rerun.obstacle,
                    holds ? "without that the claim holds: " : "", verification.reason);
  } else if (rerun.agrees()) {
    constexpr const char* same = "; the repeated run has the same columns and models, to the bit";
    verification.reason += same;
    verification.remarks += same;
  } else {
    verification.differences = rerun.differences;
    verification.verdict = rerun.circumstances.empty() ? Verdict::fails : Verdict::unchecked;
    verification.reason = in_words(rerun.differences) +
                          (rerun.circumstances.empty() ? "" : "; but " + rerun.circumstances);
  }
}

}  // namespace trilemma
