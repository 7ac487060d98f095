#pragma once
// Random changes of an input, the same for the same stream.

#include <string>
#include <vector>

#include "numeric/random.hpp"

namespace trilemma::fuzz {

/// A number below `bound`, which may be 0.
std::size_t pick(Stream& stream, std::size_t bound);

/// Changes the input in one to eight places: bits, bytes, numbers in text and in binary, pieces
/// that are cut out, repeated or taken from another input of the corpus, long runs of one word.
std::string change_bytes(std::string input, const std::vector<std::string>& corpus, Stream& stream);

}  // namespace trilemma::fuzz
