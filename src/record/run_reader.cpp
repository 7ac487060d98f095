#include "record/run_reader.hpp"

#include <filesystem>

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
    throw UserError(
        fmt::format("{}: not an HDF5 file, or cut off before its first flush; run it again", path));
  }
  check_schema(file, path);
  return file;
}

}  // namespace trilemma
