#pragma once

#include <string>

#include "data/dataset.hpp"

namespace trilemma {

/// Reads a ZIP archive of Omniglot: images .../ALPHABET/characterNN/CCCC_DD.png, 105 x 105 pixels,
/// ink 0. Features are the shares of ink in the cells of a grid of side x side (bytes over 255,
/// rounded; cells cut pixels where 105 is not a multiple), the label is NN - 1 inside its alphabet,
/// and a user is an alphabet with a drawer DD, sorted by both: records are in this order too.
/// Refuses, with archive and image: other names, what is no PNG of this size, labels of `classes`
/// or more.
Dataset read_omniglot(const std::string& file, std::size_t side, int classes);

/// The characters of the longest alphabet, by the names of the images.
int omniglot_classes(const std::string& file);

/// Ink in each cell of a side x side grid over a square image of 105 x 105 grey bytes, 0 = ink.
std::vector<std::uint8_t> ink_shares(const std::vector<std::uint8_t>& pixels, std::size_t side);

inline constexpr std::size_t omniglot_side = 105;

}  // namespace trilemma
