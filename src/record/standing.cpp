#include "record/standing.hpp"

#include <filesystem>

#include "base/state.hpp"
#include "base/subprocess.hpp"

namespace trilemma {
namespace {

namespace fs = std::filesystem;

Standing by_schema(const std::string& path, h5::Reading how) {
  const h5::Handle file = h5::open_file(path, how);
  if (!h5::has_attribute(file.get(), "schema")) return Standing::other;
  const std::string schema = h5::text_attribute(file.get(), "schema");
  if (schema == "trilemma-run") return Standing::run;
  if (schema == "trilemma-network") return Standing::network;
  return schema == "trilemma-audit" ? Standing::audit : Standing::other;
}

}  // namespace

Standing what_stands_at(const std::string& path, h5::Reading how) {
  std::error_code ignored;
  const auto status = fs::symlink_status(path, ignored);
  if (!fs::exists(status)) return Standing::nothing;
  if (!fs::is_regular_file(status)) return Standing::other;
  if (fs::file_size(path, ignored) == 0) return Standing::nothing;
  if (!h5::is_hdf5(path)) return Standing::other;
  try {
    const Bytes bytes = read_in_subprocess(path, [&] {
      Bytes out;
      Standing standing = by_schema(path, how);
      State::saving(out).value(standing);
      return out;
    });
    Standing standing = Standing::other;
    State::restoring(bytes).value(standing);
    return standing;
  } catch (const std::exception&) {
    return Standing::unreadable;
  }
}

void refuse_link(const std::string& path) {
  require(!std::filesystem::is_symlink(path),
          "{}: a symbolic link, through which nothing is written; remove it, or choose another "
          "--output",
          path);
}

void check_replaceable(const std::string& path, Standing kind, const char* what, bool overwrite) {
  // What has its final name is whole, though its writer may hold it for a moment.
  const Standing found = what_stands_at(path, h5::Reading::unlocked);
  if (found == Standing::nothing) return;
  refuse_link(path);
  require(found == kind, "{}: there is something that is not {}; choose another --output", path,
          what);
  require(overwrite,
          "{}: there is {} already; add --overwrite to replace it, or choose another --output",
          path, what);
}

void check_partial(const std::string& partial) {
  const Standing found = what_stands_at(partial, h5::Reading::unlocked);
  require(found == Standing::nothing || found == Standing::run || found == Standing::unreadable,
          "{}: there is something that is not a run file; move it away, or choose another --output",
          partial);
}

}  // namespace trilemma
