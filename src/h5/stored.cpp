#include "h5/stored.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"

namespace trilemma::h5 {
namespace {

constexpr std::size_t longest_text = std::size_t{1} << 24U;
constexpr hsize_t largest_packed_chunk = hsize_t{1} << 28U;
// A data set may be this many times as large as its values on the disk: after a restart on more
// ranks, times of the earlier rounds are missing.
constexpr hsize_t most_ranks = 64;
// Largest compression factor of deflate.
constexpr hsize_t largest_packing = 1040;

// Returns a * b, or the largest number if the product is larger.
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

bool is_packed(hid_t list) { return H5Pget_nfilters(list) > 0; }

}  // namespace

std::string missing(hid_t parent, const std::string& name) {
  quiet();
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('/', end + 1);
    const std::string part = name.substr(0, end);
    H5L_info_t info;
    if (H5Lexists(parent, part.c_str(), H5P_DEFAULT) <= 0) return part;
    if (H5Lget_info(parent, part.c_str(), &info, H5P_DEFAULT) < 0)
      refuse(parent, part, "cannot be read: " + reason());
    if (info.type != H5L_TYPE_HARD) refuse(parent, part, "a link instead of the data");
  }
  return {};
}

namespace {

// Returns the first part of the way from `parent` to `name` that is no hard link; empty if all are,
// or if the rest is missing.
std::string first_link(hid_t parent, const std::string& name, H5L_info_t& info) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('/', end + 1);
    const std::string part = name.substr(0, end);
    if (H5Lexists(parent, part.c_str(), H5P_DEFAULT) <= 0) return {};
    if (H5Lget_info(parent, part.c_str(), &info, H5P_DEFAULT) < 0)
      refuse(parent, part, "cannot be read: " + reason());
    if (info.type != H5L_TYPE_HARD) return part;
  }
  return {};
}

}  // namespace

std::string followed(hid_t file, std::string name) {
  constexpr int most_links = 16;
  quiet();
  for (int links = 0; links <= most_links; ++links) {
    H5L_info_t info;
    const std::string part = first_link(file, name, info);
    if (part.empty()) return name;
    if (info.type != H5L_TYPE_SOFT) refuse(file, part, "a link to another file");
    std::string target(info.u.val_size, '\0');
    check(H5Lget_val(file, part.c_str(), target.data(), target.size(), H5P_DEFAULT), "read a link");
    target.resize(target.find('\0'));
    const std::string folder = part.substr(0, part.rfind('/') + 1);
    const std::string rest = name.substr(part.size());
    name = (target.starts_with('/') ? target.substr(1) : folder + target) + rest;
    if (name.empty()) refuse(file, part, "a link to the whole file");
  }
  refuse(file, name, "its links lead to each other");
}

bool is_half(const Handle& type) {
  constexpr std::size_t sign = 15, exponent = 10, exponent_bits = 5, mantissa = 0;
  const Handle half(H5Tcopy(H5T_IEEE_F32LE), H5Tclose, "make a type");
  check(H5Tset_fields(half.get(), sign, exponent, exponent_bits, mantissa, exponent),
        "make a type");
  check(H5Tset_size(half.get(), 2), "make a type");
  check(H5Tset_ebias(half.get(), 15), "make a type");
  if (H5Tequal(type.get(), half.get()) > 0) return true;
  check(H5Tset_order(half.get(), H5T_ORDER_BE), "make a type");
  return H5Tequal(type.get(), half.get()) > 0;
}

bool is_boolean(const Handle& type) {
  if (H5Tget_class(type.get()) != H5T_ENUM || H5Tget_size(type.get()) != 1 ||
      H5Tget_nmembers(type.get()) != 2)
    return false;
  const Handle base(H5Tget_super(type.get()), H5Tclose, "look at a type");
  for (const auto& [name, expected] : {std::pair("FALSE", 0), std::pair("TRUE", 1)}) {
    signed char value = -1;
    if (H5Tenum_valueof(type.get(), name, &value) < 0 || value != expected) return false;
  }
  return H5Tget_class(base.get()) == H5T_INTEGER;
}

void check_way(hid_t parent, const std::string& name) {
  const std::string part = missing(parent, name);
  if (!part.empty()) refuse(parent, part, "is missing");
}

void check_layout(hid_t dataset) {
  const Handle list(H5Dget_create_plist(dataset), H5Pclose, "look at a data set");
  if (H5Pget_external_count(list.get()) != 0 || H5Pget_layout(list.get()) == H5D_VIRTUAL)
    refuse(dataset, "", "its data lie in other files");
  const int filters = H5Pget_nfilters(list.get());
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t count = 0;
    char filter_name[64] = "";
    const H5Z_filter_t filter = H5Pget_filter2(list.get(), static_cast<unsigned>(i), &flags, &count,
                                               nullptr, sizeof filter_name, filter_name, &config);
    filter_name[sizeof filter_name - 1] = '\0';
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
        filter != H5Z_FILTER_FLETCHER32)
      refuse(dataset, "",
             fmt::format("packed by the unknown filter {}{}", filter,
                         *filter_name == '\0' ? "" : fmt::format(" ({})", filter_name)));
  }
  if (H5Pget_layout(list.get()) != H5D_CHUNKED || filters == 0) return;
  std::vector<hsize_t> chunk(H5S_MAX_RANK);
  chunk.resize(
      static_cast<std::size_t>(std::max(0, H5Pget_chunk(list.get(), H5S_MAX_RANK, chunk.data()))));
  if (product(chunk, 1) > largest_packed_chunk)
    refuse(dataset, "", "packed in chunks that are too large");
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
  refuse(object, name, "neither text nor numbers of at most 64 bits");
}

Extents stored_extents(hid_t dataset, std::uint64_t most_missing) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "look at a data set");
  const Handle type(H5Dget_type(dataset), H5Tclose, "look at a data set");
  const Handle list(H5Dget_create_plist(dataset), H5Pclose, "look at a data set");
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) refuse(dataset, "", "it has no values");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  std::vector<hsize_t> found(static_cast<std::size_t>(std::max(0, rank)));
  check(H5Sget_simple_extent_dims(space.get(), found.data(), nullptr), "look at a data set");
  hsize_t on_disk = H5Dget_storage_size(dataset);
  hsize_t of_file = 0;
  const Handle file(H5Iget_file_id(dataset), H5Fclose, "measure a file");
  check(H5Fget_filesize(file.get(), &of_file), "measure a file");
  if (on_disk > of_file) refuse(dataset, "", "larger than the file");
  if (is_packed(list.get())) on_disk = product(on_disk, largest_packing);
  const hsize_t size = H5Tget_size(type.get());
  const hsize_t wanted = product(found, size);
  const bool is_there = wanted <= on_disk || (most_missing > 0 && wanted / most_ranks <= on_disk) ||
                        product(found, 1) <= most_missing;
  if (!is_there)
    refuse(dataset, "", fmt::format("{} bytes where the file has {}", wanted, on_disk));
  return {found.begin(), found.end()};
}

namespace {

// Returns a text of fixed length without its padding.
std::string unpadded(const char* text, std::size_t size, const Handle& type) {
  std::string out(text, size);
  if (H5Tget_strpad(type.get()) == H5T_STR_NULLTERM) return out.substr(0, out.find('\0'));
  const char pad = H5Tget_strpad(type.get()) == H5T_STR_SPACEPAD ? ' ' : '\0';
  return out.substr(0, out.find_last_not_of(pad) + 1);
}

}  // namespace

std::vector<std::string> texts_of(const Handle& type, std::size_t count,
                                  const std::function<void(hid_t, void*)>& read) {
  std::vector<std::string> out;
  out.reserve(count);
  if (H5Tis_variable_str(type.get()) > 0) {
    const Handle memory = text_type();
    check(H5Tset_cset(memory.get(), H5Tget_cset(type.get())), "set a character set");
    std::vector<char*> pointers(count, nullptr);
    read(memory.get(), pointers.data());
    for (char* text : pointers) {
      out.emplace_back(text == nullptr ? "" : text);
      H5free_memory(text);
    }
    return out;
  }
  const std::size_t size = H5Tget_size(type.get());
  std::vector<char> bytes(count * size);
  read(type.get(), bytes.data());
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(unpadded(bytes.data() + i * size, size, type));
  return out;
}

std::vector<std::string> sorted_names(
    const std::function<herr_t(std::vector<std::string>&)>& iterate, hid_t object,
    const std::string& problem) {
  quiet();
  std::vector<std::string> names;
  if (iterate(names) < 0) refuse(object, "", problem + ": " + reason());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace trilemma::h5
