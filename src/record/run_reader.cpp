#include "record/run_reader.hpp"

#include <filesystem>

#include "base/durable.hpp"
#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "record/content_sum.hpp"
#include "record/run_identity.hpp"

namespace trilemma {
namespace {

constexpr std::uint64_t most_ranks = std::uint64_t{1} << 24U;

void check_schema(const h5::Group& file, const std::string& path) {
  require(file.has_attribute("schema") && file.text_attribute("schema") == "trilemma-run",
          "{}: not a run file of trilemma; give a file that `trilemma run` wrote", path);
  const double version = file.number_attribute("schema_version");
  require(
      version == run_file_schema_version,
      "{}: schema version {}, this program reads {}; repeat the run, or use the program that wrote "
      "the file",
      path, version, run_file_schema_version);
}

RunHead run_head_of(const h5::Group& file) {
  const auto text = [&](const char* name) { return file.text_attribute(name); };
  RunHead head;
  head.complete = file.integer_attribute("complete", 0, 1) == 1;
  head.failure = text("failure");
  head.fingerprint = text("fingerprint");
  head.config = file.read_text("config");
  head.real = file.read_text("environment/real");
  head.data_files = file.read_text("environment/data_files");
  if (file.has_member("environment/processors"))
    head.processors = file.read_text("environment/processors");
  if (file.has_member("environment/vector_bits")) {
    const auto bits = file.read_numbers("environment/vector_bits", most_ranks);
    if (!bits.empty()) head.vector_bits = static_cast<unsigned>(bits.front());
  }
  if (file.has_member("environment/git_revision"))
    head.revision = file.read_text("environment/git_revision");
  head.noise_sigma = file.number_attribute("noise_sigma");
  head.has_secret = file.open_group("privacy").text_attribute("rng") == "chacha20";
  const auto rows = file.open_dataset("rounds/round").extents(1)[0];
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

h5::File open_run_file(const std::string& path, h5::Reading how) {
  std::error_code ignored;
  require(!std::filesystem::is_directory(path, ignored),
          "{}: a folder; name a run file in it (.h5 or .h5.partial)", path);
  require(std::filesystem::is_regular_file(path, ignored),
          "{}: no such file; give a run file (.h5 or .h5.partial)", path);
  h5::File file;
  try {
    file = h5::File::open(path, how);
  } catch (const LibraryError&) {
    require(!is_locked(path),
            "{}: a running program has it open; wait until it ends, or set "
            "HDF5_USE_FILE_LOCKING=FALSE to read what it has written so far",
            path);
    throw UserError(
        fmt::format("{}: not an HDF5 file, or cut off before its first flush; run it again", path));
  }
  check_schema(file, path);
  return file;
}

RunHead read_run_head(const std::string& path, h5::Reading how) {
  const Bytes bytes = read_in_subprocess(path, [&] {
    Bytes out;
    State state = State::saving(out);
    run_head_of(open_run_file(path, how)).persist(state);
    return out;
  });
  RunHead head;
  State state = State::restoring(bytes);
  head.persist(state);
  return head;
}

RunModel read_run_model(const std::string& path) {
  const Bytes bytes = read_in_subprocess(path, [&] {
    const h5::File file = open_run_file(path);
    require(file.integer_attribute("complete", 0, 1) == 1,
            "{}: a run that is not complete; let it finish first", path);
    require(content_of(file) != Content::changed, "{}", changed_content(path));
    std::string config = file.read_text("config");
    const h5::Dataset model = file.open_dataset("model/final");
    const auto extents = model.extents(1);
    std::vector<real> values = model.read_rows<real>(extents, 0, extents[0]);
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

std::string check_content(const std::string& path) {
  try {
    const Bytes bytes = read_in_subprocess(path, [&path] {
      Bytes out;
      Content content = content_of(open_run_file(path));
      State::saving(out).value(content);
      return out;
    });
    Content content = Content::changed;
    State::restoring(bytes).value(content);
    if (content != Content::changed) return {};
  } catch (const UserError& error) {
    return error.what();
  }
  return changed_content(path);
}

}  // namespace trilemma
