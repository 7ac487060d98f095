// Data sets: reading and appending rows.

#include <algorithm>

#include "h5/stored.hpp"

namespace trilemma::h5 {
namespace {

void append_values(hid_t dataset, hid_t type, const Extents& row, hsize_t count, const void* data) {
  if (count == 0) return;
  std::vector<hsize_t> extent(1 + row.size());
  {
    const Handle before(H5Dget_space(dataset), H5Sclose, "measure a data set");
    check(H5Sget_simple_extent_dims(before.get(), extent.data(), nullptr), "measure a data set");
  }
  std::vector<hsize_t> start(extent.size(), 0);
  start[0] = extent[0];
  extent[0] += count;
  for (std::size_t i = 0; i < row.size(); ++i)
    extent[1 + i] = std::max<hsize_t>(extent[1 + i], row[i]);
  check(H5Dset_extent(dataset, extent.data()), "grow a data set");
  extent[0] = count;
  std::copy(row.begin(), row.end(), extent.begin() + 1);
  const Handle file(H5Dget_space(dataset), H5Sclose, "select rows");
  check(H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(),
                            nullptr),
        "select rows");
  const Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                      H5Sclose, "make a space");
  check(H5Dwrite(dataset, type, memory.get(), file.get(), transfer(dataset).get(), data),
        "write rows");
}

void read_values(const Dataset& dataset, const Extents& extents, hsize_t first, hsize_t count,
                 hid_t type, void* out) {
  if (count == 0 || std::count(extents.begin(), extents.end(), std::uint64_t{0}) > 0) return;
  const Handle file(H5Dget_space(dataset.id()), H5Sclose, "look at a data set");
  std::vector<hsize_t> start(extents.size(), 0);
  std::vector<hsize_t> block = native(extents);
  start[0] = first;
  block[0] = count;
  check(
      H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, start.data(), nullptr, block.data(), nullptr),
      "select rows");
  const Handle memory(H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr),
                      H5Sclose, "make a space");
  if (H5Dread(dataset.id(), type, memory.get(), file.get(), transfer(dataset.id()).get(), out) < 0)
    dataset.refuse("", "cannot be read: " + reason());
}

}  // namespace

Kind Dataset::kind() const {
  const Handle type(H5Dget_type(id()), H5Tclose, "look at a type");
  return kind_of(id(), "", type);
}

bool Dataset::is_half() const {
  return h5::is_half(Handle(H5Dget_type(id()), H5Tclose, "look at a type"));
}

bool Dataset::is_boolean() const {
  return h5::is_boolean(Handle(H5Dget_type(id()), H5Tclose, "look at a type"));
}

std::size_t Dataset::value_size() const {
  const Handle type(H5Dget_type(id()), H5Tclose, "look at a type");
  return H5Tget_size(type.get());
}

Extents Dataset::stored_extents() const { return h5::stored_extents(id(), 0); }

Extents Dataset::sparse_extents(std::size_t rank, std::uint64_t most) const {
  if (kind() == Kind::text) refuse("", "text where numbers are expected");
  auto found = h5::stored_extents(id(), most);
  if (found.size() != rank)
    refuse("", fmt::format("{} dimensions where {} are expected", found.size(), rank));
  return found;
}

void Dataset::read_into(const Extents& extents, std::uint64_t first, std::uint64_t count,
                        Number type, void* out) const {
  read_values(*this, extents, first, count, memory_type(type), out);
}

Bytes Dataset::read_wide(const Extents& extents, std::uint64_t first, std::uint64_t count) const {
  const Kind values = kind();
  const hid_t type = values == Kind::floating  ? H5T_IEEE_F64LE
                     : values == Kind::integer ? H5T_STD_I64LE
                                               : H5T_STD_U64LE;
  std::uint64_t size = count * sizeof(std::uint64_t);
  for (std::size_t i = 1; i < extents.size(); ++i) size *= extents[i];
  Bytes bytes(static_cast<std::size_t>(size));
  read_values(*this, extents, first, count, type, bytes.data());
  return bytes;
}

std::uint64_t Dataset::byte_count() const {
  if (kind() != Kind::natural || value_size() != 1) refuse("", "not a data set of bytes");
  return extents(1)[0];
}

Bytes Dataset::read_byte_range(std::uint64_t first, std::uint64_t count) const {
  Bytes bytes(static_cast<std::size_t>(count));
  read_into({count}, first, count, Number::u8, bytes.data());
  return bytes;
}

void Dataset::append(const Extents& row, std::size_t count, Number type, const void* data) const {
  append_values(id(), memory_type(type), row, count, data);
}

void Dataset::append_text(const std::string& line) const {
  const Handle type = text_type();
  const char* text = line.c_str();
  append_values(id(), type.get(), {}, 1, &text);
}

void Dataset::overwrite(std::size_t count, Number type, const void* data) const {
  const Handle space(H5Dget_space(id()), H5Sclose, "measure a data set");
  expect(H5Sget_simple_extent_npoints(space.get()) == static_cast<hssize_t>(count),
         "as many values as the data set has");
  check(H5Dwrite(id(), memory_type(type), H5S_ALL, H5S_ALL, transfer(id()).get(), data),
        "write rows");
}

}  // namespace trilemma::h5
