#include "record/run_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/clock.hpp"
#include "base/durable.hpp"
#include "base/output.hpp"
#include "base/write_lock.hpp"
#include "h5/h5.hpp"
#include "record/checkpoint_file.hpp"
#include "record/class_scores.hpp"
#include "record/columns.hpp"
#include "record/content_sum.hpp"
#include "record/output_status.hpp"
#include "record/phase_times.hpp"
#include "record/privacy_group.hpp"
#include "record/run_reader.hpp"

namespace trilemma {
namespace {

constexpr double flush_interval_seconds = 2.0;
constexpr std::size_t flush_rows = 4096;
// Disk space reserved for the reason of a failure.
constexpr std::size_t reason_bytes = std::size_t{1} << 14U;
// Metrics that PrivacyTally collects.
constexpr const char* drawn_metric = "batch_records";
constexpr const char* norm_metric = "record_norm_most";

// Writes the run file in `checkpoint` to `path` + ".partial" and opens it for changes. `lock` moves
// to it from the file that it replaces. Throws UserError if the run file cannot be read.
h5::File extract_run_file(const CheckpointReader& checkpoint, const std::string& path,
                          WriteLock& lock) {
  const std::string own = extraction_of(path);
  std::error_code ignored;
  std::filesystem::remove(own, ignored);  // left by a killed process with this process number
  try {
    checkpoint.extract_run_file(own);
    WriteLock extracted(own);
    require(
        output_status(own, h5::Reading::unlocked) == OutputStatus::run,
        "{}: the run file in this checkpoint cannot be read; delete the checkpoint to resume from an "
        "older one",
        checkpoint.name().path);
    h5::File file = h5::File::change(own);
    extracted.rename(path + ".partial");
    lock = std::move(extracted);
    return file;
  } catch (const std::exception&) {
    std::filesystem::remove(own, ignored);
    throw;
  }
}

}  // namespace

struct RunFile::Content {
  Content(std::string name, const RunIdentity& id, std::span<const Metric> metrics)
      : path(std::move(name)),
        partial(path + ".partial"),
        saved_as{id.fingerprint, id.data_files},
        withheld(id.withheld),
        columns(metrics, id.withheld),
        tally(id.withheld),
        drawn_cell(cell_of(drawn_metric, metrics)),
        norm_cell(cell_of(norm_metric, metrics)) {}

  std::string path, partial;
  WriteLock lock;                ///< must outlive `file`
  SpaceReserve room_for_reason;  ///< released if the disk becomes full
  bool overwrite = false;        ///< a run file at `path` may be replaced
  std::string replaced;          ///< its required fingerprint; empty = any
  CheckpointIdentity saved_as;
  Provenances withheld;
  h5::File file;
  Columns columns;
  ClassScores classes;
  PrivacyTally tally;
  std::size_t drawn_cell, norm_cell;                ///< indices in a row
  h5::Dataset phase_set, largest_set, slowest_set;  ///< the last two only of summarised times
  h5::Dataset energy_set;                           ///< only of counted energy
  std::vector<std::uint64_t> phase_shape;
  std::size_t ranks = 1;
  History history;
  std::optional<TimeRecord> times_before;  ///< of earlier starts
  double started = now_seconds();  ///< start of the rounds, moved back by the time before a restart
  double flushed = started;

  // Locks and checks the paths, then calls open(), which creates or opens the partial file.
  template <class Open>
  void make_writable(bool replaces, const std::string& fingerprint, Open open) {
    overwrite = replaces;
    replaced = fingerprint;
    const auto folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    try {
      const bool is_new = !std::filesystem::exists(partial);
      lock = WriteLock(partial);
      check_place();
      check_partial(partial);
      try {
        open();
      } catch (...) {
        // An unreadable partial file would block the next attempt.
        const bool is_begun = is_new || static_cast<bool>(file);
        leak();
        if (is_begun) std::filesystem::remove(partial, ignored);
        throw;
      }
    } catch (const UserError&) {
      throw;
    } catch (const std::exception& error) {
      throw UserError(write_problem(partial + ": cannot be written", error, "--output"));
    }
    room_for_reason = SpaceReserve(partial, reason_bytes);
  }
  // Checks `path`, also at the end of the run: another run may have ended there meanwhile.
  void check_place() const {
    check_replaceable(path, OutputStatus::run, "a run file", overwrite);
    require(replaced.empty() || read_run_head(path, h5::Reading::unlocked).fingerprint == replaced,
            "{}: another run has replaced this file meanwhile; choose another --output", path);
  }
  void end(ConstView model) {
    columns.write();
    classes.write(file);
    write_privacy_end(file, tally.record());
    const h5::Group group = file.open_group("model");
    group.write_array("final", model, "1",
                      "final model; order of the coordinates in docs/reference/run-file.md");
    file.set_attribute("wall_seconds", withheld.holds(Provenance::environment)
                                           ? PrivacyRecord::none
                                           : now_seconds() - started);
  }
  // Stops writing, and releases the reserved disk space.
  void leak() {
    room_for_reason.release();
    for (auto* set : {&phase_set, &largest_set, &slowest_set, &energy_set}) set->leak();
    columns.leak();
    classes.leak();
    history.leak();
    file.leak();
  }
  // Closing writes the rows that are still in HDF5's memory; failures are reported here.
  void close() {
    const std::string what = "write " + partial;
    for (auto* set : {&phase_set, &largest_set, &slowest_set, &energy_set}) set->close(what);
    columns.close(what);
    classes.close(what);
    history.close(what);
    file.flush(what);
    file.close("close " + partial);
    synchronise(partial);
  }
};

RunFile::RunFile(std::string path, const RunIdentity& identity, std::span<const Metric> metrics,
                 const std::vector<std::string>& phases, bool overwrite,
                 const std::string& replaced)
    : content_(std::make_unique<Content>(std::move(path), identity, metrics)) {
  Content& c = *content_;
  c.make_writable(overwrite, replaced, [&] {
    c.file = h5::File::create(c.partial);
    begin(identity, phases);
  });
}

void RunFile::begin(const RunIdentity& identity, const std::vector<std::string>& phases) {
  Content& c = *content_;
  write_identity(c.file, identity);
  c.file.set_attribute("wall_seconds", 0.0);
  const h5::Group model = c.file.create_group("model");
  model.write_array("start", identity.start, "1", "model before the first round");
  c.columns.create(c.file);
  const h5::Group group = c.file.open_group("phases");
  group.write_texts("name", phases, "names of the phases");
  c.ranks = static_cast<std::size_t>(identity.ranks);
  c.phase_shape = {identity.summarises_phases ? 1 : static_cast<std::uint64_t>(identity.ranks),
                   phases.size()};
  c.phase_set = group.create_growing<double>(
      "seconds", c.phase_shape, "s",
      identity.summarises_phases
          ? "time by round and phase, mean over the ranks; row 0 is the evaluation of the start"
          : "time by round, rank and phase; row 0 is the evaluation of the start");
  if (identity.summarises_phases) {
    c.largest_set =
        group.create_growing<double>(largest_times, {phases.size()}, "s",
                                     "time by round and phase of the rank that took longest");
    c.slowest_set = group.create_growing<std::int64_t>(slowest_ranks, {phases.size()}, "1",
                                                       "that rank, by round and phase");
  }
  if (identity.records_energy)
    c.energy_set = group.create_growing<double>(
        phase_energy, {phases.size()}, "J",
        "energy of all nodes by round and phase; a node's is divided among its phases in proportion "
        "to their times; NaN = not known");
  c.history = History::create(c.file);
  c.history.add(start_record(identity, 0));
  flush();
}

RunFile::RunFile(std::string path, const RunIdentity& identity, std::span<const Metric> metrics,
                 const CheckpointReader& checkpoint, bool overwrite, const std::string& replaced)
    : content_(std::make_unique<Content>(std::move(path), identity, metrics)) {
  Content& c = *content_;
  c.make_writable(overwrite, replaced,
                  [&] { c.file = extract_run_file(checkpoint, c.path, c.lock); });
  c.columns.open(c.file);
  c.phase_set = c.file.open_dataset("phases/seconds");
  c.ranks = static_cast<std::size_t>(identity.ranks);
  const bool is_summary = has_summarised_phases(c.file);
  c.phase_shape = {is_summary ? 1 : static_cast<std::uint64_t>(identity.ranks),
                   phase_extents(c.phase_set)[2]};
  if (is_summary) {
    c.largest_set = c.file.open_dataset(std::string("phases/") + largest_times);
    c.slowest_set = c.file.open_dataset(std::string("phases/") + slowest_ranks);
  }
  if (const auto set = std::string("phases/") + phase_energy; c.file.has_member(set))
    c.energy_set = c.file.open_dataset(set);
  c.history = History::open(c.file);
  c.times_before =
      read_fields(c.file.open_group("environment"), time_fields()).value_or(TimeRecord{});
  const auto round = static_cast<std::uint64_t>(checkpoint.round());
  const auto column = [&](const char* metric, Provenance provenance) {
    const std::string name =
        std::string("rounds/") + (c.withheld.holds(provenance) ? "round" : metric);
    auto rows = c.file.read_numbers(name, round + 1);
    if (rows.size() != round + 1)
      c.file.refuse("rounds", fmt::format("{} rows where {} rounds are done", rows.size(), round));
    return rows;
  };
  const auto drawn = column(drawn_metric, Provenance::drawn_records);
  const auto norm = column(norm_metric, Provenance::updates);
  c.history.add(start_record(identity, checkpoint.round()));
  c.file.set_attribute("ranks", identity.ranks);
  std::optional<PrivacyProblem> problem;
  if (identity.uplink.sends_sums &&
      read_privacy(c.file, problem).releases_outside != identity.privacy.releases_outside)
    renew_uplink(c.file, identity);
  c.started -= c.file.number_attribute("wall_seconds");
  for (std::size_t t = 0; t < drawn.size(); ++t)
    c.tally.add(static_cast<std::int64_t>(t), static_cast<std::uint64_t>(drawn[t]), norm[t]);
  flush();
}

RunFile::~RunFile() = default;

void RunFile::renew(const RunIdentity& identity, const std::vector<double>& epsilon) {
  const h5::File& file = content_->file;
  renew_identity(file, identity);
  file.open_dataset("rounds/epsilon").overwrite(std::span(epsilon));
  flush();
}

void RunFile::add(const MetricRow& row) {
  content_->tally.add(row.round, row.cells[content_->drawn_cell].count,
                      row.cells[content_->norm_cell].number);
  content_->columns.add(row);
  if (content_->columns.pending() >= flush_rows) content_->columns.write();
}

void RunFile::add_class_accuracy(std::int64_t round, const std::vector<double>& accuracy) {
  if (accuracy.empty() || content_->withheld.holds(Provenance::test_scores)) return;
  content_->classes.add(round, accuracy);
}

void RunFile::set_times(const TimeRecord& start) {
  Content& c = *content_;
  TimeRecord record = start;
  if (c.withheld.holds(Provenance::environment)) record = {.status = TimeEvidence::no_times};
  if (c.times_before) record = with_start(*c.times_before, record);
  write_fields(c.file.open_group("environment"), time_fields(), record);
}

void RunFile::add_phases(const std::vector<double>& seconds, std::size_t rows) {
  const Content& c = *content_;
  if (!c.largest_set) return c.phase_set.append(c.phase_shape, rows, seconds.data());
  const std::size_t phases = c.phase_shape[1];
  const PhaseSummary all = summarised(seconds, c.ranks, phases);
  c.phase_set.append(c.phase_shape, rows, all.mean.data());
  c.largest_set.append({phases}, rows, all.largest.data());
  c.slowest_set.append({phases}, rows, all.slowest.data());
}

void RunFile::add_energy(const std::vector<double>& joules, std::size_t rows) {
  const Content& c = *content_;
  c.energy_set.append({c.phase_shape[1]}, rows, joules.data());
}

bool RunFile::records_energy() const { return static_cast<bool>(content_->energy_set); }

void RunFile::flush_if_due() {
  if (now_seconds() - content_->flushed > flush_interval_seconds) flush();
}

void RunFile::flush() {
  content_->columns.write();
  content_->classes.write(content_->file);
  content_->file.set_attribute("wall_seconds", wall_seconds());
  content_->file.flush("write " + content_->partial);
  content_->flushed = now_seconds();
}

void RunFile::add(const CheckpointRecord& checkpoint) {
  CheckpointRecord recorded = checkpoint;
  if (content_->withheld.holds(Provenance::environment)) recorded.seconds = PrivacyRecord::none;
  content_->history.add(recorded);
}

void RunFile::add_contacts(const ContactLog& log) { write_contacts(content_->file, log); }

void RunFile::finish(ConstView model, std::span<const double> memory) {
  Content& c = *content_;
  c.end(model);
  if (!c.withheld.holds(Provenance::environment) && !memory.empty())
    c.file.open_group("phases").write_array(
        "peak_memory", memory, "B", "peak memory of each rank's process since its last start");
  // The file is marked complete only after everything else is on the disk.
  c.file.flush("write " + c.partial);
  synchronise(c.partial);
  c.file.set_attribute<std::uint8_t>("complete", 1);
  c.file.set_attribute(content_sum_attribute, content_sum(c.file));
  c.close();
  c.check_place();
  publish(c.partial, c.path);
  c.lock.release();
}

void RunFile::fail(const std::string& reason, ConstView model) {
  content_->end(model);
  // The reason may contain the number of a client, or a value computed by a client.
  const bool tells = content_->withheld.holds(Provenance::updates);
  content_->file.set_attribute(
      "failure", tells ? std::string("withheld (privacy.strict); see standard error") : reason);
  content_->close();
  content_->room_for_reason.release();
  content_->lock.release();
}

void RunFile::suspend() {
  flush();
  content_->close();
  content_->lock.release();
}

double RunFile::wall_seconds() const { return now_seconds() - content_->started; }

void RunFile::abandon() { content_->leak(); }

std::unique_ptr<CheckpointWriter> RunFile::checkpoint(std::int64_t round) {
  flush();
  const Content& c = *content_;
  return std::make_unique<CheckpointWriter>(c.path, c.partial, c.saved_as, round);
}

const std::string& RunFile::partial_path() const { return content_->partial; }
const std::string& RunFile::path() const { return content_->path; }

}  // namespace trilemma
