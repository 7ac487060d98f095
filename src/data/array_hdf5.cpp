// Arrays in HDF5 files, which are read in a subprocess, since the HDF5 library crashes on some
// damaged files.

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/array_files.hpp"
#include "data/data_file.hpp"
#include "data/hdf5_subprocess.hpp"
#include "h5/h5.hpp"
#include "machine/limits.hpp"

namespace trilemma {
namespace {

// Result of the subprocess: values in the byte order of this machine.
struct FoundArray {
  ItemKind kind = ItemKind::natural;
  std::vector<std::uint64_t> shape;
  std::uint64_t item = 1;
  std::vector<std::uint8_t> values;

  void persist(State& state) {
    state.value(kind);
    state.values(shape);
    state.value(item);
    state.values(values);
  }
};

template <class T>
void take_numbers(const h5::Dataset& dataset, const h5::Extents& extents, ItemKind kind,
                  FoundArray& found) {
  found.kind = kind;
  found.item = sizeof(T);
  std::uint64_t count = 1;
  for (const auto extent : extents) count *= extent;
  found.values.resize(static_cast<std::size_t>(count) * sizeof(T));
  dataset.read_into(extents, 0, extents[0], h5::number_of<T>(), found.values.data());
}

// Pads each text with zeros to the length of the longest.
void take_texts(const std::vector<std::string>& texts, FoundArray& found) {
  std::size_t longest = 1;
  for (const auto& text : texts) longest = std::max(longest, text.size());
  found.kind = ItemKind::bytes;
  found.item = longest;
  found.values.assign(longest * texts.size(), 0);
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(),
              found.values.begin() + static_cast<std::ptrdiff_t>(i * longest));
}

double count_of(const h5::Extents& extents) {
  double count = 1;
  for (const auto extent : extents) count *= static_cast<double>(extent);
  return count;
}

// Returns the bytes that a value takes in memory: integers of more than one byte become 64 bits.
double stored_bytes(h5::Kind kind, std::size_t size) {
  const bool is_kept = kind == h5::Kind::text ||
                       (kind == h5::Kind::floating && size == sizeof(float)) ||
                       (kind == h5::Kind::natural && size == 1);
  return is_kept ? static_cast<double>(size) : sizeof(double);
}

FoundArray find_array(const std::string& path, const std::string& name) {
  const h5::File file = h5::File::open(path);
  const std::string followed = file.followed(name);
  const h5::Dataset dataset = file.open_dataset(followed);
  const auto extents = dataset.stored_extents();
  require(!extents.empty() && extents[0] > 0, "{}:{}: not one value by record", path, name);
  FoundArray found;
  found.shape.assign(extents.begin(), extents.end());
  const bool is_boolean = dataset.is_boolean(), is_half = dataset.is_half();
  const h5::Kind kind = is_boolean ? h5::Kind::natural
                        : is_half  ? h5::Kind::floating
                                   : dataset.kind();
  const std::size_t size = dataset.value_size();
  // Counts twice: the values, and the result that is sent to this process.
  const double most = 2 * stored_bytes(kind, size) * count_of(extents);
  require_memory(fmt::format("{}:{}", path, shown(name)), most, "take fewer records");
  if (kind == h5::Kind::text)
    take_texts(file.read_texts(followed), found);
  else if (kind == h5::Kind::floating && size <= sizeof(float))
    take_numbers<float>(dataset, extents, ItemKind::floating, found);
  else if (kind == h5::Kind::floating)
    take_numbers<double>(dataset, extents, ItemKind::floating, found);
  else if (kind == h5::Kind::natural && size == 1)
    take_numbers<std::uint8_t>(dataset, extents, ItemKind::natural, found);
  else if (kind == h5::Kind::natural)
    take_numbers<std::uint64_t>(dataset, extents, ItemKind::natural, found);
  else
    take_numbers<std::int64_t>(dataset, extents, ItemKind::integer, found);
  if (is_boolean) found.kind = ItemKind::boolean;
  return found;
}

constexpr const char* remedy = "load the array with h5py and save it with numpy.savez";

struct FoundNames {
  std::string lines;
  void persist(State& state) { state.values(lines); }
};

void add_names(const h5::Group& group, const std::string& before, int depth, std::string& lines) {
  constexpr int deepest = 4;
  for (const auto& name : group.member_names()) {
    // A link is not followed: its file may be missing.
    if (group.is_link(name) || !group.is_group(name))
      lines += before + name + '\n';
    else if (depth < deepest)
      add_names(group.open_group(name), before + name + '/', depth + 1, lines);
  }
}

class Hdf5Arrays final : public ArrayFile {
 public:
  explicit Hdf5Arrays(std::string path) : path_(std::move(path)) {
    const auto found = found_in_hdf5(path_, remedy, [&] {
      FoundNames names;
      const h5::File file = h5::File::open(path_);
      add_names(file, "", 0, names.lines);
      return names;
    });
    for (std::size_t at = 0; at < found.lines.size();) {
      const std::size_t end = found.lines.find('\n', at);
      names_.push_back(found.lines.substr(at, end - at));
      at = end + 1;
    }
    require(!names_.empty(), "{}: an HDF5 file without arrays; is it another file?", path_);
  }
  std::vector<std::string> names() const override { return names_; }
  RawArray open(const std::string& name) const override {
    const auto found = std::make_shared<FoundArray>(reading(path_, [&] {
      return found_in_hdf5(path_, remedy, [&] { return find_array(path_, name); });
    }));
    RawArray array;
    array.place = path_ + ":" + shown(name);
    array.kind = found->kind;
    array.item = static_cast<std::size_t>(found->item);
    array.shape.assign(found->shape.begin(), found->shape.end());
    array.held = found->values.size();
    array.read = [found, at = std::make_shared<std::size_t>(0)](void* to, std::size_t count) {
      expect(*at + count <= found->values.size(), "an array is read to its end");
      std::memcpy(to, found->values.data() + *at, count);
      *at += count;
    };
    return array;
  }

 private:
  std::string path_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<ArrayFile> open_hdf5_arrays(const std::string& path) {
  return std::make_unique<Hdf5Arrays>(path);
}

}  // namespace trilemma
