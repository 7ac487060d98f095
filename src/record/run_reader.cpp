#include "record/run_reader.hpp"

#include <filesystem>

#include "record/durable.hpp"
#include "record/run_file.hpp"

namespace trilemma {
namespace {

void check_schema(const h5::Handle& file, const std::string& path) {
  require(H5Aexists(file.get(), "schema") > 0 &&
              h5::text_attribute(file.get(), "schema") == "trilemma-run",
          "{}: not a run file of trilemma; give the file that `trilemma run` wrote", path);
  const auto version =
      static_cast<std::int64_t>(h5::number_attribute(file.get(), "schema_version"));
  require(version == run_file_schema_version,
          "{}: schema version {}, this program reads {}; use the program that wrote the file", path,
          version, run_file_schema_version);
}

}  // namespace

h5::Handle open_run_file(const std::string& path) {
  require(std::filesystem::is_regular_file(path),
          "{}: no such file; give a run file (.h5 or .h5.partial)", path);
  h5::Handle file;
  try {
    file = h5::open_file(path);
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

RunEnd read_run_end(const std::string& path) {
  const h5::Handle file = open_run_file(path);
  return {h5::number_attribute(file.get(), "complete") == 1,
          h5::text_attribute(file.get(), "failure")};
}

}  // namespace trilemma
