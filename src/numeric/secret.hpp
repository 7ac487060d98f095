#pragma once
// A 256-bit secret and its random words: ChaCha20 (RFC 8439), computed by libsodium.

#include <array>

#include "base/state.hpp"

namespace trilemma {

/// Key of a ChaCha20 generator. It cannot be read or printed, is written only to checkpoints, and
/// is wiped on destruction.
class Secret {
 public:
  static constexpr std::size_t size = 32;

  /// Draws the secret from the operating system.
  Secret();
  /// Uses the given bytes, so that tests are repeatable.
  explicit Secret(std::span<const std::uint8_t, size> bytes);
  ~Secret();
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  /// Writes the words of the keystream from block `first_block` on, 16 words per block (RFC 8439,
  /// section 2.3). The three words of `nonce` address the stream, which has 2^32 blocks.
  void keystream(const std::array<std::uint32_t, 3>& nonce, std::uint32_t first_block,
                 std::span<std::uint32_t> out) const;
  /// Saves or restores the secret. A resumed run must draw the same numbers as before: different
  /// noise for a round that was already released would be a second release.
  void persist(State& state) { state.value(bytes_); }

 private:
  std::array<std::uint8_t, size> bytes_{};
};

}  // namespace trilemma
