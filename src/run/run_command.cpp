#include <cstdlib>
#include <filesystem>

#include "base/check.hpp"
#include "base/crash_report.hpp"
#include "base/read_number.hpp"
#include "base/standard_output.hpp"
#include "base/text.hpp"
#include "comm/collectively.hpp"
#include "comm/mpi_variables.hpp"
#include "comm/node_map.hpp"
#include "comm/session.hpp"
#include "comm/watchdog.hpp"
#include "experiment/file_kind.hpp"
#include "experiment/sections.hpp"
#include "experiment/unread.hpp"
#include "experiment/words.hpp"
#include "problem/kernels/blas.hpp"
#include "problem/kernels/product.hpp"
#include "record/summary.hpp"
#include "run/compare_runs.hpp"
#include "run/cost.hpp"
#include "run/finished_run.hpp"
#include "run/identity.hpp"
#include "run/machine.hpp"
#include "run/options.hpp"
#include "run/own_model.hpp"
#include "run/partition_report.hpp"
#include "run/run_loop.hpp"
#include "run/run_target.hpp"

namespace trilemma {
namespace {

// Prints a note on idle ranks, then `notes`; empty texts are not printed.
void report_placement(const Placement& place, const std::vector<std::string>& notes) {
  if (place.hosts() > place.clients)
    fmt::print(
        stderr,
        "trilemma: warning: {} hosting ranks for {} clients, {} ranks stay idle; use fewer ranks\n",
        place.hosts(), place.clients, place.hosts() - place.clients);
  for (const std::string& note : notes)
    if (!note.empty()) fmt::print(stderr, "trilemma: note: {}\n", note);
}

/// Starts the watchdog before MPI is started, which may hang. Errors of the configuration are
/// reported later.
void watch_the_launch(const RunOptions& options, Watchdog& watchdog) {
  const char* rank = std::getenv("PMIX_RANK");
  try {
    const Settings settings = options.file.empty() || options.rounds_more > 0 || options.replays
                                  ? Settings::from_text("", "", options.overrides)
                                  : Settings::from_file(options.file, options.overrides);
    watchdog.set(
        settings.section("watchdog").number("seconds", default_watchdog_seconds(), at_least(0), ""),
        rank == nullptr ? 0 : static_cast<int>(read_whole_number(rank).value_or(0)),
        options.failure_file);
  } catch (const std::exception&) {
    watchdog.set(0, 0, "");
  }
}

// One run on one rank, from its options to its exit code. Every step is collective.
class Run {
 public:
  Run(RunOptions& options, const Session& session, MpiVariables& mpi_variables, Heartbeat& heart,
      Watchdog& watchdog)
      : options_(options),
        mpi_variables_(mpi_variables),
        place_(session.place()),
        heart_(heart),
        watchdog_(watchdog),
        ranks_(place_, session.communicator()) {}

  int execute();

 private:
  bool extends() const { return options_.rounds_more > 0; }
  Settings settings();
  int read();
  int build();
  void tell_partial();
  int run_rounds();
  int conclude(Outcome outcome);
  int give_up(const std::exception& error);
  void report_entry() const;
  int report_cost();
  int together_with(const std::function<void()>& step) {
    return collectively(ranks_, step, options_.failure_file);
  }

  RunOptions& options_;
  MpiVariables& mpi_variables_;
  Placement place_;
  Heartbeat& heart_;
  Watchdog& watchdog_;
  Ranks ranks_;
  Plan plan_;
  Extension extension_;
  RunTarget target_;  ///< rank 0
  Entry entry_ = Entry::start;
  Assembly parts_;
  std::vector<std::string> hosts_;  ///< rank 0: names of the ranks' hosts
  std::string unread_;              ///< keys of the experiment without effect
  bool wants_privacy_ = false;      ///< whether some of these concern privacy
  std::vector<std::string> notes_;  ///< on the data files and the partition
  std::string data_state_;          ///< state of the data files before they were read
  PartitionRecord partition_;       ///< rank 0
  Claim claim_;                     ///< rank 0
  std::optional<RunLoop> loop_;
  std::unique_ptr<RunFile> file_;  ///< rank 0
  std::string partial_;            ///< path of its unfinished form, on all ranks
};

int Run::execute() {
  hosts_ = ranks_.gather_text(Session::host());
  // A repeated run is a single process, whatever the job around it requested.
  const bool is_checked = !options_.repeats;
  if (const int code = is_checked ? placed_as_asked(ranks_, hosts_, options_.failure_file) : 0)
    return code;
  if (const int code = read(); code != 0) return code;
  if (entry_ == Entry::complete || entry_ == Entry::skipped) {
    if (place_.rank == 0) report_entry();
    return 0;
  }
  if (const int code = build(); code != 0) return code;
  if (place_.rank == 0) report_entry();
  return run_rounds();
}

Settings Run::settings() {
  if (options_.replays || options_.repeats) require_run_file(options_.file);
  if (options_.replays) return replayed_settings(options_);
  if (options_.repeats) return repeated_settings(options_);
  if (!extends()) {
    require_experiment(options_.file);
    return Settings::from_file(options_.file, options_.overrides);
  }
  require_run_file(options_.file);
  extension_ = extension_of(options_);
  return extended_settings(extension_, options_);
}

// Reads the configuration and determines the state of the run's files.
int Run::read() {
  int code = together_with([&] {
    if (options_.prepare) options_.prepare(options_, place_.rank == 0);
    if (!options_.skipped.empty()) return;
    DataFolder data(data_folder(options_.data_folder));
    const Settings read = settings();
    plan_ = read_plan_to_resume(read, data, options_);
    if (options_.replays) follow_contacts(options_, plan_);
    if (options_.repeats) check_repeated(options_, plan_);
    check_ranks(plan_, place_);
    const auto unread = suspicious_keys(read);
    unread_ = with_readers(unread);
    wants_privacy_ = std::ranges::any_of(
        unread, [](const std::string& key) { return is_in_section(key, "privacy"); });
    if (extends()) plan_.checkpoint.spared = extension_.rounds;
    choose_arithmetic(plan_.has_portable_numerics ? Products::portable : Products::fast,
                      plan_.vector_bits);
    if (place_.rank != 0) return;
    target_ =
        extends() ? choose_extended(options_, plan_, extension_) : choose_target(options_, plan_);
  });
  if (code == 0 && !options_.skipped.empty()) {
    entry_ = Entry::skipped;
    return 0;
  }
  // A rank may see another file under the same name, with records of another shape.
  if (code == 0) code = same_everywhere(ranks_, shape_and_settings(plan_), options_.failure_file);
  if (code != 0) return code;
  heart_.beat("reading the configuration");
  watchdog_.set(plan_.watchdog_seconds, place_.rank, options_.failure_file);
  place_.clients = static_cast<int>(plan_.clients);
  place_.server_hosts = plan_.server_hosts;
  ranks_.host(place_);
  entry_ = static_cast<Entry>(
      ranks_.broadcast_number(static_cast<int>(entry_of(target_)), Use::control));
  return 0;
}

// Assembles the parts and opens the run file.
int Run::build() {
  int code = together_with([&] {
    const auto kept = records_of_run(plan_, target_, options_, place_);
    const PartitionedData& partitioned = *kept;
    parts_ = assemble(plan_, place_, partitioned, entry_ == Entry::start);
    if (place_.rank == 0) {
      partition_ = partition_record(plan_, partitioned, place_);
      parts_.baseline = best_constants(partitioned);
    }
    if (!plan_.privacy.strict) notes_ = partitioned.data.notes;  // which mention records and labels
    notes_.push_back(partitioned.data.remark);
    data_state_ = partitioned.files_state;
    require(!plan_.privacy.strict || notes_.back().empty(),
            "{}, which privacy.strict keeps out of outputs; name another test file", notes_.back());
    heart_.beat("reading the data");
  });
  if (code != 0) return code;
  TriedModel tried;
  code = together_with([&] { tried = try_own_model(plan_, parts_); });
  if (code != 0) return code;
  const auto own_model = model_record(plan_, tried, ranks_);
  ranks_.host(place_);
  notes_.insert(notes_.end(), {parts_.uneven, note_on_bias(plan_)});
  for (const std::string& note : notes_on(own_model, plan_.problem->own_code()))
    notes_.push_back(note);
  if (options_.quiet) notes_.clear();
  if (place_.rank == 0) report_placement(place_, notes_);
  code = report_cost();
  if (code != 0) return code;
  const auto processors = gather_processors(ranks_);
  MachineRecord machine = gather_machine(ranks_, hosts_);
  if (place_.rank == 0) machine.mpi_variables = mpi_variables_.changed();
  loop_.emplace(plan_, parts_, ranks_, place_, &heart_);
  code = together_with([&] {
    if (place_.rank != 0) return;
    const UplinkChoice uplink = uplink_of(plan_, place_.size, place_.hosts(), ranks_.nodes());
    plan_.uplink = uplink.uplink;  // the claim lists what this one makes public
    claim_ = make_claim(plan_, parts_.sigma, parts_.shard_records, extension_.rounds);
    RunIdentity id = identify(plan_, parts_, claim_, place_, {hosts_, processors, machine, uplink},
                              options_, extension_.rounds);
    require(data_state(plan_, data_folder(options_.data_folder)) == data_state_,
            "a data file has changed while it was read, so that its SHA-256 would be that of other "
            "records; start again");
    id.partition = partition_;
    id.own_model = own_model;
    // So that checkpoints have them, and a run does not resume with others.
    if (own_model) id.data_files += module_lines(*own_model);
    file_ = open_run(target_, id, parts_.metric_log->metrics(), claim_);
    if (!options_.quiet)
      report_processors(processors, plan_.has_portable_numerics,
                        entry_ == Entry::resume ? file_->partial_path() : "");
  });
  heart_.beat("opening the run file");
  if (code == 0) tell_partial();
  return code;
}

// Tells all ranks where the results so far are, since any rank can fail.
void Run::tell_partial() {
  if (file_ != nullptr) partial_ = file_->partial_path();
  const auto text = std::as_bytes(std::span(partial_));
  Bytes bytes(text.begin(), text.end());
  ranks_.broadcast_bytes(bytes);
  partial_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CrashReport::name_results(partial_);
}

int Run::run_rounds() {
  try {
    loop_->set_listener(options_.tell_rounds);
    loop_->record(file_.get(), options_.quiet, nodes_of(hosts_));
    loop_->set_epsilon([this](std::uint32_t rounds) { return claim_.spent(rounds); });
    if (entry_ == Entry::resume) loop_->restore(target_.checkpoint.get());
    if (extends() || options_.replays)
      loop_->expect_state(static_cast<std::uint32_t>(extends() ? extension_.rounds : plan_.rounds),
                          file_ != nullptr ? read_run_model(options_.file).state : Vector(),
                          extends() ? "extended" : "replayed");
    return conclude(loop_->run());
  } catch (const std::exception& error) {
    return give_up(error);
  }
}

// Prints what a long run will take from its start, on rank 0. The slowest rank decides.
int Run::report_cost() {
  if (options_.quiet || entry_ == Entry::resume || extends()) return 0;
  RunCost cost = work_of(plan_, parts_, place_);
  double own = 0;
  const int code = together_with([&] {
    try {
      own = measured_gradient(cost, parts_);
    } catch (const RunFailure& failure) {  // of a model of the user's own
      throw UserError(failure.what());
    }
  });
  if (code != 0) return code;
  // In whole microseconds, which the ranks can compare.
  constexpr double units = 1e6;
  const double most = std::numeric_limits<int>::max();
  cost.seconds = -ranks_.smallest(-static_cast<int>(std::min(most, units * own))) / units;
  if (const std::string words = in_words(cost); !words.empty() && place_.rank == 0)
    fmt::print(stderr, "trilemma: note: {}\n", words);
  return 0;
}

// Prints the result at the end of the rounds, on rank 0.
int Run::conclude(Outcome outcome) {
  if (outcome == Outcome::failed) {
    if (file_ != nullptr)
      report_failure(fmt::format("{}; results so far are in {}", loop_->failure(), partial_),
                     options_.failure_file);
    return exit_failed_run;
  }
  if (outcome == Outcome::stopped) {
    const bool goes_on = extends() || options_.prepare;  // continues automatically, as a sweep does
    if (file_ != nullptr)
      fmt::print(stderr,
                 "trilemma: stopped by a signal after round {}; resume with the same command{}\n",
                 loop_->rounds_done(), goes_on ? "" : " and --resume --output " + file_->path());
    return exit_stopped;
  }
  if (file_ == nullptr) return 0;
  remove_checkpoints(file_->path(), plan_.checkpoint.at_end ? plan_.rounds : -1);
  if (options_.replays || options_.repeats)
    if (const int code =
            compare_with_recorded(options_, file_->path(), parts_.metric_log->metrics()))
      return code;
  if (!options_.quiet)
    print("{}\nrun file: {}\n", to_text(read_summary(file_->path())), file_->path());
  return 0;
}

// Handles an exception in the loop: keeps the results so far and reports the cause.
int Run::give_up(const std::exception& error) {
  std::string kept =
      fmt::format("; results {} are in {}",
                  file_ != nullptr ? "so far" : "that rank 0 has written before", partial_);
  if (file_ != nullptr) {
    try {
      file_->fail(error.what(), parts_.x);
    } catch (const std::exception&) {
      file_->abandon();
      kept = is_readable(partial_) ? "; what was flushed is in " + partial_
                                   : fmt::format("; {} can no longer be read", partial_);
    }
  }
  report_failure(fmt::format("rank {}: {}{}", place_.rank, error.what(), kept),
                 options_.failure_file);
  if (place_.size > 1) Session::abort(exit_failed_run);
  return exit_failed_run;
}

void Run::report_entry() const {
  std::error_code ignored;
  if (!options_.failure_file.empty()) std::filesystem::remove(options_.failure_file, ignored);
  if (!options_.skipped.empty()) print("skipped: {}\n", options_.skipped);
  // Requested privacy without effect is reported even with --quiet.
  if (!unread_.empty() && !extends() && (!options_.quiet || wants_privacy_))
    fmt::print(stderr, "trilemma: note: settings that {} and its parts do not read: {}\n",
               plan_.method_name, printable(unread_));
  // A closed form is a deliberate choice, so only an epsilon for the accountant counts as
  // requested.
  if (options_.quiet && !target_.is_complete && plan_.privacy.epsilon &&
      !plan_.privacy.by_closed_form && claim_.status != ClaimStatus::holds)
    fmt::print(stderr, "trilemma: note: privacy.epsilon = {:g} is requested: {}\n",
               *plan_.privacy.epsilon, claim_.sentence);
  if (options_.quiet) return;
  if (target_.is_complete) print("run file: {} (complete already)\n", target_.path);
  if (target_.checkpoint != nullptr)
    fmt::print(stderr, "trilemma: resuming after round {} from {}\n",
               target_.checkpoint->name().round, target_.checkpoint->name().path);
  if (extends())
    fmt::print(stderr,
               "trilemma: note: extended from {} to {} rounds, with the noise as it was; {}\n",
               extension_.rounds, plan_.rounds, claim_.sentence);
}

}  // namespace

int run_command(const RunOptions& given, int argc, char** argv) {
  RunOptions options = given;
  listen_for_stop_requests();
  CrashReport::name_results({});  // those of an earlier run of this process
  Heartbeat heart;
  // Outlives the session, since ending MPI can hang as well.
  Watchdog watchdog(heart);
  pin_blas_threads();
  // Its child processes must start before MPI does.
  MpiVariables mpi_variables(!options.without_mpi);
  watch_the_launch(options, watchdog);
  Session session(argc, argv, options.without_mpi ? StartMpi::never : StartMpi::if_launched);
  heart.beat("starting MPI");
  return run_on_rank(
      session, [&] { return Run(options, session, mpi_variables, heart, watchdog).execute(); },
      options.failure_file);
}

}  // namespace trilemma
