#include "tests/fuzz/supervisor.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/clock.hpp"
#include "tests/fuzz/attempt.hpp"

namespace trilemma::fuzz {
namespace {

constexpr int most_findings = 10;
// Readers in processes of their own may compute for 20 s each before they are ended.
constexpr double patience_seconds = 240;

// What the process that tries inputs leaves behind; lies in memory that both see.
struct Progress {
  std::uint64_t next;     ///< input that is tried, or will be
  std::uint64_t started;  ///< inputs
  Counts counts;
  double slowest;      ///< seconds of an input
  long largest;        ///< most memory of a process, KiB
  char problem[4000];  ///< why it ended; empty: there was none
};

class SharedProgress {
 public:
  SharedProgress() : progress_(map()) {}
  ~SharedProgress() { munmap(progress_, sizeof(Progress)); }
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;
  Progress& operator*() const { return *progress_; }
  Progress* operator->() const { return progress_; }

 private:
  static Progress* map() {
    void* memory =
        mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    return new (memory) Progress{};
  }
  Progress* progress_;
};

std::string input_of(const Harness& harness, std::uint64_t seed, std::uint64_t number) {
  const auto& corpus = harness.corpus;
  if (number < corpus.size()) return corpus[number];
  Stream stream({seed, Purpose::data, static_cast<std::uint32_t>(number),
                 static_cast<std::uint32_t>(number >> 32U)});
  return harness.change(corpus[stream.below(static_cast<std::uint32_t>(corpus.size()))], corpus,
                        stream);
}

bool is_over(const Campaign& campaign, const Harness& harness, std::uint64_t number, double end) {
  if (number < harness.corpus.size()) return false;
  return campaign.seconds ? now_seconds() >= end : number >= campaign.inputs;
}

// Ends this process: 0 = all done, 1 = a problem.
[[noreturn]] void try_inputs(const Harness& harness, const Campaign& campaign, double end,
                             const testing::TempFolder& folder, Progress& progress) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  Trial trial(folder);
  for (; !is_over(campaign, harness, progress.next, end); ++progress.next) {
    const double begin = now_seconds();
    const std::string input = input_of(harness, campaign.seed, progress.next);
    folder.write("last-input", input);
    ++progress.started;
    const std::string problem =
        trial.attempt(harness, input, progress.next < harness.corpus.size(), progress.counts);
    progress.slowest = std::max(progress.slowest, now_seconds() - begin);
    progress.largest = std::max(progress.largest, largest_process());
    if (problem.empty()) continue;
    std::strncpy(progress.problem, problem.c_str(), sizeof progress.problem - 1);
    _exit(1);
  }
  _exit(0);
}

// Waits for its end; kills what takes too long over one input. Empty where all went well.
std::string watch(pid_t child, const Progress& progress) {
  std::uint64_t seen = progress.next;
  double since = now_seconds();
  bool is_killed = false;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (seen != progress.next) {
      seen = progress.next;
      since = now_seconds();
    }
    if (now_seconds() - since > patience_seconds && !is_killed) {
      is_killed = true;
      kill(-child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (is_killed) return fmt::format("no end after {} s", patience_seconds);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (progress.problem[0] != '\0') return progress.problem;
  return WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                             : fmt::format("exit code {}", WEXITSTATUS(status));
}

void keep(const testing::TempFolder& folder, const std::string& file, const std::string& problem) {
  std::filesystem::create_directories(std::filesystem::path(file).parent_path());
  std::filesystem::copy_file(folder.at("last-input"), file,
                             std::filesystem::copy_options::overwrite_existing);
  fmt::print("  FINDING kept in {}: {}\n{}\n", file, problem, printed_in(folder));
}

}  // namespace

int search(const Format& format, const Campaign& campaign) {
  const Harness harness = format.make();
  const testing::TempFolder folder;
  const SharedProgress progress;
  const double begin = now_seconds();
  const double end = begin + campaign.seconds.value_or(0);
  int findings = 0;
  for (bool goes_on = true; goes_on && findings < most_findings;) {
    std::fflush(nullptr);
    progress->problem[0] = '\0';
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot start a process");
    if (child == 0) try_inputs(harness, campaign, end, folder, *progress);
    const std::string problem = watch(child, *progress);
    goes_on = !problem.empty();
    if (!goes_on) break;
    ++findings;
    keep(folder,
         fmt::format("{}/{}-{}-{}", campaign.findings, format.name, campaign.seed, progress->next),
         problem);
    ++progress->next;
  }
  fmt::print(
      "{}: seed {}, {} inputs in {:.1f} s; readings: {} done, {} refused, {} of these by a "
      "breakdown of the library; {} findings; slowest {:.1f} s, at most {} MiB\n",
      format.name, campaign.seed, progress->started, now_seconds() - begin, progress->counts.read,
      progress->counts.refused, progress->counts.broken, findings, progress->slowest,
      progress->largest / 1024);
  std::fflush(stdout);
  return findings;
}

int replay(const Format& format, const std::string& input) {
  const Harness harness = format.make();
  const testing::TempFolder folder;
  int findings = 0;
  for (std::size_t i = 0; i < harness.readers.size(); ++i) {
    std::string outcome = "read";
    try {
      harness.readers[i](input, folder);
    } catch (const UserError& error) {
      outcome = fmt::format("refused: {}", error.what());
    } catch (const std::exception& error) {
      outcome = fmt::format("FINDING: {}", error.what());
      findings = 1;
    }
    fmt::print("{} reader {}: {}\n", format.name, i + 1, outcome);
  }
  return findings;
}

}  // namespace trilemma::fuzz
