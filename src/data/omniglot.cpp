#include "data/omniglot.hpp"

#include <png.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "base/text.hpp"
#include "data/data_file.hpp"
#include "data/zip.hpp"

namespace trilemma {
namespace {

// A drawing has no more than some hundred bytes.
constexpr std::size_t most_bytes_of_drawing = std::size_t{1} << 20U;

struct Drawing {
  std::string alphabet;
  int drawer = 0;
  int character = 0;  ///< from 0
  auto key() const { return std::tie(alphabet, drawer, character); }
};

// Returns two digits as a number; -1 if they are not digits.
int two_digits(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() != 2 || !is_digit(text[0]) || !is_digit(text[1])) return -1;
  return 10 * (text[0] - '0') + (text[1] - '0');
}

// Cuts off and returns the last part of a path; empty if no folder precedes it.
std::string_view cut_last(std::string_view& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view last = path.substr(slash + 1);
  path = path.substr(0, slash);
  return last;
}

// Parses [FOLDERS/]ALPHABET/characterNN/CCCC_DD.png; the name is known to end in .png.
Drawing parse_name(const std::string& file, const std::string& name) {
  constexpr std::string_view suffix = ".png";
  constexpr std::string_view prefix = "character";
  std::string_view path = std::string_view(name).substr(0, name.size() - suffix.size());
  const std::string_view image = cut_last(path);
  const std::string_view character = cut_last(path);
  const std::string_view alphabet = path.substr(path.rfind('/') + 1);
  const auto line = image.rfind('_');
  const bool has_number =
      line != std::string_view::npos && line > 0 && image.find_first_not_of("0123456789") == line;
  const int drawer = has_number ? two_digits(image.substr(line + 1)) : -1;
  const int number =
      character.starts_with(prefix) ? two_digits(character.substr(prefix.size())) : -1;
  require(!alphabet.empty() && drawer >= 0 && number >= 0,
          "{}: {} is not named ALPHABET/characterNN/CCCC_DD.png; is it another archive?", file,
          shown(name));
  require(number >= 1, "{}: {} is character 0 of its alphabet; they count from 1", file,
          shown(name));
  return {std::string(alphabet), drawer, number - 1};
}

std::vector<std::uint8_t> decode(const std::string& file, const ZipEntry& entry) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  std::vector<std::uint8_t> pixels(omniglot_side * omniglot_side);
  bool good =
      png_image_begin_read_from_memory(&image, entry.content.data(), entry.content.size()) != 0;
  if (good && (image.width != omniglot_side || image.height != omniglot_side)) {
    const auto width = image.width;
    const auto height = image.height;
    png_image_free(&image);
    throw UserError(fmt::format("{}: {} has {} x {} pixels, not {} x {}; is it another archive?",
                                file, shown(entry.name), width, height, omniglot_side,
                                omniglot_side));
  }
  image.format = PNG_FORMAT_GRAY;
  good = good && png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0;
  const std::string reason = image.message;
  png_image_free(&image);
  // What libpng only warns about is treated as damage.
  require(good && reason.empty(), "{}: {} cannot be decoded ({}); fetch the archive again", file,
          shown(entry.name), reason);
  return pixels;
}

// Returns the overlap of a pixel and a cell along one axis, where a pixel is `side` long and a cell
// omniglot_side.
std::size_t overlap(std::size_t pixel, std::size_t cell, std::size_t side) {
  const std::size_t first = std::max(pixel * side, cell * omniglot_side);
  const std::size_t last = std::min((pixel + 1) * side, (cell + 1) * omniglot_side);
  return last > first ? last - first : 0;
}

}  // namespace

std::vector<std::uint8_t> ink_shares(const std::vector<std::uint8_t>& pixels, std::size_t side) {
  std::vector<std::size_t> area(side * side, 0);
  for (std::size_t y = 0; y < omniglot_side; ++y)
    for (std::size_t x = 0; x < omniglot_side; ++x) {
      if (pixels[y * omniglot_side + x] >= 128) continue;
      // A pixel is not longer than a cell, so it overlaps at most two cells along an axis.
      for (std::size_t row = y * side / omniglot_side; row < side; ++row) {
        const std::size_t height = overlap(y, row, side);
        if (height == 0) break;
        for (std::size_t column = x * side / omniglot_side; column < side; ++column) {
          const std::size_t width = overlap(x, column, side);
          if (width == 0) break;
          area[row * side + column] += height * width;
        }
      }
    }
  constexpr std::size_t whole = omniglot_side * omniglot_side;
  std::vector<std::uint8_t> shares;
  for (const std::size_t ink : area)
    shares.push_back(static_cast<std::uint8_t>((255 * ink + whole / 2) / whole));
  return shares;
}

namespace {

// Returns the drawings of an archive, in the order of their names.
std::vector<Drawing> drawings_of(const std::string& file, const ZipArchive& archive, int classes) {
  std::vector<Drawing> drawings;
  for (const auto& name : archive.names()) {
    drawings.push_back(parse_name(file, name));
    require(drawings.back().character < classes,
            "{}: {} is character {} of its alphabet, but data.classes = {}; raise data.classes",
            file, shown(name), drawings.back().character + 1, classes);
  }
  return drawings;
}

// Returns positions sorted by alphabet, drawer and character.
std::vector<std::size_t> sorted_places(const std::string& file, const ZipArchive& archive,
                                       const std::vector<Drawing>& drawings) {
  std::vector<std::size_t> order(drawings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return drawings[a].key() < drawings[b].key();
  });
  for (std::size_t i = 1; i < order.size(); ++i)
    require(drawings[order[i - 1]].key() != drawings[order[i]].key(),
            "{}: {} and {} are the same drawing: it would count twice; take one out", file,
            shown(archive.names()[order[i - 1]]), shown(archive.names()[order[i]]));
  return order;
}

Dataset read_archive(const std::string& file, std::size_t side, int classes) {
  const ZipArchive archive(file, ".png");
  const auto drawings = drawings_of(file, archive, classes);
  const auto order = sorted_places(file, archive, drawings);
  std::vector<std::vector<std::uint8_t>> shares;
  archive.each(most_bytes_of_drawing, [&](const ZipEntry& entry) {
    shares.push_back(ink_shares(decode(file, entry), side));
  });
  std::map<std::pair<std::string, int>, std::uint32_t> users;
  Dataset data;
  data.classes = classes;
  DenseRows rows;
  rows.columns = side * side;
  for (const auto place : order) {
    const Drawing& drawing = drawings[place];
    rows.byte.insert(rows.byte.end(), shares[place].begin(), shares[place].end());
    data.label.push_back(drawing.character);
    data.user.push_back(
        users.emplace(std::pair(drawing.alphabet, drawing.drawer), users.size()).first->second);
  }
  data.rows = std::move(rows);
  return data;
}

}  // namespace

Dataset read_omniglot(const std::string& file, std::size_t side, int classes) {
  return reading(file, [&] { return read_archive(file, side, classes); });
}

int omniglot_classes(const std::string& file) {
  int classes = 0;
  const ZipArchive archive(file, ".png");
  for (const auto& name : archive.names())
    classes = std::max(classes, parse_name(file, name).character + 1);
  return classes;
}

}  // namespace trilemma
