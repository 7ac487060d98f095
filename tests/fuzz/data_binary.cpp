// Data as bytes: IDX, CIFAR, the drawings of Omniglot.

#include <zlib.h>

#include <algorithm>

#include "tests/fuzz/change_bytes.hpp"
#include "tests/fuzz/data_check.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/idx_files.hpp"

namespace trilemma::fuzz {
namespace {

using testing::TempFolder;

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

std::string packed(const std::string& input) {
  return text_of(
      testing::gzip({reinterpret_cast<const std::uint8_t*>(input.data()), input.size()}));
}

std::vector<std::uint8_t> counting(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i % 3);
  return bytes;
}

// --- IDX ---------------------------------------------------------------------------------------

std::string images() { return text_of(testing::idx_bytes({0x803, 4, 2, 3}, counting(24))); }
std::string labels() { return text_of(testing::idx_bytes({0x801, 4}, counting(4))); }

void load_idx(const std::string& of_images, const std::string& of_labels, const std::string& shape,
              const TempFolder& folder) {
  folder.write("i", of_images);
  folder.write("l", of_labels);
  load("idx", "images = 'i'\nlabels = 'l'\ntest_images = ''\n" + shape, folder);
}

void read_images(const std::string& input, const TempFolder& folder) {
  load_idx(input, labels(), "", folder);
}

void read_labels(const std::string& input, const TempFolder& folder) {
  load_idx(images(), input, "", folder);
}

void read_packed_images(const std::string& input, const TempFolder& folder) {
  load_idx(packed(input), labels(), "features = 6\nclasses = 3", folder);
}

// --- Arrays -------------------------------------------------------------------------------------

std::string numpy(const std::string& type, const std::string& order, const std::string& shape,
                  std::size_t bytes) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' + text_of(counting(bytes));
}

void read_array(const std::string& input, const TempFolder& folder) {
  folder.write("x.npy", input);
  folder.write("y.npy", numpy("|u1", "False", "4,", 4));
  load("arrays", "train = 'x.npy'\nlabels = 'y.npy'", folder);
}

void read_array_of_labels(const std::string& input, const TempFolder& folder) {
  folder.write("x.npy", numpy("|u1", "False", "4, 3", 12));
  folder.write("y.npy", input);
  load("arrays", "train = 'x.npy'\nlabels = 'y.npy'\nusers = 'y.npy'", folder);
}

void read_array_archive(const std::string& input, const TempFolder& folder) {
  folder.write("a.npz", input);
  load("arrays", "train = 'a.npz'\nscaling = 'none'", folder);
}

// --- CIFAR -------------------------------------------------------------------------------------

void read_cifar(const std::string& input, const TempFolder& folder) {
  folder.write("c.bin", input);
  load("cifar", "train = 'c.bin'\ntest = 'c.bin'", folder);
}

void read_cifar100(const std::string& input, const TempFolder& folder) {
  folder.write("c.bin", input);
  load("cifar100", "train = 'c.bin'\ntest = []", folder);
}

// --- Omniglot ----------------------------------------------------------------------------------

constexpr const char* first_name = "all/Latin/character01/0101_01.png";
constexpr const char* second_name = "all/Latin/character02/0102_01.png";

const std::string& drawing() {
  static const std::string image = [] {
    std::vector<std::uint8_t> pixels(std::size_t{105} * 105, 255);
    std::fill(pixels.begin() + 1000, pixels.begin() + 1200, 0);
    return testing::png(pixels, 105);
  }();
  return image;
}

void load_drawings(const TempFolder& folder) {
  load("omniglot", "images = 'a.zip'\nside = 5", folder);
}

void read_archive(const std::string& input, const TempFolder& folder) {
  folder.write("a.zip", input);
  load_drawings(folder);
}

// The input up to a zero as a name inside the archive.
void read_name(const std::string& input, const TempFolder& folder) {
  const std::string name = input.substr(0, std::min(input.find('\0'), std::size_t{60'000}));
  if (name.empty() || name == second_name) throw UserError("no name of its own");
  try {
    testing::write_zip(folder.at("a.zip"), {{name, drawing()}, {second_name, drawing()}});
  } catch (const std::runtime_error&) {
    throw UserError("no name for libzip");
  }
  load_drawings(folder);
}

// Puts right the sums over the chunks of a PNG, so that what they say is believed.
std::string with_sums(std::string image) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(image[at]); };
  for (std::size_t at = 8; at + 12 <= image.size();) {
    const std::size_t size = std::size_t{byte(at)} << 24U | std::size_t{byte(at + 1)} << 16U |
                             std::size_t{byte(at + 2)} << 8U | byte(at + 3);
    if (size > image.size() - at - 12) break;
    const auto* chunk = reinterpret_cast<const Bytef*>(image.data() + at + 4);
    const auto sum = crc32(0, chunk, static_cast<uInt>(size + 4));
    for (std::size_t i = 0; i < 4; ++i)
      image[at + 8 + size + i] = static_cast<char>(sum >> (24 - 8 * i));
    at += 12 + size;
  }
  return image;
}

void read_image(const std::string& input, const TempFolder& folder) {
  testing::write_zip(folder.at("a.zip"),
                     {{first_name, with_sums(input)}, {second_name, drawing()}});
  load_drawings(folder);
}

}  // namespace

Harness arrays_harness() {
  const std::string images = numpy("|u1", "False", "4, 2, 2, 3", 48);
  return {{numpy("|i1", "True", "4, 3", 12), numpy("<u2", "False", "4,", 8), images,
           testing::zip_bytes({{"X.npy", images}, {"y.npy", numpy("|u1", "False", "4,", 4)}})},
          {read_array, read_array_of_labels, read_array_archive},
          change_bytes};
}

Harness idx_harness() {
  return {{images(), labels(), packed(images())},
          {read_images, read_labels, read_packed_images},
          change_bytes};
}

Harness cifar_harness() {
  const std::string record = "\3" + text_of(counting(3072));
  return {{record, record + record, "\1" + record}, {read_cifar, read_cifar100}, change_bytes};
}

Harness omniglot_harness() {
  const std::string archive =
      testing::zip_bytes({{first_name, drawing()}, {second_name, drawing()}});
  return {{archive, first_name, "a/b/character01/1_01.png", drawing()},
          {read_archive, read_name, read_image},
          change_bytes};
}

}  // namespace trilemma::fuzz
