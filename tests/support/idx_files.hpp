#pragma once
// IDX files made by tests.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trilemma::testing {

/// Big-endian 32-bit fields of the header, then the bytes.
std::vector<std::uint8_t> idx_bytes(const std::vector<std::uint32_t>& header,
                                    std::span<const std::uint8_t> body);
/// The content as gzip.
std::vector<std::uint8_t> gzip(std::span<const std::uint8_t> content);

}  // namespace trilemma::testing
