// Groups: their members, read and written.

#include <algorithm>
#include <limits>

#include "h5/stored.hpp"

namespace trilemma::h5 {
namespace {

// Creates an empty data set that can grow along all dimensions; `row` are the extents of all but
// the first.
Dataset create_chunked(hid_t parent, const std::string& name, hid_t type, const Extents& row,
                       const std::vector<hsize_t>& chunk, const Handle& list,
                       const std::string& units, const std::string& description) {
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
  return Dataset(std::move(dataset));
}

// Creates the growing data set `name` with values of `type`.
Dataset growing(hid_t parent, const std::string& name, hid_t type, const Extents& row,
                const std::string& units, const std::string& description) {
  std::vector<hsize_t> chunk{1024};
  for (const hsize_t extent : row) {
    chunk.push_back(extent);
    chunk[0] = std::max<hsize_t>(16, chunk[0] / std::max<hsize_t>(1, extent));
  }
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list");
  // Numbers that were never written, such as times of ranks that joined later, read as NaN.
  const double gap = std::numeric_limits<double>::quiet_NaN();
  if (!row.empty() && H5Tget_class(type) == H5T_FLOAT)
    check(H5Pset_fill_value(list.get(), H5T_NATIVE_DOUBLE, &gap), "set a fill value");
  return create_chunked(parent, name, type, row, chunk, list, units, description);
}

}  // namespace

bool Group::has_member(const std::string& name) const { return missing(id(), name).empty(); }

bool Group::is_group(const std::string& name) const {
  check_way(id(), name);
  H5O_info_t info;
  if (H5Oget_info_by_name(id(), name.c_str(), &info, H5P_DEFAULT) < 0)
    refuse(name, "cannot be read: " + reason());
  return info.type == H5O_TYPE_GROUP;
}

bool Group::is_link(const std::string& name) const {
  H5L_info_t info;
  if (H5Lget_info(id(), name.c_str(), &info, H5P_DEFAULT) < 0)
    refuse(name, "cannot be read: " + reason());
  return info.type != H5L_TYPE_HARD;
}

std::string Group::followed(const std::string& name) const { return h5::followed(id(), name); }

Group Group::open_group(const std::string& name) const {
  check_way(id(), name);
  const hid_t group = H5Gopen2(id(), name.c_str(), H5P_DEFAULT);
  if (group < 0) refuse(name, "not a group: " + reason());
  return Group(Handle(group, H5Gclose, "open group " + name));
}

Dataset Group::open_dataset(const std::string& name) const {
  check_way(id(), name);
  const hid_t opened = H5Dopen2(id(), name.c_str(), H5P_DEFAULT);
  if (opened < 0) refuse(name, "not a data set: " + reason());
  Dataset dataset(Handle(opened, H5Dclose, "open data set " + name));
  check_layout(dataset.id());
  return dataset;
}

std::vector<std::string> Group::member_names() const {
  return sorted_names(
      [this](std::vector<std::string>& names) {
        hsize_t next = 0;
        return H5Literate(
            id(), H5_INDEX_NAME, H5_ITER_INC, &next,
            [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
              auto& list = *static_cast<std::vector<std::string>*>(out);
              list.emplace_back(name);
              return list.size() > most_names ? -1 : 0;
            },
            &names);
      },
      id(), "its members cannot be listed");
}

std::vector<std::string> Group::read_texts(const std::string& name) const {
  const Dataset dataset = open_dataset(name);
  const hid_t set = dataset.id();
  const Handle type(H5Dget_type(set), H5Tclose, "look at a type");
  if (kind_of(set, "", type) != Kind::text) dataset.refuse("", "numbers where text is expected");
  const Extents found = dataset.stored_extents();
  if (found.size() > 1)
    dataset.refuse("", fmt::format("{} dimensions where one is expected", found.size()));
  const std::size_t count = found.empty() ? 1 : static_cast<std::size_t>(found[0]);
  if (count == 0) return {};
  return texts_of(type, count, [&](hid_t memory, void* out) {
    if (H5Dread(set, memory, H5S_ALL, H5S_ALL, transfer(set).get(), out) < 0)
      dataset.refuse("", "cannot be read: " + reason());
  });
}

std::string Group::read_text(const std::string& name) const {
  auto lines = read_texts(name);
  if (lines.size() != 1) refuse(name, fmt::format("{} texts where one is expected", lines.size()));
  return std::move(lines.front());
}

std::vector<double> Group::read_numbers(const std::string& name, std::uint64_t most) const {
  const Dataset dataset = open_dataset(name);
  const Extents found = dataset.extents(1);
  if (found[0] > most)
    dataset.refuse("", fmt::format("{} values where at most {} are expected", found[0], most));
  return dataset.read_rows<double>(found, 0, found[0]);
}

Group Group::create_group(const std::string& name) const {
  return Group(Handle(H5Gcreate2(id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Gclose, "create group " + name));
}

void Group::remove_member(const std::string& name) const {
  check(H5Ldelete(id(), name.c_str(), H5P_DEFAULT), "replace " + name);
}

// Small data stay in HDF5's memory until the data set is closed, and a close that fails drops them.
// Therefore this function and write_array() close the data set and check for failure.
void Group::write_lines(const std::string& name, const std::vector<std::string>& lines, bool scalar,
                        const std::string& description) const {
  const hsize_t count = lines.size();
  const Handle space(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr),
                     H5Sclose, "make a space");
  const Handle type = text_type();
  Handle dataset(H5Dcreate2(id(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT,
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

void Group::write_array(const std::string& name, Number number, std::size_t count, const void* data,
                        const std::string& units, const std::string& description) const {
  const hsize_t values = count;
  const hid_t type = memory_type(number);
  const Handle space(H5Screate_simple(1, &values, nullptr), H5Sclose, "make a space");
  Handle dataset(
      H5Dcreate2(id(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, "create " + name);
  check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, transfer(dataset.get()).get(), data),
        "write " + name);
  describe(dataset.get(), units, description);
  dataset.close("write " + name);
}

Dataset Group::create_growing(const std::string& name, Number type, const Extents& row,
                              const std::string& units, const std::string& description) const {
  return growing(id(), name, memory_type(type), row, units, description);
}

Dataset Group::create_growing_texts(const std::string& name, const std::string& description) const {
  const Handle type = text_type();
  return growing(id(), name, type.get(), {}, "text", description);
}

Dataset Group::create_growing_bytes(const std::string& name, const std::string& description) const {
  constexpr hsize_t chunk = hsize_t{1} << 16U;
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list");
  return create_chunked(id(), name, H5T_NATIVE_UINT8, {}, {chunk}, list, "byte", description);
}

}  // namespace trilemma::h5
