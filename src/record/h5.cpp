#include "record/h5.hpp"

#include <filesystem>
#include <utility>

#include "record/h5_detail.hpp"

namespace trilemma::h5 {
namespace {

// HDF5 prints its error stack by default; what the system said, or else the innermost entry, goes
// into our own message instead.
std::string reason() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
        auto& first = *static_cast<std::string*>(out);
        if (!first.empty() || entry->desc == nullptr) return 0;
        const std::string text = entry->desc;
        const std::string mark = "error message = '";
        const auto at = text.find(mark);
        first = at == std::string::npos
                    ? text
                    : text.substr(at + mark.size(),
                                  text.find('\'', at + mark.size()) - at - mark.size());
        return 0;
      },
      &text);
  return text.empty() ? "no reason given" : text;
}

[[noreturn]] void fail(const std::string& what) {
  throw LibraryError(fmt::format("HDF5: cannot {}: {}", what, reason()));
}

}  // namespace

void quiet() {
  // Its clean-up at exit crashes where a file could not be written; we close what we open.
  static const bool done = (H5dont_atexit(), H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), true);
  static_cast<void>(done);
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a string type");
  check(H5Tset_size(type.get(), H5T_VARIABLE), "set a string size");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "set a character set");
  return type;
}

Handle::Handle(hid_t id, Close close, const std::string& what) : id_(id), close_(close) {
  if (id_ < 0) fail(what);
}
Handle::~Handle() {
  if (id_ >= 0) close_(id_);
}
Handle::Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}
void Handle::close(const std::string& what) {
  if (id_ >= 0) check(close_(std::exchange(id_, -1)), what);
}

void check(herr_t code, const std::string& what) {
  if (code < 0) fail(what);
}

bool is_hdf5(const std::string& path) {
  quiet();
  return std::filesystem::is_regular_file(path) && H5Fis_hdf5(path.c_str()) > 0;
}

Handle create_file(const std::string& path) {
  quiet();
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
          "create " + path};
}
Handle open_file(const std::string& path) {
  quiet();
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open " + path};
}
Handle change_file(const std::string& path) {
  quiet();
  return {H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open " + path};
}
Handle create_group(hid_t parent, const std::string& name) {
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
          "create group " + name};
}

Handle open_group(hid_t parent, const std::string& name) {
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose, "open group " + name};
}

void set_attribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  if (H5Aexists(object, name.c_str()) > 0)
    check(H5Adelete(object, name.c_str()), "replace " + name);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "make a scalar");
  const Handle attribute(
      H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
      "create attribute " + name);
  check(H5Awrite(attribute.get(), type, value), "write attribute " + name);
}
void set_attribute(hid_t object, const std::string& name, const std::string& value) {
  const Handle type = text_type();
  const char* text = value.c_str();
  set_attribute(object, name, type.get(), &text);
}

std::string text_attribute(hid_t object, const std::string& name) {
  quiet();
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose,
                         "read attribute " + name);
  const Handle type = text_type();
  char* text = nullptr;
  check(H5Aread(attribute.get(), type.get(), &text), "read attribute " + name);
  std::string result(text == nullptr ? "" : text);
  H5free_memory(text);
  return result;
}
double number_attribute(hid_t object, const std::string& name) {
  quiet();
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose,
                         "read attribute " + name);
  double value = 0;
  check(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value), "read attribute " + name);
  return value;
}

std::vector<std::string> attribute_names(hid_t object) {
  quiet();
  std::vector<std::string> names;
  hsize_t next = 0;
  check(H5Aiterate2(
            object, H5_INDEX_NAME, H5_ITER_INC, &next,
            [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
              static_cast<std::vector<std::string>*>(out)->emplace_back(name);
              return 0;
            },
            &names),
        "list attributes");
  return names;
}

}  // namespace trilemma::h5
