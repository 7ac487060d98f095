#pragma once

#include <span>
#include <string>

namespace trilemma {

/// SHA-256 of some bytes, in hexadecimal.
std::string sha256(std::span<const std::byte> bytes);
/// SHA-256 of a file's content.
std::string file_sha256(const std::string& path);

}  // namespace trilemma
