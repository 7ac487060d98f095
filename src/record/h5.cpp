#include "record/h5.hpp"

#include <filesystem>
#include <utility>

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

void describe(hid_t object, const std::string& units, const std::string& description) {
  set_attribute(object, "units", units);
  set_attribute(object, "description", description);
}

Handle open_dataset(hid_t parent, const std::string& name) {
  quiet();
  return {H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose, "open data set " + name};
}

}  // namespace

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
Handle create_group(hid_t parent, const std::string& name) {
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
          "create group " + name};
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

void write_text(hid_t parent, const std::string& name, const std::vector<std::string>& lines,
                bool scalar, const std::string& description) {
  const hsize_t count = lines.size();
  const Handle space(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr),
                     H5Sclose, "make a space");
  const Handle type = text_type();
  const Handle dataset(H5Dcreate2(parent, name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                  H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose, "create " + name);
  std::vector<const char*> text;
  text.reserve(lines.size());
  for (const auto& line : lines) text.push_back(line.c_str());
  check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()),
        "write " + name);
  describe(dataset.get(), "text", description);
}

std::vector<std::string> read_texts(hid_t parent, const std::string& name) {
  const Handle dataset = open_dataset(parent, name);
  const Handle space(H5Dget_space(dataset.get()), H5Sclose, "read " + name);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get()));
  const Handle type = text_type();
  std::vector<char*> text(count, nullptr);
  check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()),
        "read " + name);
  std::vector<std::string> result(text.begin(), text.end());
  for (char* line : text) H5free_memory(line);
  return result;
}

Handle create_growing(hid_t parent, const std::string& name, hid_t type,
                      const std::vector<hsize_t>& row, const std::string& units,
                      const std::string& description) {
  std::vector<hsize_t> now{0};
  std::vector<hsize_t> most{H5S_UNLIMITED};
  std::vector<hsize_t> chunk{1024};
  for (const hsize_t extent : row) {
    now.push_back(extent);
    most.push_back(extent);
    chunk.push_back(extent);
    chunk[0] = std::max<hsize_t>(16, chunk[0] / std::max<hsize_t>(1, extent));
  }
  const int rank = static_cast<int>(now.size());
  const Handle space(H5Screate_simple(rank, now.data(), most.data()), H5Sclose, "make a space");
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list");
  check(H5Pset_chunk(list.get(), rank, chunk.data()), "set a chunk size");
  Handle dataset(
      H5Dcreate2(parent, name.c_str(), type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
      H5Dclose, "create " + name);
  describe(dataset.get(), units, description);
  return dataset;
}

void append(const Handle& dataset, hid_t type, const std::vector<hsize_t>& row, hsize_t count,
            const void* data) {
  if (count == 0) return;
  std::vector<hsize_t> extent(1 + row.size());
  {
    const Handle before(H5Dget_space(dataset.get()), H5Sclose, "measure a data set");
    check(H5Sget_simple_extent_dims(before.get(), extent.data(), nullptr), "measure a data set");
  }
  std::vector<hsize_t> start(extent.size(), 0);
  start[0] = extent[0];
  extent[0] += count;
  check(H5Dset_extent(dataset.get(), extent.data()), "grow a data set");
  extent[0] = count;
  const Handle file(H5Dget_space(dataset.get()), H5Sclose, "select rows");
  check(H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(),
                            nullptr),
        "select rows");
  const Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                      H5Sclose, "make a space");
  check(H5Dwrite(dataset.get(), type, memory.get(), file.get(), H5P_DEFAULT, data), "write rows");
}

void write_array(hid_t parent, const std::string& name, hid_t type, hsize_t count, const void* data,
                 const std::string& units, const std::string& description) {
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a space");
  const Handle dataset(
      H5Dcreate2(parent, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, "create " + name);
  check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write " + name);
  describe(dataset.get(), units, description);
}

Array read_array(hid_t parent, const std::string& name) {
  const Handle dataset = open_dataset(parent, name);
  const Handle space(H5Dget_space(dataset.get()), H5Sclose, "read " + name);
  Array array;
  array.extents.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
  check(H5Sget_simple_extent_dims(space.get(), array.extents.data(), nullptr), "read " + name);
  array.value.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  check(
      H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.value.data()),
      "read " + name);
  return array;
}

std::vector<std::byte> read_bytes(hid_t parent, const std::string& name) {
  const Handle dataset = open_dataset(parent, name);
  const Handle space(H5Dget_space(dataset.get()), H5Sclose, "read " + name);
  const Handle type(H5Dget_type(dataset.get()), H5Tclose, "read " + name);
  std::vector<std::byte> bytes(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())) *
                               H5Tget_size(type.get()));
  check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
        "read " + name);
  return bytes;
}

}  // namespace trilemma::h5
