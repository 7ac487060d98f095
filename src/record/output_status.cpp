#include "record/output_status.hpp"

#include <filesystem>

#include "base/state.hpp"
#include "base/subprocess.hpp"

namespace trilemma {
namespace {

namespace fs = std::filesystem;

OutputStatus by_schema(const std::string& path, h5::Reading how) {
  const h5::File file = h5::File::open(path, how);
  if (!file.has_attribute("schema")) return OutputStatus::other;
  const std::string schema = file.text_attribute("schema");
  if (schema == "trilemma-run") return OutputStatus::run;
  if (schema == "trilemma-network") return OutputStatus::network;
  if (schema == "trilemma-bench") return OutputStatus::bench;
  return schema == "trilemma-audit" ? OutputStatus::audit : OutputStatus::other;
}

}  // namespace

OutputStatus output_status(const std::string& path, h5::Reading how) {
  std::error_code ignored;
  const auto status = fs::symlink_status(path, ignored);
  if (!fs::exists(status)) return OutputStatus::nothing;
  if (!fs::is_regular_file(status)) return OutputStatus::other;
  if (fs::file_size(path, ignored) == 0) return OutputStatus::nothing;
  if (!h5::is_hdf5(path)) return OutputStatus::other;
  try {
    const Bytes bytes = read_in_subprocess(path, [&] {
      Bytes out;
      OutputStatus status = by_schema(path, how);
      State::saving(out).value(status);
      return out;
    });
    OutputStatus status = OutputStatus::other;
    State::restoring(bytes).value(status);
    return status;
  } catch (const std::exception&) {
    return OutputStatus::unreadable;
  }
}

void refuse_link(const std::string& path) {
  require(!std::filesystem::is_symlink(path),
          "{}: a symbolic link, through which nothing is written; remove it, or choose another "
          "--output",
          path);
}

void check_replaceable(const std::string& path, OutputStatus kind, const char* what,
                       bool overwrite) {
  // A file has its final name only when it is complete, though its writer may still hold the lock.
  const OutputStatus found = output_status(path, h5::Reading::unlocked);
  if (found == OutputStatus::nothing) return;
  refuse_link(path);
  require(found == kind, "{}: there is something that is not {}; choose another --output", path,
          what);
  require(overwrite,
          "{}: there is {} already; add --overwrite to replace it, or choose another --output",
          path, what);
}

void check_partial(const std::string& partial) {
  const OutputStatus found = output_status(partial, h5::Reading::unlocked);
  require(found == OutputStatus::nothing || found == OutputStatus::run ||
              found == OutputStatus::unreadable,
          "{}: there is something that is not a run file; move it away, or choose another --output",
          partial);
}

}  // namespace trilemma
