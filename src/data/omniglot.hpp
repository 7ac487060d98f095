#pragma once

#include <string>

#include "data/dataset.hpp"

namespace trilemma {

/// Reads a ZIP archive of Omniglot: images .../ALPHABET/characterNN/CCCC_DD.png, 105 x 105 pixels,
/// ink 0. Features are the shares of ink in the cells of a side x side grid (bytes over 255,
/// rounded; cells divide pixels where 105 is not a multiple of `side`). The label is NN - 1 within
/// its alphabet. A user is a pair of alphabet and drawer DD; users and records are sorted by
/// alphabet, drawer and character. Refuses, naming archive and image: other names, files that are
/// not PNG of this size, labels of `classes` or more.
Dataset read_omniglot(const std::string& file, std::size_t side, int classes);

/// Returns the number of characters of the longest alphabet, from the names of the images.
int omniglot_classes(const std::string& file);

/// Returns the share of ink in each cell of a side x side grid over a square image of 105 x 105
/// grey bytes, 0 = ink.
std::vector<std::uint8_t> ink_shares(const std::vector<std::uint8_t>& pixels, std::size_t side);

inline constexpr std::size_t omniglot_side = 105;

}  // namespace trilemma
