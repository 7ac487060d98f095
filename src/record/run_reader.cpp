#include "record/run_reader.hpp"

#include <filesystem>

#include "base/durable.hpp"
#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "record/content_sum.hpp"
#include "record/run_file.hpp"

namespace trilemma {
namespace {

constexpr hsize_t most_ranks = hsize_t{1} << 24U;

void check_schema(const h5::Handle& file, const std::string& path) {
  require(h5::has_attribute(file.get(), "schema") &&
              h5::text_attribute(file.get(), "schema") == "trilemma-run",
          "{}: not a run file of trilemma; give the file that `trilemma run` wrote", path);
  const double version = h5::number_attribute(file.get(), "schema_version");
  require(version == run_file_schema_version,
          "{}: schema version {}, this program reads {}; use the program that wrote the file", path,
          version, run_file_schema_version);
}

RunHead head_of(const h5::Handle& file) {
  const auto text = [&](const char* name) { return h5::text_attribute(file.get(), name); };
  RunHead head;
  head.complete = h5::integer_attribute(file.get(), "complete", 0, 1) == 1;
  head.failure = text("failure");
  head.fingerprint = text("fingerprint");
  head.config = h5::read_text(file.get(), "config");
  head.real = h5::read_text(file.get(), "environment/real");
  head.data_files = h5::read_text(file.get(), "environment/data_files");
  if (h5::has_member(file.get(), "environment/processors"))
    head.processors = h5::read_text(file.get(), "environment/processors");
  if (h5::has_member(file.get(), "environment/vector_bits")) {
    const auto bits = h5::read_numbers(file.get(), "environment/vector_bits", most_ranks);
    if (!bits.empty()) head.vector_bits = static_cast<unsigned>(bits.front());
  }
  if (h5::has_member(file.get(), "environment/git_revision"))
    head.revision = h5::read_text(file.get(), "environment/git_revision");
  head.noise_sigma = h5::number_attribute(file.get(), "noise_sigma");
  head.has_secret =
      h5::text_attribute(h5::open_group(file.get(), "privacy").get(), "rng") == "chacha20";
  const auto rows = h5::extents(h5::open_dataset(file.get(), "rounds/round"), 1)[0];
  head.rounds_done = rows > 0 ? rows - 1 : 0;
  return head;
}

}  // namespace

void RunHead::persist(State& state) {
  state.value(complete);
  for (std::string* text :
       {&failure, &fingerprint, &config, &real, &data_files, &revision, &processors})
    state.values(*text);
  state.value(vector_bits);
  state.value(has_secret);
  state.value(noise_sigma);
  state.value(rounds_done);
}

h5::Handle open_run_file(const std::string& path, h5::Reading how) {
  std::error_code ignored;
  require(!std::filesystem::is_directory(path, ignored),
          "{}: a folder; name a run file in it (.h5 or .h5.partial)", path);
  require(std::filesystem::is_regular_file(path, ignored),
          "{}: no such file; give a run file (.h5 or .h5.partial)", path);
  h5::Handle file;
  try {
    file = h5::open_file(path, how);
  } catch (const LibraryError&) {
    require(!is_locked(path),
            "{}: a running program has it open; wait for its end, or set "
            "HDF5_USE_FILE_LOCKING=FALSE to look at what it has written so far",
            path);
    throw UserError(
        fmt::format("{}: not an HDF5 file, or cut off before its first flush; run it again", path));
  }
  check_schema(file, path);
  return file;
}

// Ranks that were not there from the start have no times for its rounds.
std::vector<hsize_t> phase_extents(const h5::Handle& seconds) {
  constexpr hsize_t most_missing = hsize_t{1} << 24U;
  return h5::sparse_extents(seconds, 3, most_missing);
}

RunHead read_run_head(const std::string& path, h5::Reading how) {
  const Bytes bytes = read_in_subprocess(path, [&] {
    Bytes out;
    State state = State::saving(out);
    head_of(open_run_file(path, how)).persist(state);
    return out;
  });
  RunHead head;
  State state = State::restoring(bytes);
  head.persist(state);
  return head;
}

RunModel read_run_model(const std::string& path) {
  const Bytes bytes = read_in_subprocess(path, [&] {
    const h5::Handle file = open_run_file(path);
    require(h5::integer_attribute(file.get(), "complete", 0, 1) == 1,
            "{}: a run that is not complete; let it come to its end first", path);
    require(content_of(file.get()) != Content::changed, "{}", changed_content(path));
    std::string config = h5::read_text(file.get(), "config");
    const h5::Handle model = h5::open_dataset(file.get(), "model/final");
    const auto extents = h5::extents(model, 1);
    std::vector<real> values = h5::read_rows<real>(model, extents, 0, extents[0]);
    Bytes out;
    State state = State::saving(out);
    state.values(config);
    state.values(values);
    return out;
  });
  RunModel run;
  State state = State::restoring(bytes);
  state.values(run.config);
  state.values(run.state);
  return run;
}

}  // namespace trilemma
