#include "tests/fuzz/change_hdf5.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "h5/h5.hpp"
#include "record/content_sum.hpp"
#include "tests/fuzz/change_bytes.hpp"
#include "tests/fuzz/odd_hdf5.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::fuzz {
namespace {

using h5::Handle;

// --- bytes -------------------------------------------------------------------------------------

// A length or an address, where there is one: they lie at multiples of eight.
void set_word(std::string& bytes, Stream& stream) {
  const std::vector<std::uint64_t> odd = {
      0, 1, ~0ULL, 1ULL << 63U, 1ULL << 32U, 0xFFFFFFFFULL, 1ULL << 56U, stream.word()};
  const std::uint64_t value = one_of(odd, stream);
  const std::size_t place = pick(stream, bytes.size()) / 8 * 8;
  for (std::size_t i = 0; i < 8 && place + i < bytes.size(); ++i)
    bytes[place + i] = static_cast<char>(value >> (8 * i) & 0xFFU);
}

void change_places(std::string& bytes, Stream& stream) {
  if (bytes.empty()) return;
  const std::size_t at = pick(stream, bytes.size());
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (stream.below(8)) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      std::fill_n(place, std::min<std::size_t>(bytes.size() - at, 1 + stream.below(4096)), '\0');
      break;
    case 2:
    case 3:
      set_word(bytes, stream);
      break;
    case 4:
      bytes.replace(at, std::min<std::size_t>(bytes.size() - at, 1 + stream.below(512)),
                    bytes.substr(pick(stream, bytes.size()), 1 + stream.below(512)));
      break;
    default:
      for (std::size_t count = 1 + stream.below(4); count > 0; --count)
        bytes[pick(stream, bytes.size())] = static_cast<char>(stream.below(256));
  }
}

// --- parts -------------------------------------------------------------------------------------

std::vector<std::string> objects(const h5::File& file) {
  std::vector<std::string> names{"/"};
  H5Lvisit(
      file.id(), H5_INDEX_NAME, H5_ITER_NATIVE,
      [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->emplace_back(name);
        return 0;
      },
      &names);
  return names;
}

std::vector<std::string> attributes(hid_t object) {
  std::vector<std::string> names;
  hsize_t next = 0;
  H5Aiterate2(
      object, H5_INDEX_NAME, H5_ITER_INC, &next,
      [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->emplace_back(name);
        return 0;
      },
      &names);
  return names;
}

// --- structure ---------------------------------------------------------------------------------

// An attribute of any type and extents; some stay unwritten.
void make_odd_attribute(hid_t object, const std::string& name, Stream& stream) {
  const Handle type = odd_type(stream);
  auto extents = odd_extents(stream);
  constexpr hsize_t most = 7000;
  if (extents.size() > 1 || (!extents.empty() && extents[0] > most)) extents = {most};
  const Handle space =
      stream.below(8) == 0 ? Handle(H5Screate(H5S_NULL), H5Sclose, "space") : space_of(extents);
  const hid_t made =
      H5Acreate2(object, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT);
  if (made < 0) return;
  const Handle handle(made, H5Aclose, name);
  const std::vector<char> zeros((most + 1) * std::max<std::size_t>(16, H5Tget_size(type.get())));
  if (stream.below(3) > 0) H5Awrite(made, type.get(), zeros.data());
}

void change_attribute(const h5::File& file, Stream& stream) {
  const h5::Group object(Handle(
      H5Oopen(file.id(), one_of(objects(file), stream).c_str(), H5P_DEFAULT), H5Oclose, "object"));
  const auto names = attributes(object.id());
  if (names.empty()) return;
  const std::string& name = one_of(names, stream);
  const std::uint32_t way = stream.below(8);
  const auto value = way < 5 ? object.attribute(name) : h5::Value();
  object.remove_attribute(name);
  if (way < 2) {
    object.set_attribute(name, odd_number(stream));
  } else if (way < 5) {
    const auto* text = std::get_if<std::string>(&value);
    object.set_attribute(name, odd_text(text == nullptr ? "1" : *text, stream));
  } else if (way < 7) {
    make_odd_attribute(object.id(), name, stream);
  }
}

// The experiment of a run file; its configuration is what `verify` reads again.
void change_config(const h5::File& file, Stream& stream) {
  if (H5Lexists(file.id(), "config", H5P_DEFAULT) <= 0) return;
  const std::string config = odd_text(file.read_text("config"), stream);
  file.remove_member("config");
  file.write_text("config", config, "experiment");
}

void change_numbers(const h5::File& file, Stream& stream) {
  const hid_t set = H5Dopen2(file.id(), one_of(objects(file), stream).c_str(), H5P_DEFAULT);
  if (set < 0) return;
  const h5::Dataset dataset(Handle(set, H5Dclose, "data set"));
  constexpr hssize_t most = 100000;
  const Handle space(H5Dget_space(set), H5Sclose, "space");
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count <= 0 || count > most || dataset.kind() == h5::Kind::text) return;
  std::vector<double> values(static_cast<std::size_t>(count));
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  values[pick(stream, values.size())] = odd_number(stream);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

void make_odd_dataset(const h5::File& file, const std::string& name, Stream& stream) {
  const Handle type = odd_type(stream);
  const auto extents = odd_extents(stream);
  const Handle space = space_of(extents);
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "list");
  switch (stream.below(4)) {
    case 0:
      H5Pset_external(list.get(), "/dev/zero", 0, H5F_UNLIMITED);
      break;
    case 1:
      H5Pset_virtual(list.get(), space.get(), "whole.h5", name.c_str(), space.get());
      break;
    default: {
      const std::vector<hsize_t> chunk(std::max<std::size_t>(1, extents.size()), 16);
      if (!extents.empty()) H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
      if (stream.below(3) == 0) H5Pset_deflate(list.get(), 9);
    }
  }
  const hid_t made = H5Dcreate2(file.id(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                list.get(), H5P_DEFAULT);
  if (made >= 0) H5Dclose(made);
}

// Something else, or nothing, under the name of a member.
void replace_member(const h5::File& file, Stream& stream) {
  const std::string name = one_of(objects(file), stream);
  if (name == "/") return;
  H5Ldelete(file.id(), name.c_str(), H5P_DEFAULT);
  switch (stream.below(8)) {
    case 0:
      break;
    case 1:
      H5Lcreate_soft("/config", file.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      break;
    case 2:
      H5Lcreate_external("whole.h5", name.c_str(), file.id(), name.c_str(), H5P_DEFAULT,
                         H5P_DEFAULT);
      break;
    case 3:
      H5Lcreate_hard(file.id(), "/", file.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      break;
    default:
      make_odd_dataset(file, name, stream);
  }
}

void change_extents(const h5::File& file, Stream& stream) {
  const hid_t set = H5Dopen2(file.id(), one_of(objects(file), stream).c_str(), H5P_DEFAULT);
  if (set < 0) return;
  const Handle handle(set, H5Dclose, "data set");
  const Handle space(H5Dget_space(set), H5Sclose, "space");
  std::vector<hsize_t> extents(
      static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
  if (extents.empty()) return;
  H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  hsize_t& extent = extents[pick(stream, extents.size())];
  const std::vector<hsize_t> odd = {0,           1,           3,           extent + 1,
                                    1ULL << 20U, 1ULL << 32U, 1ULL << 56U, 1ULL << 62U};
  extent = one_of(odd, stream);
  H5Dset_extent(set, extents.data());
}

void swap_members(const h5::File& file, Stream& stream) {
  const auto names = objects(file);
  const std::string &one = one_of(names, stream), &other = one_of(names, stream);
  if (H5Lmove(file.id(), one.c_str(), file.id(), "aside", H5P_DEFAULT, H5P_DEFAULT) < 0) return;
  H5Lmove(file.id(), other.c_str(), file.id(), one.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  H5Lmove(file.id(), "aside", file.id(), other.c_str(), H5P_DEFAULT, H5P_DEFAULT);
}

void change_structure(const std::string& path, Stream& stream) {
  constexpr void (*ways[])(const h5::File&, Stream&) = {
      change_attribute, change_attribute, change_config, change_numbers,
      replace_member,   change_extents,   swap_members};
  const h5::File file = h5::File::change(path);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  for (std::size_t count = 1 + stream.below(2); count > 0; --count)
    ways[pick(stream, std::size(ways))](file, stream);
  if (stream.below(3) > 0 || !file.has_attribute(content_sum_attribute)) return;
  file.set_attribute(content_sum_attribute, content_sum(file));
}

// The library may break down while it writes what it should not: the file stays as it is then.
void change_in_a_child(const std::string& path, Stream& stream) {
  const pid_t child = fork();
  if (child != 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  const rlimit seconds{20, 20};
  setrlimit(RLIMIT_CPU, &seconds);
  dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
  try {
    change_structure(path, stream);
  } catch (const std::exception&) {
    _exit(1);  // what is there to be changed is too odd already
  }
  _exit(0);
}

}  // namespace

std::string change_hdf5(std::string input, const std::vector<std::string>&, Stream& stream) {
  const bool is_forged = stream.below(2) == 0;
  if (is_forged) {
    const testing::TempFolder folder;
    change_in_a_child(folder.write("a.h5", input), stream);
    const auto bytes = testing::bytes_of(folder.at("a.h5"));
    input.assign(bytes.begin(), bytes.end());
  }
  if (!is_forged || stream.below(4) == 0) change_places(input, stream);
  return input;
}

}  // namespace trilemma::fuzz
