#include "record/run_file.hpp"

#include <algorithm>
#include <filesystem>

#include "base/clock.hpp"
#include "base/durable.hpp"
#include "base/output.hpp"
#include "base/write_lock.hpp"
#include "h5/h5_read.hpp"
#include "record/checkpoint_file.hpp"
#include "record/class_scores.hpp"
#include "record/columns.hpp"
#include "record/content_sum.hpp"
#include "record/extract_run_file.hpp"
#include "record/output_status.hpp"
#include "record/privacy_group.hpp"
#include "record/privacy_tally.hpp"
#include "record/run_reader.hpp"

namespace trilemma {
namespace {

constexpr double flush_interval_seconds = 2.0;
constexpr std::size_t flush_rows = 4096;
// Disk space that is held for the reason of a failure.
constexpr std::size_t reason_bytes = std::size_t{1} << 14U;
// Metrics of which the end of the run tells.
constexpr const char* drawn_metric = "batch_records";
constexpr const char* norm_metric = "record_norm_most";

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
  WriteLock lock;                ///< outlives the file
  SpaceReserve room_for_reason;  ///< of a run whose disk becomes full
  bool overwrite = false;        ///< a run file at `path` may be replaced
  std::string replaced;          ///< fingerprint that it must have then; empty: any
  CheckpointIdentity saved_as;
  Provenances withheld;
  h5::Handle file;
  Columns columns;
  ClassScores classes;
  PrivacyTally tally;
  std::size_t drawn_cell, norm_cell;  ///< of a row
  h5::Handle phase_set;
  std::vector<hsize_t> phase_shape;
  History history;
  double started = now_seconds();  ///< of the rounds; earlier where the run was resumed
  double flushed = started;

  // Creates or opens the partial file; refuses what cannot be written or must not be replaced.
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
        // What cannot be read must not stand in the way of the next try.
        const bool is_begun = is_new || file.get() >= 0;
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
  // Another run may have ended here since it was looked at.
  void check_place() const {
    check_replaceable(path, OutputStatus::run, "a run file", overwrite);
    require(
        replaced.empty() || read_run_head(path, h5::Reading::unlocked).fingerprint == replaced,
        "{}: another run has taken its place meanwhile; look at it, and choose another --output",
        path);
  }
  void end(ConstView model) {
    columns.write();
    classes.write(file.get());
    write_privacy_end(file.get(), tally.record());
    const h5::Handle group = h5::open_group(file.get(), "model");
    h5::write_array(group.get(), "final", h5::type_of<real>(), model.size(), model.data(), "1",
                    "final model; order of the coordinates in docs/run-file.md");
    h5::set_attribute(
        file.get(), "wall_seconds",
        withheld.holds(Provenance::environment) ? PrivacyRecord::none : now_seconds() - started);
  }
  // Gives the file up, and the disk space that was held for the reason.
  void leak() {
    room_for_reason.release();
    phase_set.leak();
    columns.leak();
    classes.leak();
    history.leak();
    file.leak();
  }
  // Rows that are still in HDF5's memory reach the disk here at the latest, or are missed here.
  void close() {
    const std::string what = "write " + partial;
    phase_set.close(what);
    columns.close(what);
    classes.close(what);
    history.close(what);
    h5::check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), what);
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
    c.file = h5::create_file(c.partial);
    begin(identity, phases);
  });
}

void RunFile::begin(const RunIdentity& identity, const std::vector<std::string>& phases) {
  Content& c = *content_;
  write_identity(c.file.get(), identity);
  h5::set_attribute(c.file.get(), "wall_seconds", 0.0);
  const h5::Handle model = h5::create_group(c.file.get(), "model");
  h5::write_array(model.get(), "start", h5::type_of<real>(), identity.start.size(),
                  identity.start.data(), "1", "model before the first round");
  c.columns.create(c.file.get());
  const h5::Handle group = h5::open_group(c.file.get(), "phases");
  h5::write_text(group.get(), "name", phases, false, "names of the phases");
  c.phase_shape = {static_cast<hsize_t>(identity.ranks), phases.size()};
  c.phase_set =
      h5::create_growing(group.get(), "seconds", H5T_NATIVE_DOUBLE, c.phase_shape, "s",
                         "time by round, rank and phase; row 0 is the evaluation of the start");
  c.history = History::create(c.file.get());
  c.history.add(start_record(identity, 0));
  flush();
}

RunFile::RunFile(std::string path, const RunIdentity& identity, std::span<const Metric> metrics,
                 const CheckpointReader& checkpoint, bool overwrite, const std::string& replaced)
    : content_(std::make_unique<Content>(std::move(path), identity, metrics)) {
  Content& c = *content_;
  c.make_writable(overwrite, replaced,
                  [&] { c.file = extract_run_file(checkpoint, c.path, c.lock); });
  c.columns.open(c.file.get());
  c.phase_set = h5::open_dataset(c.file.get(), "phases/seconds");
  c.phase_shape = {static_cast<hsize_t>(identity.ranks), phase_extents(c.phase_set)[2]};
  c.history = History::open(c.file.get());
  const auto round = static_cast<hsize_t>(checkpoint.round());
  const auto column = [&](const char* metric, Provenance provenance) {
    const std::string name =
        std::string("rounds/") + (c.withheld.holds(provenance) ? "round" : metric);
    auto rows = h5::read_numbers(c.file.get(), name, round + 1);
    if (rows.size() != round + 1)
      h5::refuse(c.file.get(), "rounds",
                 fmt::format("{} rows where {} rounds are done", rows.size(), round));
    return rows;
  };
  const auto drawn = column(drawn_metric, Provenance::drawn_records);
  const auto norm = column(norm_metric, Provenance::updates);
  c.history.add(start_record(identity, checkpoint.round()));
  h5::set_attribute(c.file.get(), "ranks", identity.ranks);
  c.started -= h5::number_attribute(c.file.get(), "wall_seconds");
  for (std::size_t t = 0; t < drawn.size(); ++t)
    c.tally.add(static_cast<std::int64_t>(t), static_cast<std::uint64_t>(drawn[t]), norm[t]);
  flush();
}

RunFile::~RunFile() = default;

void RunFile::renew(const RunIdentity& identity, const std::vector<double>& epsilon) {
  hid_t file = content_->file.get();
  renew_identity(file, identity);
  h5::overwrite(h5::open_dataset(file, "rounds/epsilon"), h5::type_of<double>(), epsilon.size(),
                epsilon.data());
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

void RunFile::add_phases(const std::vector<double>& seconds, std::size_t rows) {
  h5::append(content_->phase_set, H5T_NATIVE_DOUBLE, content_->phase_shape, rows, seconds.data());
}

void RunFile::flush_if_due() {
  if (now_seconds() - content_->flushed > flush_interval_seconds) flush();
}

void RunFile::flush() {
  content_->columns.write();
  content_->classes.write(content_->file.get());
  h5::set_attribute(content_->file.get(), "wall_seconds", wall_seconds());
  h5::check(H5Fflush(content_->file.get(), H5F_SCOPE_GLOBAL), "write " + content_->partial);
  content_->flushed = now_seconds();
}

void RunFile::add(const CheckpointRecord& checkpoint) {
  CheckpointRecord told = checkpoint;
  if (content_->withheld.holds(Provenance::environment)) told.seconds = PrivacyRecord::none;
  content_->history.add(told);
}

void RunFile::add_contacts(const ContactLog& log) { write_contacts(content_->file.get(), log); }

void RunFile::finish(ConstView model, std::span<const double> memory) {
  Content& c = *content_;
  c.end(model);
  if (!c.withheld.holds(Provenance::environment) && !memory.empty())
    h5::write_array(h5::open_group(c.file.get(), "phases").get(), "peak_memory", H5T_NATIVE_DOUBLE,
                    memory.size(), memory.data(), "B",
                    "most memory that each rank's process has held since its last start");
  // The mark comes after everything that it vouches for is on the disk.
  h5::check(H5Fflush(c.file.get(), H5F_SCOPE_GLOBAL), "write " + c.partial);
  synchronise(c.partial);
  h5::set_attribute<std::uint8_t>(c.file.get(), "complete", 1);
  h5::set_attribute(c.file.get(), content_sum_attribute, content_sum(c.file.get()));
  c.close();
  c.check_place();
  publish(c.partial, c.path);
  c.lock.release();
}

void RunFile::fail(const std::string& reason, ConstView model) {
  content_->end(model);
  // The reason may name a client, or a value computed by a client.
  const bool tells = content_->withheld.holds(Provenance::updates);
  h5::set_attribute(
      content_->file.get(), "failure",
      tells ? std::string("withheld (privacy.strict); standard error has it") : reason);
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
