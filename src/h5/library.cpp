#include "h5/library.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "base/write_error.hpp"
#include "h5/h5.hpp"

namespace trilemma::h5 {

static_assert(std::is_same_v<Id, hid_t> && std::is_same_v<int, herr_t>);

// Returns the error of the operating system from HDF5's error stack, or else its innermost entry.
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

namespace {

// Returns the errno of the failed call, which only the texts of HDF5's error stack contain
// ("..., errno = 28, ..."); 0 if there is none.
int system_error() {
  int found = 0;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
        const char* mark = entry->desc == nullptr ? nullptr : std::strstr(entry->desc, "errno = ");
        auto& number = *static_cast<int*>(out);
        if (mark != nullptr && number == 0) number = std::atoi(mark + std::strlen("errno = "));
        return 0;
      },
      &found);
  return found;
}

// Returns whether only writing can cause this errno.
bool concerns_writing(WriteFault fault) {
  return fault == WriteFault::disk_full || fault == WriteFault::over_quota ||
         fault == WriteFault::file_size_limit || fault == WriteFault::read_only;
}

[[noreturn]] void fail(const std::string& what) {
  const int error = system_error();
  if (concerns_writing(write_fault(error))) throw WriteError("HDF5: cannot " + what, error);
  throw LibraryError(fmt::format("HDF5: cannot {}: {}", what, reason()));
}

}  // namespace

void quiet() {
  // HDF5's clean-up at exit crashes after a failed write, and all objects are closed before.
  static const bool done = [] {
    // The variable overrides a program's choice; a user's "FALSE" stays in force.
    const char* locking = std::getenv("HDF5_USE_FILE_LOCKING");
    if (locking != nullptr && std::string_view(locking) != "FALSE" &&
        std::string_view(locking) != "0")
      unsetenv("HDF5_USE_FILE_LOCKING");
    return H5dont_atexit() >= 0 && H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  }();
  static_cast<void>(done);
}

Handle transfer(hid_t dataset) {
  constexpr std::size_t enough = std::size_t{1} << 14U;
  const Handle type(H5Dget_type(dataset), H5Tclose, "look at a type");
  Handle list(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "make a property list");
  check(H5Pset_buffer(list.get(), std::max(enough, 2 * H5Tget_size(type.get())), nullptr, nullptr),
        "set a buffer");
  return list;
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

Handle unlocked_access() {
  quiet();
  Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list");
  check(H5Pset_file_locking(list.get(), 0, 1), "leave locks alone");
  return list;
}

std::vector<hsize_t> native(const std::vector<std::uint64_t>& extents) {
  return {extents.begin(), extents.end()};
}

hid_t memory_type(Number type) {
  switch (type) {
    case Number::f64:
      return H5T_NATIVE_DOUBLE;
    case Number::f32:
      return H5T_NATIVE_FLOAT;
    case Number::i64:
      return H5T_NATIVE_INT64;
    case Number::u64:
      return H5T_NATIVE_UINT64;
    case Number::u8:
      break;
  }
  return H5T_NATIVE_UINT8;
}

void set_scalar(hid_t object, const std::string& name, hid_t type, const void* value) {
  if (H5Aexists(object, name.c_str()) > 0)
    check(H5Adelete(object, name.c_str()), "replace " + name);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "make a scalar");
  const Handle attribute(
      H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
      "create attribute " + name);
  check(H5Awrite(attribute.get(), type, value), "write attribute " + name);
}

void describe(hid_t object, const std::string& units, const std::string& description) {
  const Handle type = text_type();
  for (const auto& [name, text] : {std::pair("units", &units), {"description", &description}}) {
    const char* value = text->c_str();
    set_scalar(object, name, type.get(), &value);
  }
}

namespace {

std::string text_from(hid_t object, ssize_t (*get)(hid_t, char*, std::size_t)) {
  const ssize_t size = get(object, nullptr, 0);
  if (size <= 0) return {};
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  get(object, text.data(), text.size());
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace

void refuse(hid_t object, const std::string& name, const std::string& problem) {
  std::string place = text_from(object, H5Iget_name);
  if (!name.empty() && name[0] != '@' && place != "/") place += '/';
  throw FileError(Mistake{
      .place = {printable(text_from(object, H5Fget_name)), 0},
      .problem = printable(fmt::format("{}{}: {}", place, name, problem)),
      .remedy = "the file is damaged or was not written by trilemma; take one that is whole"});
}

}  // namespace trilemma::h5
