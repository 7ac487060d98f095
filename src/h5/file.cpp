// Files.

#include <sys/stat.h>

#include <filesystem>

#include "h5/h5.hpp"
#include "h5/library.hpp"

namespace trilemma::h5 {

bool is_hdf5(const std::string& path) {
  quiet();
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && H5Fis_hdf5(path.c_str()) > 0;
}

File File::open(const std::string& path, Reading how) {
  quiet();
  constexpr std::size_t step = std::size_t{1} << 20U;
  const Handle access = how == Reading::locked
                            ? Handle(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list")
                            : unlocked_access();
  if (how == Reading::copied)
    check(H5Pset_fapl_core(access.get(), step, false), "read a file into memory");
  return File(
      Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, "open " + path));
}

File File::create(const std::string& path) {
  const Handle access = unlocked_access();
  return File(Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose,
                     "create " + path));
}

File File::create_private(const std::string& path) {
  quiet();
  const mode_t before = umask(S_IRWXG | S_IRWXO | S_IXUSR);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  umask(before);
  return File(Handle(file, H5Fclose, "create " + path));
}

File File::change(const std::string& path) {
  const Handle access = unlocked_access();
  return File(Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose, "open " + path));
}

void File::flush(const std::string& what) const { check(H5Fflush(id(), H5F_SCOPE_GLOBAL), what); }

}  // namespace trilemma::h5
