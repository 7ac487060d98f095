#include "h5/h5_check.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "h5/h5_detail.hpp"

namespace trilemma::h5 {
namespace {

constexpr std::size_t longest_text = std::size_t{1} << 24U;
constexpr std::size_t most_names = 10000;
constexpr hsize_t largest_packed_chunk = hsize_t{1} << 28U;
// Where a run was resumed on more ranks, so many times as much may be missing.
constexpr hsize_t most_ranks = 64;
// Deflate makes nothing smaller than by this.
constexpr hsize_t largest_packing = 1040;

std::string text_from(hid_t object, ssize_t (*get)(hid_t, char*, std::size_t)) {
  const ssize_t size = get(object, nullptr, 0);
  if (size <= 0) return {};
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  get(object, text.data(), text.size());
  text.resize(static_cast<std::size_t>(size));
  return text;
}

// a * b, or the largest number where that is too large.
hsize_t product(hsize_t a, hsize_t b) {
  constexpr hsize_t most = std::numeric_limits<hsize_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

hsize_t product(const std::vector<hsize_t>& factors, hsize_t last) {
  hsize_t all = last;
  for (const hsize_t factor : factors)
    if (factor == 0) return 0;
  for (const hsize_t factor : factors) all = product(all, factor);
  return all;
}

// Where a member or a group on the way to it is missing: its name. Refuses every way but hard
// links: others lead out of the file, or in circles.
std::string missing(hid_t parent, const std::string& name) {
  quiet();
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('/', end + 1);
    const std::string part = name.substr(0, end);
    H5L_info_t info;
    if (H5Lexists(parent, part.c_str(), H5P_DEFAULT) <= 0) return part;
    if (H5Lget_info(parent, part.c_str(), &info, H5P_DEFAULT) < 0)
      refuse(parent, part, "cannot be read: " + reason());
    if (info.type != H5L_TYPE_HARD)
      refuse(parent, part, "a link to another place where the data are expected");
  }
  return {};
}

void check_way(hid_t parent, const std::string& name) {
  const std::string part = missing(parent, name);
  if (!part.empty()) refuse(parent, part, "is missing");
}

bool is_packed(hid_t list) { return H5Pget_nfilters(list) > 0; }

// Data of other files and filters that are not of this library.
void check_layout(const Handle& dataset) {
  const Handle list(H5Dget_create_plist(dataset.get()), H5Pclose, "look at a data set");
  if (H5Pget_external_count(list.get()) != 0 || H5Pget_layout(list.get()) == H5D_VIRTUAL)
    refuse(dataset.get(), "", "its data lie in other files");
  const int filters = H5Pget_nfilters(list.get());
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t count = 0;
    const H5Z_filter_t filter = H5Pget_filter2(list.get(), static_cast<unsigned>(i), &flags, &count,
                                               nullptr, 0, nullptr, &config);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
        filter != H5Z_FILTER_FLETCHER32)
      refuse(dataset.get(), "", fmt::format("packed by filter {}, unknown here", filter));
  }
  if (H5Pget_layout(list.get()) != H5D_CHUNKED || filters == 0) return;
  std::vector<hsize_t> chunk(H5S_MAX_RANK);
  chunk.resize(
      static_cast<std::size_t>(std::max(0, H5Pget_chunk(list.get(), H5S_MAX_RANK, chunk.data()))));
  if (product(chunk, 1) > largest_packed_chunk)
    refuse(dataset.get(), "", "packed in pieces that are too large");
}

}  // namespace

void refuse(hid_t object, const std::string& name, const std::string& problem) {
  std::string place = text_from(object, H5Iget_name);
  if (!name.empty() && name[0] != '@' && place != "/") place += '/';
  throw FileError(printable(
      fmt::format("{}: {}{}: {}; the file is damaged or not one of trilemma's, take one that is "
                  "whole",
                  text_from(object, H5Fget_name), place, name, problem)));
}

Handle open_file(const std::string& path, Reading how) {
  quiet();
  constexpr std::size_t step = std::size_t{1} << 20U;
  const Handle access = how == Reading::locked
                            ? Handle(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list")
                            : unlocked_access();
  if (how == Reading::copied)
    check(H5Pset_fapl_core(access.get(), step, false), "read a file into memory");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, "open " + path};
}

bool has_member(hid_t parent, const std::string& name) { return missing(parent, name).empty(); }

bool is_group(hid_t parent, const std::string& name) {
  check_way(parent, name);
  H5O_info_t info;
  if (H5Oget_info_by_name(parent, name.c_str(), &info, H5P_DEFAULT) < 0)
    refuse(parent, name, "cannot be read: " + reason());
  return info.type == H5O_TYPE_GROUP;
}

Handle open_group(hid_t parent, const std::string& name) {
  check_way(parent, name);
  const hid_t group = H5Gopen2(parent, name.c_str(), H5P_DEFAULT);
  if (group < 0) refuse(parent, name, "no group: " + reason());
  return {group, H5Gclose, "open group " + name};
}

Handle open_dataset(hid_t parent, const std::string& name) {
  check_way(parent, name);
  const hid_t id = H5Dopen2(parent, name.c_str(), H5P_DEFAULT);
  if (id < 0) refuse(parent, name, "no data set: " + reason());
  Handle dataset(id, H5Dclose, "open data set " + name);
  check_layout(dataset);
  return dataset;
}

Kind kind_of(hid_t object, const std::string& name, const Handle& type) {
  const hid_t floating[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE};
  const hid_t integer[] = {H5T_STD_I64LE, H5T_STD_I32LE, H5T_STD_I16LE, H5T_STD_I8LE,
                           H5T_STD_I64BE, H5T_STD_I32BE, H5T_STD_I16BE, H5T_STD_I8BE};
  const hid_t natural[] = {H5T_STD_U64LE, H5T_STD_U32LE, H5T_STD_U16LE, H5T_STD_U8LE,
                           H5T_STD_U64BE, H5T_STD_U32BE, H5T_STD_U16BE, H5T_STD_U8BE};
  const auto is_one_of = [&type](const auto& list) {
    return std::any_of(std::begin(list), std::end(list),
                       [&](hid_t known) { return H5Tequal(type.get(), known) > 0; });
  };
  switch (H5Tget_class(type.get())) {
    case H5T_STRING:
      if (H5Tis_variable_str(type.get()) <= 0 && H5Tget_size(type.get()) > longest_text)
        refuse(object, name, "the text is too long");
      return Kind::text;
    case H5T_FLOAT:
      if (is_one_of(floating)) return Kind::floating;
      break;
    case H5T_INTEGER:
      if (is_one_of(integer)) return Kind::integer;
      if (is_one_of(natural)) return Kind::natural;
      break;
    default:
      break;
  }
  refuse(object, name, "neither text nor usual numbers");
}

std::vector<hsize_t> stored_extents(const Handle& dataset, hsize_t most_missing) {
  const Handle space(H5Dget_space(dataset.get()), H5Sclose, "look at a data set");
  const Handle type(H5Dget_type(dataset.get()), H5Tclose, "look at a data set");
  const Handle list(H5Dget_create_plist(dataset.get()), H5Pclose, "look at a data set");
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL)
    refuse(dataset.get(), "", "it has no values");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  std::vector<hsize_t> found(static_cast<std::size_t>(std::max(0, rank)));
  check(H5Sget_simple_extent_dims(space.get(), found.data(), nullptr), "look at a data set");
  hsize_t on_disk = H5Dget_storage_size(dataset.get());
  hsize_t of_file = 0;
  const Handle file(H5Iget_file_id(dataset.get()), H5Fclose, "measure a file");
  check(H5Fget_filesize(file.get(), &of_file), "measure a file");
  if (on_disk > of_file) refuse(dataset.get(), "", "larger than the file");
  if (is_packed(list.get())) on_disk = product(on_disk, largest_packing);
  const hsize_t size = H5Tget_size(type.get());
  const hsize_t wanted = product(found, size);
  const bool is_there = wanted <= on_disk || (most_missing > 0 && wanted / most_ranks <= on_disk) ||
                        product(found, 1) <= most_missing;
  if (!is_there)
    refuse(dataset.get(), "", fmt::format("{} bytes where the file has {}", wanted, on_disk));
  return found;
}

std::vector<std::string> attribute_names(hid_t object) {
  quiet();
  std::vector<std::string> names;
  hsize_t next = 0;
  const herr_t code = H5Aiterate2(
      object, H5_INDEX_NAME, H5_ITER_INC, &next,
      [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
        auto& list = *static_cast<std::vector<std::string>*>(out);
        list.emplace_back(name);
        return list.size() > most_names ? -1 : 0;
      },
      &names);
  if (code < 0) refuse(object, "", "its attributes cannot be listed: " + reason());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> member_names(hid_t group) {
  quiet();
  std::vector<std::string> names;
  hsize_t next = 0;
  const herr_t code = H5Literate(
      group, H5_INDEX_NAME, H5_ITER_INC, &next,
      [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
        auto& list = *static_cast<std::vector<std::string>*>(out);
        list.emplace_back(name);
        return list.size() > most_names ? -1 : 0;
      },
      &names);
  if (code < 0) refuse(group, "", "its members cannot be listed: " + reason());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace trilemma::h5
