// Run files and checkpoints, damaged and forged: each is refused in one sentence, or it says what
// the whole one says.

#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "experiment/read_plan.hpp"
#include "federation/start_model.hpp"
#include "network/predict.hpp"
#include "record/checkpoint_file.hpp"
#include "record/run_file.hpp"
#include "record/run_reader.hpp"
#include "record/summary.hpp"
#include "run/run_target.hpp"
#include "run/verify.hpp"
#include "sweep/sweep_status.hpp"
#include "tests/fuzz/change_hdf5.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/whole_run.hpp"
#include "tests/support/run_files.hpp"

namespace trilemma::fuzz {
namespace {

namespace fs = std::filesystem;
using testing::TempFolder;

// Puts the input where the file of the run belongs, and takes away all that lies there afterwards.
class Placed {
 public:
  Placed(const std::string& path, const std::string& input) {
    whole_run().folder.write(fs::path(path).filename().string(), input);
  }
  ~Placed() {
    const std::string stem = fs::path(whole_run().path).stem().string();
    for (const auto& entry : fs::directory_iterator(whole_run().folder.path()))
      if (entry.path().filename().string().starts_with(stem)) fs::remove_all(entry.path());
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
};

std::string text_in_subprocess(const std::function<std::string()>& text) {
  const Bytes bytes = read_in_subprocess(whole_run().path, [&] {
    const std::string out = text();
    const auto content = std::as_bytes(std::span(out));
    return Bytes(content.begin(), content.end());
  });
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The sum of a file that is as it was written, and what `show` prints of it. Empty for others,
// which may say anything.
std::string shown() {
  return text_in_subprocess([] {
    const std::string& path = whole_run().path;
    const Summary summary = read_summary(path);
    const std::string text = to_text(summary) + to_json(summary);
    promise(text.find('\x1b') == std::string::npos, "no escape on a terminal");
    const std::string sum = open_run_file(path).has_attribute(content_sum_attribute)
                                ? open_run_file(path).text_attribute(content_sum_attribute)
                                : "";
    return summary.content == Content::whole ? sum + text : "";
  });
}

// The sum and what it stands for: a file with another sum was summed again.
bool believable(const std::string& now, const std::string& whole) {
  constexpr std::size_t digits = 64;
  return now == whole || now.substr(0, digits) != whole.substr(0, digits);
}

const std::string& whole_shown() {
  static const std::string whole = [] {
    const Placed placed(whole_run().path, whole_run().run_bytes);
    return shown();
  }();
  promise(!whole.empty(), "the run of the corpus is whole");
  return whole;
}

void show(const std::string& input, const TempFolder&) {
  const std::string& whole = whole_shown();
  const Placed placed(whole_run().path, input);
  promise(believable(shown(), whole), "what has the sum of the whole run says what that says");
}

void verify_run(const std::string& input, const TempFolder&) {
  const Placed placed(whole_run().path, input);
  text_in_subprocess([&] {
    const Verification found = verify_file(whole_run().path);
    // The rows of the corpus are samples and do not follow from its configuration.
    promise(input != whole_run().run_bytes || found.verdict != Verdict::unchecked,
            "the corpus is checked to its end: " + found.reason);
    return found.reason;
  });
}

void look(const std::string& input, const TempFolder& folder) {
  const Placed placed(whole_run().path, input);
  check_content(whole_run().path);
  sweep_status(whole_run().sweep, whole_run().folder.path(), folder.path());
  const RunHead head = read_run_head(whole_run().path);
  promise(head.rounds_done < std::uint64_t{1} << 53U, "a number of rounds");
}

RunTarget resume() {
  RunOptions options;
  options.output = whole_run().path;
  options.data_folder = whole_run().folder.path();
  options.resume = true;
  return choose_target(options, whole_run().plan);
}

void resume_finished(const std::string& input, const TempFolder&) {
  const Placed placed(whole_run().path, input);
  resume();
}

void extend(const std::string& input, const TempFolder&) {
  const Placed placed(whole_run().path, input);
  RunOptions options;
  options.file = whole_run().path;
  options.data_folder = whole_run().folder.path();
  options.rounds_more = 7;
  const Extension run = extension_of(options);
  const Plan plan = read_plan(extended_settings(run, options));
  promise(plan.rounds == run.rounds + options.rounds_more, "so many rounds more");
  choose_extended(options, plan, run);
}

void start_from_it(const std::string& input, const TempFolder&) {
  const std::string& whole = whole_shown();
  const Placed placed(whole_run().path, input);
  StartPlan start;
  start.file = NamedFile(whole_run().path);
  const std::size_t dimension = whole_run().plan.problem->dimension();
  const Vector model = start_model(start, 1, dimension);
  promise(model == Vector(dimension, final_value) || shown() != whole,
          "the model of the whole run");
}

void predict_run(const std::string& input, const TempFolder&) {
  const Placed placed(whole_run().path, input);
  const RunTraffic run = read_traffic(whole_run().path);
  promise(run.rows.size() > 1 && row_of(run, {}) == run.rows.size() - 1, "a run with rounds");
  predict(run, Network(5, {1e-3, 1e-8}), run.rows.size() - 1);
}

Bytes all_of(const CheckpointReader& reader) {
  Bytes all = reader.common();
  all.insert(all.end(), reader.server().begin(), reader.server().end());
  for (std::size_t i = 0; i < reader.clients(); ++i) {
    const Bytes state = reader.client(i);
    all.insert(all.end(), state.begin(), state.end());
  }
  return all;
}

void resume_checkpoint(const std::string& input, const TempFolder&) {
  static const Bytes whole = [] {
    const Placed placed(whole_run().checkpoint, whole_run().checkpoint_bytes);
    return all_of(CheckpointReader({whole_run().checkpoint, whole_run().round}));
  }();
  const Placed placed(whole_run().checkpoint, input);
  checkpoint_fingerprint(whole_run().checkpoint);
  const RunTarget target = resume();
  promise(target.checkpoint != nullptr, "a checkpoint to resume from");
  promise(all_of(*target.checkpoint) == whole, "a checkpoint that is taken for whole is whole");
  RunFile(whole_run().path, testing::sample_identity(), testing::sample_metrics(),
          *target.checkpoint);
}

}  // namespace

Harness run_file_harness() {
  return {{whole_run().run_bytes},
          {show, verify_run, look, resume_finished, extend, start_from_it, predict_run},
          change_hdf5};
}

Harness checkpoint_harness() {
  return {{whole_run().checkpoint_bytes}, {resume_checkpoint}, change_hdf5};
}

}  // namespace trilemma::fuzz
