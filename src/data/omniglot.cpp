#include "data/omniglot.hpp"

#include <png.h>

#include <algorithm>
#include <map>
#include <regex>
#include <tuple>

#include "core/check.hpp"
#include "data/zip.hpp"

namespace trilemma {
namespace {

struct Drawing {
  std::string alphabet;
  int drawer = 0;
  int character = 0;  ///< from 0
  const ZipEntry* entry = nullptr;
};

Drawing parse_name(const std::string& file, const ZipEntry& entry) {
  static const std::regex form(R"((?:.*/)?([^/]+)/character(\d{2})/\d+_(\d{2})\.png)");
  std::smatch part;
  require(std::regex_match(entry.name, part, form),
          "{}: {} is not named ALPHABET/characterNN/CCCC_DD.png; is it another archive?", file,
          entry.name);
  return {part[1], std::stoi(part[3]), std::stoi(part[2]) - 1, &entry};
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
                                file, entry.name, width, height, omniglot_side, omniglot_side));
  }
  image.format = PNG_FORMAT_GRAY;
  good = good && png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0;
  const std::string reason = image.message;
  png_image_free(&image);
  // What libpng only warns of is damage here.
  require(good && reason.empty(), "{}: {} cannot be decoded ({}); fetch the archive again", file,
          entry.name, reason);
  return pixels;
}

// By how much the pixel and the cell of a line overlap, where a pixel is `side` long and a cell
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
      // A pixel is no longer than a cell: it lies in two cells of a line at most.
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

Dataset read_omniglot(const std::string& file, std::size_t side, int classes) {
  const auto entries = read_zip(file, ".png");
  std::vector<Drawing> drawings;
  for (const auto& entry : entries) drawings.push_back(parse_name(file, entry));
  std::sort(drawings.begin(), drawings.end(), [](const Drawing& a, const Drawing& b) {
    return std::tie(a.alphabet, a.drawer, a.character, a.entry->name) <
           std::tie(b.alphabet, b.drawer, b.character, b.entry->name);
  });
  std::map<std::pair<std::string, int>, std::uint32_t> users;
  Dataset data;
  data.classes = classes;
  DenseRows rows;
  rows.columns = side * side;
  for (const auto& drawing : drawings) {
    require(drawing.character >= 0 && drawing.character < classes,
            "{}: {} is character {} of its alphabet, but data.classes = {}; raise data.classes",
            file, drawing.entry->name, drawing.character + 1, classes);
    const auto shares = ink_shares(decode(file, *drawing.entry), side);
    rows.byte.insert(rows.byte.end(), shares.begin(), shares.end());
    data.label.push_back(drawing.character);
    data.user.push_back(
        users.emplace(std::pair(drawing.alphabet, drawing.drawer), users.size()).first->second);
  }
  data.rows = std::move(rows);
  return data;
}

}  // namespace trilemma
