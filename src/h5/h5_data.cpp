#include <algorithm>
#include <limits>

#include "h5/h5_detail.hpp"

namespace trilemma::h5 {
namespace {

void describe(hid_t object, const std::string& units, const std::string& description) {
  set_attribute(object, "units", units);
  set_attribute(object, "description", description);
}

// Grows along its first dimension; along the others too where a later part of a run needs it.
Handle create_chunked(hid_t parent, const std::string& name, hid_t type,
                      const std::vector<hsize_t>& row, const std::vector<hsize_t>& chunk,
                      const Handle& list, const std::string& units,
                      const std::string& description) {
  std::vector<hsize_t> now{0};
  now.insert(now.end(), row.begin(), row.end());
  const std::vector<hsize_t> most(now.size(), H5S_UNLIMITED);
  const int rank = static_cast<int>(now.size());
  const Handle space(H5Screate_simple(rank, now.data(), most.data()), H5Sclose, "make a space");
  check(H5Pset_chunk(list.get(), rank, chunk.data()), "set a chunk size");
  Handle dataset(
      H5Dcreate2(parent, name.c_str(), type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
      H5Dclose, "create " + name);
  describe(dataset.get(), units, description);
  return dataset;
}

}  // namespace

// Here and in write_array: small data stay in HDF5's memory until the data set is closed, and a
// close that fails drops them for good; only a checked one keeps a full disk from being missed.
void write_text(hid_t parent, const std::string& name, const std::vector<std::string>& lines,
                bool scalar, const std::string& description) {
  const hsize_t count = lines.size();
  const Handle space(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr),
                     H5Sclose, "make a space");
  const Handle type = text_type();
  Handle dataset(H5Dcreate2(parent, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT,
                            H5P_DEFAULT),
                 H5Dclose, "create " + name);
  std::vector<const char*> text;
  text.reserve(lines.size());
  for (const auto& line : lines) text.push_back(line.c_str());
  check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, transfer(dataset.get()).get(),
                 text.data()),
        "write " + name);
  describe(dataset.get(), "text", description);
  dataset.close("write " + name);
}

Handle create_growing(hid_t parent, const std::string& name, hid_t type,
                      const std::vector<hsize_t>& row, const std::string& units,
                      const std::string& description) {
  std::vector<hsize_t> chunk{1024};
  for (const hsize_t extent : row) {
    chunk.push_back(extent);
    chunk[0] = std::max<hsize_t>(16, chunk[0] / std::max<hsize_t>(1, extent));
  }
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list");
  // Numbers that were never written (of ranks that were not there) read as NaN.
  const double gap = std::numeric_limits<double>::quiet_NaN();
  if (!row.empty() && H5Tget_class(type) == H5T_FLOAT)
    check(H5Pset_fill_value(list.get(), H5T_NATIVE_DOUBLE, &gap), "set a fill value");
  return create_chunked(parent, name, type, row, chunk, list, units, description);
}

Handle create_growing_texts(hid_t parent, const std::string& name, const std::string& description) {
  const Handle type = text_type();
  return create_growing(parent, name, type.get(), {}, "text", description);
}

void append_text(const Handle& dataset, const std::string& line) {
  const Handle type = text_type();
  const char* text = line.c_str();
  append(dataset, type.get(), {}, 1, &text);
}

Handle create_growing_bytes(hid_t parent, const std::string& name, const std::string& description) {
  constexpr hsize_t chunk = hsize_t{1} << 16U;
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list");
  return create_chunked(parent, name, H5T_NATIVE_UINT8, {}, {chunk}, list, "byte", description);
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
  for (std::size_t i = 0; i < row.size(); ++i) extent[1 + i] = std::max(extent[1 + i], row[i]);
  check(H5Dset_extent(dataset.get(), extent.data()), "grow a data set");
  extent[0] = count;
  std::copy(row.begin(), row.end(), extent.begin() + 1);
  const Handle file(H5Dget_space(dataset.get()), H5Sclose, "select rows");
  check(H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(),
                            nullptr),
        "select rows");
  const Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                      H5Sclose, "make a space");
  check(
      H5Dwrite(dataset.get(), type, memory.get(), file.get(), transfer(dataset.get()).get(), data),
      "write rows");
}

void overwrite(const Handle& dataset, hid_t type, hsize_t count, const void* data) {
  const Handle space(H5Dget_space(dataset.get()), H5Sclose, "measure a data set");
  expect(H5Sget_simple_extent_npoints(space.get()) == static_cast<hssize_t>(count),
         "as many values as the data set has");
  check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, transfer(dataset.get()).get(), data),
        "write rows");
}

void write_array(hid_t parent, const std::string& name, hid_t type, hsize_t count, const void* data,
                 const std::string& units, const std::string& description) {
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a space");
  Handle dataset(
      H5Dcreate2(parent, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, "create " + name);
  check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, transfer(dataset.get()).get(), data),
        "write " + name);
  describe(dataset.get(), units, description);
  dataset.close("write " + name);
}

}  // namespace trilemma::h5
